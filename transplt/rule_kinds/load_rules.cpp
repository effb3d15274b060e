// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {

Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const std::string& torch_version,
                          const std::vector<std::string>& features) {
  std::vector<RuleFile> files = user_rules;
  if (builtin_rules) {
    for (RuleFile& file : BuiltinRuleFiles()) files.push_back(std::move(file));
  }
  RuleSelection selection;
  selection.torch_version = torch_version;
  selection.features.insert(selection.features.end(), features.begin(), features.end());
  return RuleSet::Load(files, selection, RuleKinds());
}

}  // namespace transplt
