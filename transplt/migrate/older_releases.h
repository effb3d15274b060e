// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/engine/rule_set.h"

namespace transplt {

/// For each library of which newer releases stop the project at several places: the older ones that
/// do not, and that install beside this Python, "3.11". `rules` are those of the run.
std::vector<Text> NotesAboutOlderReleases(const RuleSet& rules, const RunResult& run,
                                          std::string_view python);

}  // namespace transplt
