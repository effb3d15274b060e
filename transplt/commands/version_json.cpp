// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "transplt/commands/commands.h"
#include "transplt/project/file_content.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {

std::string VersionJson(const std::string& version) {
  std::string rules;
  size_t count = 0;
  for (const RuleFile& file : BuiltinRuleFiles()) {
    // A byte that no text has keeps name and text apart.
    rules.append(file.name).append(1, '\0').append(file.text).append(1, '\0');
    ++count;
  }
  const nlohmann::ordered_json json = {{"name", "transplt"},
                                       {"version", version},
                                       {"rule_files", count},
                                       {"rules_hash", ContentOf(rules).hash}};
  return json.dump(2) + "\n";
}

}  // namespace transplt
