// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/tensorflow_rule.h"

namespace transplt {
namespace {

bool SpeaksOfGpu(std::string_view text) {
  const std::string lower = Lower(text);
  return HasPart(lower, "gpu");
}

bool HasString(Node expression) {
  for (uint32_t id = expression.id(); id < expression.end_id(); ++id) {
    if (expression.tree().node(id).Is(NodeKind::kString)) return true;
  }
  return false;
}

/// Puts the CPU in the place of a GPU that tf.device names: the adapter takes what is placed there
/// to the NPU.
class TensorflowDeviceRule : public TensorflowRule {
 public:
  TensorflowDeviceRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields),
        value_(fields.String("value")),
        told_functions_(fields.List("told_functions")) {}

 private:
  void CheckCall(Node call, const std::string& /*function*/, const FileContext& file,
                 Findings& findings) const override {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() != 1 || arguments[0].is_splat) return;
    const Node value = arguments[0].value;
    const bool is_text = HasString(value);
    if (is_text && !SpeaksOfGpu(value.text())) return;
    if (value.Is(NodeKind::kNone)) return;
    if (!is_text || value_.empty()) {
      if (!is_text && (NamesOtherDevices(value, file) || IsToldAtItsMaker(value, file))) return;
      findings.push_back(Row(call.range(), WhyItStays(value)));
      return;
    }
    const char quote = !HasPart(value.text(), '"') ? '\'' : '"';
    Finding finding = Change(arguments[0].range, Say("change the device {} to {}",
                                                     "将设备 {} 改为 {}", value.text(), value_));
    finding.fix.Replace(arguments[0].value_range, quote + value_ + quote);
    findings.push_back(std::move(finding));
  }

  Text WhyItStays(Node value) const {
    if (value_.empty()) {
      return Say("the device {} stays; where the NPU is the default device, leave it out",
                 "设备 {} 保持不变; 以 NPU 为默认设备时请去掉", value.text());
    }
    return Say(
        "the device {} stays; on the NPU it has to name the CPU, or nothing: operators go "
        "to the NPU from there",
        "设备 {} 保持不变; 在 NPU 上须指定 CPU 或不指定: 算子由此下沉到 NPU", value.text());
  }

  /// A variable that the file only gives names without a GPU.
  static bool NamesOtherDevices(Node value, const FileContext& file) {
    if (!value.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings bindings = file.names().BindingsOf(value);
    return !bindings.empty() && std::ranges::all_of(bindings, [](const Binding* binding) {
      return binding->kind == BindingKind::kAssignment && binding->value &&
             HasString(binding->value) && !SpeaksOfGpu(binding->value.text());
    });
  }

  bool IsToldAtItsMaker(Node value, const FileContext& file) const {
    return std::ranges::any_of(MakersOf(value, file), [&](const std::string& maker) {
      return told_functions_.Contains(maker);
    });
  }

  std::string value_;
  TensorflowFunctions told_functions_;
};

}  // namespace

RuleKind TensorflowDeviceRuleKind() {
  return {
      "TensorflowDeviceRule",
      "Names another device where a function of TensorFlow is given a GPU; what is no text is "
      "reported.",
      TensorflowFields({{"value", FieldType::kString, false,
                         "The device to write; without it the place is reported."},
                        {"told_functions", FieldType::kStringList, false,
                         "Functions whose result is no text and of which another rule tells."}}),
      MakeRule<TensorflowDeviceRule>};
}

}  // namespace transplt
