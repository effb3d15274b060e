// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "transplt/engine/file_context.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/accelerator_value_rule.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Asks PyTorch for the backend of the accelerator where a string names that of one device.
class BackendValueRule : public AcceleratorValueRule {
 public:
  BackendValueRule(RuleHeader header, const Fields& fields, std::unique_ptr<Rule> finder)
      : AcceleratorValueRule(std::move(header), fields.String("old_value"), std::move(finder)),
        old_device_(fields.String("old_device")),
        backend_(fields.String("backend")) {}

 private:
  void Rewrite(Node string, const FileContext& file, Finding& finding) const override {
    const size_t edits = finding.fix.edits.size();
    const TextRange range = finding.fix.edits.front().range;
    finding.fix = {};
    const Node content = PlainStringContent(string);
    if (edits > 1 || !content || !(content.range() == range)) {
      return LeaveHere(finding, Say("part of a longer value", "较长的值的一部分"));
    }
    RewriteBackend(string, file, finding);
  }

  void RewriteBackend(Node string, const FileContext& file, Finding& finding) const {
    const Node pair = string.parent();
    const Node key = pair.Is(NodeKind::kPair) ? pair.Child(Field::kKey) : Node();
    const Node device = key.Is(NodeKind::kString) ? PlainStringContent(key) : Node();
    if (device && device.text() == old_device_) {
      return LeaveHere(finding, Say("a table of devices and backends", "设备与后端的对照表"));
    }
    if (IsCompared(string) || string.parent().Is(NodeKind::kList) ||
        string.parent().Is(NodeKind::kTuple) || string.parent().Is(NodeKind::kSet)) {
      return LeaveHere(finding, Say("what is decided here may hold for NCCL alone",
                                    "此处的判断可能仅适用于 NCCL"));
    }
    const bool asks = AsksForBackend(string.parent(), file);
    const Node whole = asks ? string.parent() : string;
    const std::optional<std::string> text = TorchTextAt(string, backend_, file);
    if (!text || IsInterpolated(string)) {
      return Leave(finding,
                   Say("import torch here and write {}", "请在此导入 torch 并写作 {}", backend_));
    }
    finding.message =
        Say("replace string \"{}\" with {}", "将字符串 \"{}\" 替换为 {}", value(), *text);
    finding.fix.Replace(whole.range(), WithQuotesOf(*text, string));
  }

  /// `"nccl" if is_nccl_available() else "gloo"`, which is what a process group does itself.
  static bool AsksForBackend(Node choice, const FileContext& file) {
    if (!choice.Is(NodeKind::kConditionalExpression)) return false;
    const Node condition = choice.first_named_child().next_named_sibling();
    return condition.Is(NodeKind::kCall) &&
           file.names().IsNamed(condition.Child(Field::kFunction),
                                "torch.distributed.is_nccl_available");
  }

  std::string old_device_;
  std::string backend_;
};

Result<std::unique_ptr<Rule>> MakeBackendValueRule(RuleHeader header, const Fields& fields) {
  Result<std::unique_ptr<Rule>> finder =
      FinderOfValues(header, fields.String("old_value"), "backend");
  if (!finder) return finder.error();
  return std::unique_ptr<Rule>(
      std::make_unique<BackendValueRule>(std::move(header), fields, *std::move(finder)));
}

}  // namespace

RuleKind BackendValueRuleKind() {
  return {
      "BackendValueRule",
      "Asks PyTorch for the backend of the accelerator where a string names that of one device.",
      {{"old_value", FieldType::kString, true, "The value, for example nccl."},
       {"old_device", FieldType::kString, true, "Its device: a table that has it as a key stays."},
       {"backend", FieldType::kString, true, "Python text: the backend of the accelerator."}},
      MakeBackendValueRule};
}

}  // namespace transplt
