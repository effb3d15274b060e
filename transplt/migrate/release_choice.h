// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/rule_set.h"

namespace transplt {

/// Where a project stops by what one rule says.
struct Stops {
  size_t places = 0;
  bool at_import = false;
};
/// By the ids of the rules.
using StopsByRule = std::map<std::string, Stops>;

/// Of each library whose release in `selection` cannot stay, as rules say that find something in
/// the project: takes the release that stops the project at the fewest places in its stead, the
/// oldest of several. Only releases that are known, and newer than that of the project.
/// `find` gives what a set of rules finds in the project; it is asked only about such libraries.
Result<Done> ReplaceReleases(const std::vector<RuleFile>& user_rules,
                             const std::function<Result<StopsByRule>(const RuleSet&)>& find,
                             RuleSelection& selection);

}  // namespace transplt
