// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/engine/version_range.h"

namespace transplt {

/// A name that a library had, a module, a class or a function, and has no longer; or an argument
/// that a function took.
struct RemovedName {
  std::string_view name;     ///< as programs import it, "networkx.s_metric"; with an argument
                             ///< "networkx.s_metric(normalized)"
  std::string_view library;  ///< as pip calls it, "networkx"
  std::string_view since;    ///< the first release without it, "3.0"
  std::string_view instead;  ///< "networkx.from_numpy_array"; empty: nothing has its place

  bool IsMissingIn(const Version& release) const;
  std::string_view api() const;       ///< "networkx.s_metric"
  std::string_view argument() const;  ///< "normalized"; empty: the name itself is gone
};

/// The rows of rules/removed_names.csv, in the order of their names.
const std::vector<RemovedName>& RemovedNames();

/// The name itself, an argument as above, or the module around it, that is missing in `release`;
/// null if none is.
const RemovedName* FindRemovedName(std::string_view name, const Version& release);

/// Those of a package: of "networkx" all that begin with "networkx.".
std::vector<RemovedName> RemovedNamesOf(std::string_view package);

}  // namespace transplt
