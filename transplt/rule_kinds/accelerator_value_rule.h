// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/engine/rule.h"
#include "transplt/engine/rule_kind.h"

namespace transplt {

/// Asks PyTorch for what belongs to the accelerator where a string names it for one device. Which
/// strings those are is what ValueRenameRule finds; what they become is for the derived class.
class AcceleratorValueRule : public Rule {
 public:
  std::vector<Trigger> triggers() const override { return finder_->triggers(); }
  WordSets required_words() const override { return finder_->required_words(); }
  void Check(Node string, const FileContext& file, Findings& findings) const override;
  /// Reports the settings that hold the value: only programs can ask for the accelerator.
  void CheckSetting(const Setting& setting, Findings& findings) const override;

 protected:
  AcceleratorValueRule(RuleHeader header, std::string value, std::unique_ptr<Rule> finder);

  /// The string that is replaced: `cuda`, `nccl`.
  const std::string& value() const { return value_; }
  /// Leaves the string as it is and says why.
  void LeaveHere(Finding& finding, const Text& reason) const;

 private:
  /// Replaces the fix of `finding`, which writes a placeholder, or calls LeaveHere().
  virtual void Rewrite(Node string, const FileContext& file, Finding& finding) const = 0;

  std::unique_ptr<Rule> finder_;
  std::string value_;
};

/// The rule that finds the strings `value` in the role that `form` of ValueRenameRule names.
Result<std::unique_ptr<Rule>> FinderOfValues(const RuleHeader& header, std::string value,
                                             std::string_view form);

}  // namespace transplt
