// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/engine/version_range.h"

namespace transplt {

/// A release of a library that a project can take where its own one cannot stay.
struct LibraryRelease {
  std::string package;
  std::string text;  ///< "0.6.13"; empty: the newest
  Version version = kNewestVersion;
  std::string beside;    ///< what it needs beside it, "setuptools<82"; or empty
  bool is_last = false;  ///< the package has no newer one

  /// What a person installs: "timm==0.6.13".
  Text Name() const;
};

/// The releases of the package that rules/library_releases.json names, from old to new, and the
/// newest, unless one of them is the last; none for a package that it does not name.
std::vector<LibraryRelease> ReleasesOf(std::string_view package);

/// The newest versions of packages which have none of later releases for this Python, "3.11", by
/// rules/library_releases.json; nothing for a Python that it does not name.
std::vector<std::pair<std::string, Version>> NewestForPython(std::string_view python);

/// The first releases of packages that can be imported in a Python, "3.11", and in those after it:
/// earlier releases raise an error there.
std::vector<std::pair<std::string, Version>> FirstForPython(std::string_view python);

/// The last Python before the one that took many of its modules away, "3.11".
Version PythonWithOldModules();

/// A library of which older releases install, too.
struct OlderRelease {
  std::string package;
  Version oldest{};   ///< the first that has wheels for the Python
  Version numpy_2{};  ///< the first that is built for NumPy 2; all zero: all run beside it
};

/// The libraries that rules/library_releases.json names for this Python, "3.11".
std::vector<OlderRelease> OlderReleasesFor(std::string_view python);

}  // namespace transplt
