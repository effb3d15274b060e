// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {
namespace {

/// Puts the dropout of the NPU in the place of tf.nn.dropout, which takes either the part that
/// stays or, by keyword, the part that goes.
class TensorflowDropoutRule : public TensorflowRule {
 public:
  TensorflowDropoutRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields), name_(fields.String("new_name")) {}

 private:
  void CheckCall(Node call, const std::string& function, const FileContext& /*file*/,
                 Findings& findings) const override {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (PassesUnknown(call)) {
      findings.push_back(
          Row(call.range(), Say("{} stays: what it is given cannot be seen here; write {}",
                                "{} 保持不变: 无法判断其参数; 请改为 {}", function, name_)));
      return;
    }
    size_t positional = 0;
    for (const Argument& argument : arguments) positional += argument.keyword.empty() ? 1 : 0;
    const Argument* rate = FindKeyword(arguments, "rate");
    const Argument* keep = FindKeyword(arguments, "keep_prob");
    const bool has_shape = positional > 2 || FindKeyword(arguments, "noise_shape") != nullptr;
    const bool is_clear = (rate != nullptr) != (keep != nullptr || positional > 1);
    if (has_shape || !is_clear || arguments.empty()) return;
    Finding finding =
        Change(call.range(), Say("change function {} to {}", "将函数 {} 改为 {}", function, name_));
    finding.fix.Replace(call.Child(Field::kFunction).range(), name_);
    if (rate != nullptr) {
      const std::string value(rate->value.text());
      const std::string taken = IsAtomic(rate->value) ? value : "(" + value + ")";
      finding.fix.Replace(rate->range, "keep_prob=1 - " + taken);
    }
    findings.push_back(std::move(finding));
  }

  std::string name_;
};

}  // namespace

RuleKind TensorflowDropoutRuleKind() {
  return {
      "TensorflowDropoutRule",
      "Puts the dropout of the NPU in the place of tf.nn.dropout; rate becomes keep_prob. Calls "
      "with noise_shape stay.",
      TensorflowFields({{"new_name", FieldType::kDottedName, true, "What is called instead."}}),
      MakeRule<TensorflowDropoutRule>};
}

}  // namespace transplt
