// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
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

}  // namespace transplt
