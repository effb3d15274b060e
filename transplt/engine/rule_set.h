// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/rule.h"
#include "transplt/engine/rule_kind.h"

namespace transplt {

/// A before/after example of a rule; `after` equal to `before` means "must not change".
struct RuleExample {
  std::string before;
  std::string after;
};

/// A rule as loaded, with what only documentation and tests need.
struct LoadedRule {
  std::unique_ptr<Rule> rule;
  std::vector<RuleExample> examples;
};

/// A file of rules: `name` is what messages call it, `text` its content (JSON).
struct RuleFile {
  std::string name;
  std::string text;
  bool built_in = false;  ///< built-in rules must have id, why and examples
};

/// What decides which of the loaded rules are active.
struct RuleSelection {
  std::string torch_version = "2.8";             ///< rules outside their `torch` range are left out
  std::vector<std::string> features = {"normal"};  ///< a rule without feature_switch is "normal"
};

/// The rules of one run, in the order in which they run: the order of the files, then of the
/// kinds in a file, then of the list.
class RuleSet {
 public:
  static Result<RuleSet> Load(const std::vector<RuleFile>& files, const RuleSelection& selection,
                              std::span<const RuleKind> kinds);

  const std::vector<LoadedRule>& rules() const { return rules_; }

 private:
  std::vector<LoadedRule> rules_;
};

}  // namespace transplt
