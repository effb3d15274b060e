// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {

std::vector<RuleFile> BuiltinRuleFiles(Framework framework, bool tensorflow) {
  constexpr std::string_view kWithout = "without_";
  std::vector<RuleFile> files = BuiltinRuleFiles();
  std::erase_if(files, [&](const RuleFile& file) {
    std::string_view name = std::string_view(file.name).substr(file.name.rfind('/') + 1);
    const bool without = name.starts_with(kWithout);
    if (without) name.remove_prefix(kWithout.size());
    return std::ranges::any_of(kFrameworks, [&](Framework other) {
      const bool is_migrated =
          other == framework || (other == Framework::kTensorflow && tensorflow);
      return is_migrated == without && name.starts_with(NameOf(other));
    });
  });
  return files;
}

Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const RuleSelection& selection) {
  std::vector<RuleFile> files = user_rules;
  if (builtin_rules) {
    for (RuleFile& file : BuiltinRuleFiles(selection.framework, selection.tensorflow))
      files.push_back(std::move(file));
  }
  return RuleSet::Load(files, selection, RuleKinds());
}

}  // namespace transplt
