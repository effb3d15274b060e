// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {
namespace {

/// Adds an import that changes what functions of TensorFlow do, to files that call them.
class TensorflowImportRule : public TensorflowRule {
 public:
  TensorflowImportRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields) {}

 private:
  void CheckCall(Node call, const std::string& function, const FileContext& /*file*/,
                 Findings& findings) const override {
    findings.push_back(Change(call.range(), Say("adapt {}", "适配 {}", function)));
  }
};

}  // namespace

RuleKind TensorflowImportRuleKind() {
  return {"TensorflowImportRule",
          "Adds an import that changes what functions of TensorFlow do; \"imports\" has the whole "
          "statement.",
          TensorflowFields({}), MakeRule<TensorflowImportRule>};
}

}  // namespace transplt
