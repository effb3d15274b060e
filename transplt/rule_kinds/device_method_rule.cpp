// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/dotted_name.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kAnywhere = "to_accelerator";

/// What made an object, through variables and methods that move it: the call, as far as the file
/// shows it; else nothing.
Node MakerOf(Node object, const FileContext& file) {
  constexpr int kMostSteps = 6;
  for (int step = 0; step < kMostSteps && object; ++step) {
    if (object.Is(NodeKind::kIdentifier)) {
      Node value;
      for (const Binding* binding : file.names().BindingsOf(object)) {
        if (binding->value) value = binding->value;
      }
      object = value;
      continue;
    }
    if (!object.Is(NodeKind::kCall)) return {};
    const Node callee = object.Child(Field::kFunction);
    const bool moves = callee.Is(NodeKind::kAttribute) &&
                       Words("moving-methods").Has(callee.Child(Field::kAttribute).text());
    if (!moves) return object;
    object = callee.Child(Field::kObject);
  }
  return {};
}

/// True for an object that moves between devices and is no tensor: it has neither `.device` nor,
/// if it is a storage, a `.to()` that takes a device by position.
bool LacksDevice(Node object, bool asks_property, std::string_view name, const FileContext& file) {
  const Node maker = MakerOf(object, file);
  if (!maker) return false;
  const Node callee = maker.Child(Field::kFunction);
  if (callee.Is(NodeKind::kAttribute) &&
      Words("storage-methods").Has(callee.Child(Field::kAttribute).text())) {
    return true;
  }
  for (const QualifiedName& made : file.names().Resolve(callee)) {
    if (made.local) continue;
    if (Words("storages").Has(made.name)) return true;
    const bool is_torch = FirstPart(made.name) == "torch";
    if (asks_property && is_torch && Words("made-without-device").Has(made.name)) return true;
    const std::string_view last = LastPart(made.name);
    const bool is_class = !last.empty() && last.front() >= 'A' && last.front() <= 'Z';
    if (asks_property && !is_torch && is_class && !file.IsOwn(ParentPart(made.name))) return true;
  }
  if (!asks_property || !callee.Is(NodeKind::kIdentifier)) return false;
  const NameTable::Meanings bindings = file.names().BindingsOf(callee);
  return std::ranges::any_of(bindings, [&](const Binding* binding) {
    return binding->kind == BindingKind::kClass &&
           std::ranges::any_of(NodesIn(binding->statement), [&](Node node) {
             return node.Is(NodeKind::kAttribute) && node.field() == Field::kLeft &&
                    node.Child(Field::kAttribute).text() == name;
           });
  });
}

/// Writes for any accelerator what a method or property of tensors and modules says of one:
/// `x.cuda()`, `x.is_cuda`. Which receivers those are is what MethodRenameRule finds.
class DeviceMethodRule : public Rule {
 public:
  DeviceMethodRule(RuleHeader header, const Fields& fields, std::unique_ptr<Rule> finder)
      : Rule(std::move(header)),
        finder_(std::move(finder)),
        name_(fields.String("old_name")),
        device_(fields.String("device")) {}

  std::vector<Trigger> triggers() const override { return finder_->triggers(); }
  WordSets required_words() const override { return finder_->required_words(); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    Findings found;
    if (node.Is(NodeKind::kFunctionDefinition)) return;  // callers do not call it any more
    finder_->Check(node, file, found);
    for (Finding& finding : found) {
      finding.needs_device_import = false;
      if (!finding.fix.empty()) Rewrite(node, file, finding);
      findings.push_back(std::move(finding));
    }
  }

 private:
  void Rewrite(Node node, const FileContext& file, Finding& finding) const {
    finding.fix = {};
    const bool is_called = IsCalled(node);
    if (node.Is(NodeKind::kAttribute) &&
        LacksDevice(node.Child(Field::kObject), !is_called, name_, file)) {
      return Leave(finding,
                   Say(".{} stays: the object is no tensor, and has no .device or .to() "
                       "like one",
                       ".{} 保持不变: 该对象不是张量, 没有与张量相同的 .device 或 .to()", name_));
    }
    if (!node.Is(NodeKind::kAttribute) || is_called == device_.empty()) {
      Leave(finding, Say("the name of a method of CUDA stays", "CUDA 方法名保持不变"));
    } else if (is_called) {
      RewriteCall(node, file, finding);
    } else {
      RewriteProperty(node, finding);
    }
  }

  /// `x.cuda()` -> `x.to(device)`; the index that it may have means the same there.
  void RewriteCall(Node method, const FileContext& file, Finding& finding) const {
    const Node call = method.parent();
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Node receiver = method.Child(Field::kObject);
    const std::optional<std::string> device = TorchTextAt(call, device_, file);
    for (const Argument& argument : arguments) {
      if (argument.is_splat || argument.keyword == "async") {
        return Leave(finding, Say(".{} stays: its arguments cannot be given to .to()",
                                  ".{} 保持不变: 其参数不能用于 .to()", name_));
      }
    }
    if (receiver.text() == "storage" || arguments.size() > 2 ||
        !call.Child(Field::kArguments).Is(NodeKind::kArgumentList)) {
      return Leave(finding,
                   Say(".{} of a storage stays: pass a device, for example as map_location",
                       "存储对象的 .{} 保持不变: 请传入设备, 例如作为 map_location", name_));
    }
    finding.message = Say("change .{} to .to", "将 .{} 改为 .to", name_);
    finding.fix.Replace(method.Child(Field::kAttribute).range(), "to");
    const bool positional = !arguments.empty() && arguments[0].keyword.empty();
    const bool chosen = positional ? !arguments[0].value.Is(NodeKind::kNone)
                                   : FindKeyword(arguments, "device") != nullptr;
    if (!chosen && !device) {
      return Leave(finding, Say("import torch here and write .to({})",
                                "请在此导入 torch 并写作 .to({})", device_));
    }
    if (chosen) {
      GuardNone(method, positional ? arguments[0] : *FindKeyword(arguments, "device"), device, file,
                finding);
    } else if (positional) {
      finding.fix.Replace(arguments[0].range, *device);
    } else {
      finding.fix.Insert(call.Child(Field::kArguments).range().start + 1,
                         *device + (arguments.empty() ? "" : ", "));
    }
    if (positional && arguments.size() == 2 && arguments[1].keyword.empty()) {
      finding.fix.Insert(arguments[1].range.start, "non_blocking=");
    }
  }

  /// For .cuda None is the current device; for .to it is where the tensor is. Where the file asks
  /// whether a device is None, and not above this call, or where None is the default of a
  /// parameter, the device is chosen here.
  static void GuardNone(Node method, const Argument& argument,
                        const std::optional<std::string>& device, const FileContext& file,
                        Finding& finding) {
    const std::string name(argument.value.text());
    const std::string_view bytes = file.source().bytes();
    const bool asked = HasPart(bytes, name + " is None") || HasPart(bytes, name + " is not None") ||
                       MayBeNone(argument.value, file);
    if (argument.value.Is(NodeKind::kInteger) || IsBelowTest(method, name)) return;
    if (asked && device) {
      finding.fix.Replace(argument.value_range, *device + " if " + name + " is None else " + name);
      return;
    }
    finding.message.en += "; None is the current device for .cuda, and no change for .to";
    finding.message.zh += "; 参数为 None 时, .cuda 使用当前设备, 而 .to 不做改变";
  }

  /// True for a parameter or variable that is None unless it is given.
  static bool MayBeNone(Node value, const FileContext& file) {
    if (!value.Is(NodeKind::kIdentifier)) return false;
    const NameTable::Meanings bindings = file.names().BindingsOf(value);
    return std::ranges::any_of(
        bindings, [](const Binding* binding) { return binding->value.Is(NodeKind::kNone); });
  }

  /// True below `if NAME is not None:`, and behind `if NAME is None:` in its other branches.
  static bool IsBelowTest(Node node, const std::string& name) {
    for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
      if (parent.Is(NodeKind::kFunctionDefinition)) return false;
      if (!parent.Is(NodeKind::kIfStatement) && !parent.Is(NodeKind::kElifClause)) continue;
      const std::string_view condition = parent.Child(Field::kCondition).text();
      const bool first = node.field() == Field::kConsequence;
      const std::string_view wanted = first ? " is not None" : " is None";
      if (HasPart(condition, name + std::string(wanted))) return true;
    }
    return false;
  }

  /// `x.is_cuda` -> `x.device.type != "cpu"`.
  void RewriteProperty(Node property, Finding& finding) const {
    const Node parent = property.parent();
    const Node name = property.Child(Field::kAttribute);
    finding.message = Say("ask whether .device.type is not \"cpu\" in place of .{}",
                          "改为判断 .device.type 是否不为 \"cpu\", 而非 .{}", name_);
    if (IsInterpolated(property)) {
      return Leave(finding, Say(".{} stays: inside a formatted string",
                                ".{} 保持不变: 位于格式化字符串内", name_));
    }
    if (parent.Is(NodeKind::kNotOperator)) {
      finding.fix.Replace({parent.range().start, property.range().start}, "");
      finding.fix.Replace(name.range(), "device.type == \"cpu\"");
      return;
    }
    const bool fits = MayBeConditional(property) || parent.Is(NodeKind::kBooleanOperator) ||
                      parent.Is(NodeKind::kConditionalExpression) ||
                      parent.Is(NodeKind::kIfClause) || parent.Is(NodeKind::kLambda);
    if (!fits) {
      finding.fix.Insert(property.range().start, "(");
    }
    finding.fix.Replace(name.range(), fits ? "device.type != \"cpu\"" : "device.type != \"cpu\")");
  }

  std::unique_ptr<Rule> finder_;
  std::string name_;
  std::string device_;
};

Result<std::unique_ptr<Rule>> MakeDeviceMethodRule(RuleHeader header, const Fields& fields) {
  Fields of_finder;
  of_finder.Set("old_name", fields.String("old_name"));
  of_finder.Set("new_name", std::string(kAnywhere));
  of_finder.Set("property", !fields.Has("device"));
  Result<std::unique_ptr<Rule>> finder = MethodRenameRuleKind().make(header, of_finder);
  if (!finder) return finder.error();
  return std::unique_ptr<Rule>(
      std::make_unique<DeviceMethodRule>(std::move(header), fields, *std::move(finder)));
}

}  // namespace

RuleKind DeviceMethodRuleKind() {
  return {"DeviceMethodRule",
          "Writes .to(device) for a method that moves tensors and modules to one device, and a "
          "look at .device.type for a property that names one; the receivers are those of "
          "MethodRenameRule.",
          {{"old_name", FieldType::kDottedName, true, "The method or property, for example cuda."},
           {"device", FieldType::kString, false,
            "Python text: the argument of .to() where the call names no device. Without it the "
            "name is that of a property."}},
          MakeDeviceMethodRule};
}

}  // namespace transplt
