// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "transplt/engine/file_context.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Takes the type of a device out of its text at the colon, where the letters of a type were
/// counted: `torch.autocast(device[:4])` gets "npu:" out of "npu:0", which torch refuses.
class DeviceSliceRule : public Rule {
 public:
  DeviceSliceRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), length_(std::to_string(fields.String("device").size())) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kCall, "torch.autocast"},
            {NodeKind::kCall, "torch.amp.autocast"},
            {NodeKind::kCall, "torch.device"},
            {NodeKind::kKeywordArgument, ""}};
  }

  WordSets required_words() const override { return {{"device"}, {"autocast"}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    if (node.Is(NodeKind::kCall)) {
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (!arguments.empty() && arguments[0].keyword.empty()) Fix(arguments[0].value, findings);
      return;
    }
    const std::string_view keyword = node.Child(Field::kName).text();
    const Node call = node.parent().parent();
    if ((keyword != "device" && keyword != "device_type") || !call.Is(NodeKind::kCall)) return;
    const bool is_of_torch = std::ranges::any_of(
        file.names().Resolve(call.Child(Field::kFunction)),
        [](const QualifiedName& name) { return !name.local && name.name.starts_with("torch."); });
    if (is_of_torch) Fix(node.Child(Field::kValue), findings);
  }

 private:
  void Fix(Node value, Findings& findings) const {
    if (!value.Is(NodeKind::kSubscript)) return;
    const Node slice = value.Child(Field::kSubscript);
    if (!slice.Is(NodeKind::kSlice) || !slice.first_child().IsToken(":")) return;
    const Node bound = slice.first_named_child();
    if (bound.text() != length_ || bound.next_named_sibling()) return;
    Finding finding = Change(value.range());
    finding.message = Say("the type of the device is what stands before the colon, of any length",
                          "设备类型为冒号之前的部分, 长度不固定");
    const uint32_t end = value.Child(Field::kValue).range().end;
    finding.fix.edits.push_back({{end, value.range().end}, ".split(\":\")[0]"});
    findings.push_back(std::move(finding));
  }

  std::string length_;  // of the type of the device that it was written for
};

}  // namespace

RuleKind DeviceSliceRuleKind() {
  return {"DeviceSliceRule",
          "Takes the type of a device out of its text at the colon, where the letters of a type "
          "were counted: torch.autocast(device[:4]).",
          {{"device", FieldType::kString, true, "The device that it was written for: cuda."}},
          MakeRule<DeviceSliceRule>};
}

}  // namespace transplt
