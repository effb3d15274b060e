// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/rule_set.h"

namespace transplt {

/// The files of rules/, as built into the program.
std::vector<RuleFile> BuiltinRuleFiles();

/// The rules of a run: the user's, then the built-in ones; those of `features` besides what always
/// runs.
Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const std::string& torch_version,
                          const std::vector<std::string>& features = {});

}  // namespace transplt
