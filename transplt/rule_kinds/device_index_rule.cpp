// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/device_index.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Names the device where a number alone stands for it: `x.to(rank)`. Older versions of torch take
/// such a number for the index of a CUDA device.
class DeviceIndexRule : public Rule {
 public:
  DeviceIndexRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), device_(fields.String("device")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kCall, "to"},
            {NodeKind::kCall, "torch.device"},
            {NodeKind::kKeywordArgument, ""}};
  }

  WordSets required_words() const override { return {{"to"}, {"device"}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (file.IsOtherFramework() || !file.Imports("torch")) return;
    if (node.Is(NodeKind::kKeywordArgument)) {
      CheckKeyword(node, file, findings);
      return;
    }
    const std::vector<Argument> arguments = ArgumentsOf(node);
    if (arguments.empty() || !arguments[0].keyword.empty() || arguments[0].is_splat) return;
    const Node function = node.Child(Field::kFunction);
    if (file.names().IsNamed(function, "torch.device")) {
      if (arguments.size() == 1) Report(arguments[0].value, true, file, findings);
    } else if (function.Is(NodeKind::kAttribute) &&
               function.Child(Field::kAttribute).text() == "to") {
      Text ignored;
      if (IsForeignReceiver(function.Child(Field::kObject), "to", file.code(), &ignored)) return;
      Report(arguments[0].value, false, file, findings);
    }
  }

 private:
  /// `torch.zeros(2, device=rank)`, `x.to(device=rank)`
  void CheckKeyword(Node keyword, const FileContext& file, Findings& findings) const {
    const Node call = keyword.parent().parent();
    if (keyword.Child(Field::kName).text() != "device" || !call.Is(NodeKind::kCall)) return;
    const Node function = call.Child(Field::kFunction);
    // torch.cuda has functions whose device may stay a number.
    const bool is_of_torch =
        std::ranges::any_of(file.names().Resolve(function), [](const QualifiedName& name) {
          return !name.local && name.name.starts_with("torch.") &&
                 !name.name.starts_with("torch.cuda.");
        });
    const bool is_move =
        function.Is(NodeKind::kAttribute) && function.Child(Field::kAttribute).text() == "to";
    if (is_of_torch || is_move) Report(keyword.Child(Field::kValue), false, file, findings);
  }

  void Report(Node value, bool in_device, const FileContext& file, Findings& findings) const {
    const DeviceIndex index = IndexOf(value, file);
    if (index == DeviceIndex::kNo) return;
    Finding finding = Change(value.range());
    finding.applicability =
        index == DeviceIndex::kYes ? Applicability::kSafe : Applicability::kUnsafe;
    finding.message = Say("a number alone is a CUDA device: name the device {}",
                          "仅给出编号表示 CUDA 设备: 写明设备 {}", device_);
    finding.needs_device_import = true;
    if (in_device) {
      finding.fix.Insert(value.range().start, "\"" + device_ + "\", ");
    } else {
      finding.fix.edits = NamedDevice(value, device_);
    }
    findings.push_back(std::move(finding));
  }

  std::string device_;
};

}  // namespace

RuleKind DeviceIndexRuleKind() {
  return {"DeviceIndexRule",
          "Names the device where a number alone stands for it: x.to(rank), device=0, "
          "torch.device(local_rank); devices, strings and tensors stay.",
          {{"device", FieldType::kString, true, "The device, for example npu."}},
          MakeRule<DeviceIndexRule>};
}

}  // namespace transplt
