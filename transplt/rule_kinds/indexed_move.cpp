// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/indexed_move.h"

#include <algorithm>
#include <optional>

#include "transplt/base/text_parts.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/rule_kinds/device_index.h"

namespace transplt {
namespace {

/// True if the file calls set_device with the same expression: the index is the current device.
bool IsMadeCurrent(Node value, const FileContext& file) {
  for (const Node name : file.NodesSaying("set_device")) {
    const Node callee = name.field() == Field::kAttribute ? name.parent() : name;
    const Node call = callee.parent();
    if (!call.Is(NodeKind::kCall) || callee.field() != Field::kFunction) continue;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (!arguments.empty() && arguments[0].value.text() == value.text()) return true;
  }
  return false;
}

/// True if the file says that the name or attribute may hold None: it asks, or None is a default.
bool MayBeNone(Node value, const FileContext& file) {
  const Node last = value.Is(NodeKind::kAttribute) ? value.Child(Field::kAttribute) : value;
  for (const Node name : file.NodesSaying(last.text())) {
    const Node same = value.Is(NodeKind::kAttribute) ? name.parent() : name;
    const Node asked = same.next_named_sibling();
    if (same.text() == value.text() && same.parent().Is(NodeKind::kComparisonOperator) &&
        asked.Is(NodeKind::kNone)) {
      return true;
    }
  }
  if (!value.Is(NodeKind::kIdentifier)) return false;
  const NameTable::Meanings bindings = file.names().BindingsOf(value);
  return std::ranges::any_of(
      bindings, [](const Binding* binding) { return binding->value.Is(NodeKind::kNone); });
}

/// True where a condition around `node` has asked whether the value is None.
bool IsBelowQuestion(Node node, std::string_view text) {
  const std::string asked = std::string(text) + " is not None";
  for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
    if (parent.Is(NodeKind::kFunctionDefinition)) return false;
    const bool is_first = node.field() == Field::kConsequence;
    if (is_first && HasPart(parent.Child(Field::kCondition).text(), asked)) {
      return true;
    }
  }
  return false;
}

bool IsName(Node value) {
  return value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kAttribute);
}

}  // namespace

void MoveToIndex(Node method, const std::string& old_name, const std::string& device,
                 MovedIndex moved, const FileContext& file, Finding& finding) {
  const Node call = method.parent();
  if (!call.Is(NodeKind::kCall) || method.field() != Field::kFunction) return;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const bool is_positional = !arguments.empty() && arguments[0].keyword.empty();
  const Argument* index = is_positional ? arguments.data() : FindKeyword(arguments, "device");
  const bool keeps = std::ranges::any_of(arguments, [](const Argument& argument) {
    return argument.is_splat || argument.keyword == "async";
  });
  if (index == nullptr || keeps || index->value.Is(NodeKind::kNone)) return;
  const Node value = index->value;
  const TensorTypes types(file.names(), file.classes());
  if (types.IsTensor(method.Child(Field::kObject)) || IsMadeCurrent(value, file)) return;
  const DeviceIndex known = IndexOf(value, file);
  if (known == DeviceIndex::kNo && moved == MovedIndex::kKnown) return;
  finding.message =
      Say("change .{} to .to: for a module the new method ignores the index of the device",
          "将 .{} 改为 .to：模块的新方法会忽略设备编号", old_name);
  finding.fix.edits = {{method.Child(Field::kAttribute).range(), "to"}};
  if (known != DeviceIndex::kNo) {
    for (Edit& edit : NamedDevice(value, device)) finding.fix.edits.push_back(std::move(edit));
    if (known == DeviceIndex::kByName) finding.applicability = Applicability::kUnsafe;
  } else {
    finding.applicability = Applicability::kUnsafe;
    if (IsName(value) && MayBeNone(value, file) && !IsBelowQuestion(call, value.text())) {
      // For the old method None is the current device, for .to() it changes nothing.
      finding.fix.Insert(value.range().end,
                         fmt::format(" if {} is not None else \"{}\"", value.text(), device));
    }
  }
  if (is_positional && arguments.size() > 1 && arguments[1].keyword.empty()) {
    finding.fix.Insert(arguments[1].range.start, "non_blocking=");
  }
}

}  // namespace transplt
