// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/rule_set.h"

namespace transplt {

/// The files of rules/, as built into the program.
std::vector<RuleFile> BuiltinRuleFiles();

/// The rules of a run for `target`: the user's, then the built-in ones.
Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const std::string& torch_version,
                          const std::string& target = RuleSelection().target);

}  // namespace transplt
