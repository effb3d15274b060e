// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/accelerator_value_rule.h"

#include <utility>

#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// What stands in the text for the value until it is known what the place needs.
constexpr std::string_view kWordOfTarget = "accelerator";

/// True for the "cuda" of `... if torch.accelerator.is_available() else "cuda"`: it stands for the
/// case that there is no accelerator at all.
bool StandsForNone(Node string, const FileContext& file) {
  const Node choice = string.parent();
  if (!choice.Is(NodeKind::kConditionalExpression)) return false;
  const Node condition = choice.first_named_child().next_named_sibling();
  if (!condition || !(condition.next_named_sibling() == string)) return false;
  for (const Node node : NodesIn(condition)) {
    if (node.Is(NodeKind::kCall) &&
        file.names().IsNamed(node.Child(Field::kFunction), "torch.accelerator.is_available")) {
      return true;
    }
  }
  return false;
}

}  // namespace

AcceleratorValueRule::AcceleratorValueRule(RuleHeader header, std::string value,
                                           std::unique_ptr<Rule> finder)
    : Rule(std::move(header)), finder_(std::move(finder)), value_(std::move(value)) {}

void AcceleratorValueRule::Check(Node string, const FileContext& file, Findings& findings) const {
  if (StandsForNone(string, file)) return;
  Findings found;
  finder_->Check(string, file, found);
  for (Finding& finding : found) {
    finding.needs_device_import = false;
    if (!finding.fix.empty()) Rewrite(string, file, finding);
    findings.push_back(std::move(finding));
  }
}

void AcceleratorValueRule::CheckSetting(const Setting& setting, Findings& findings) const {
  Findings found;
  finder_->CheckSetting(setting, found);
  for (Finding& finding : found) {
    Leave(finding, Say("\"{}\" stays: this file cannot ask for the accelerator of the machine; "
                       "give the value where the program is started, or let it choose",
                       "\"{}\" 保持不变: 此文件无法查询本机的加速器; 请在启动程序时给出该值, "
                       "或由程序自行选择",
                       value_));
    findings.push_back(std::move(finding));
  }
}

void AcceleratorValueRule::LeaveHere(Finding& finding, const Text& reason) const {
  Leave(finding,
        {"\"" + value_ + "\" stays: " + reason.en, "\"" + value_ + "\" 保持不变: " + reason.zh});
}

Result<std::unique_ptr<Rule>> FinderOfValues(const RuleHeader& header, std::string value,
                                             std::string_view form) {
  Fields fields;
  fields.Set("old_value", std::move(value));
  fields.Set("new_value", std::string(kWordOfTarget));
  fields.Set("form", std::string(form));
  return ValueRenameRuleKind().make(header, fields);
}

}  // namespace transplt
