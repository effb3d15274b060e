// SPDX-License-Identifier: Apache-2.0
// TensorFlow 2: npu_device takes its options from attributes, before the device is opened.
#include <fmt/format.h>

#include "transplt/engine/statement.h"
#include "transplt/inject/tensorflow_injector.h"

namespace transplt {

void TensorflowInjector::HandleDevice(Node call) {
  const std::string prefix(call.Child(Field::kFunction).Child(Field::kObject).text());
  const Node statement = EnclosingStatement(call);
  if (IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(statement)) {
    Leave(call,
          Say("open: no line can be put in front of this place", "open: 此处之前无法插入语句"));
    return;
  }
  std::vector<OptionValue> options;
  for (const OptionValue& option : request_.options) {
    if (!option.spec->tf2.empty()) {
      options.push_back(option);
    } else {
      Leave(call, Say("npu_device has no option {}", "npu_device 没有选项 {}", option.spec->name));
    }
  }
  const EditReason reason{
      call.range(), "inject-tensorflow",
      Say("npu_device.open: sets {}", "npu_device.open: 设置 {}", NamesOf(options))};
  for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
    const std::string_view left = assignment.Child(Field::kLeft).text();
    const size_t dot = left.rfind('.');
    if (!left.starts_with(prefix + ".global_options().") || dot == std::string_view::npos ||
        assignment.range().start > call.range().start ||
        BlockOf(EnclosingStatement(assignment)) != BlockOf(statement)) {
      continue;
    }
    if (RefuseOpposite(assignment.Child(Field::kRight), std::string(left.substr(dot + 1)),
                       options)) {
      Note(call, "npu_device.open", Say("left: {} is True", "不处理: {} 为 True", left));
      return;
    }
  }
  const std::string flag =
      spelling_.IsGated(options) ? file_.FreshName("dump_flag", call) : std::string();
  std::vector<std::string> lines;
  bool has_gate = false;
  bool changed = false;
  for (const OptionValue& option : options) {
    const std::string target = fmt::format("{}.global_options().{}", prefix, option.spec->tf2);
    const std::string wanted = spelling_.PlainValue(option, flag);
    Node found;
    for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
      if (assignment.Child(Field::kLeft).text() == target &&
          assignment.range().start < call.range().start) {
        found = assignment;
      }
    }
    if (!found) {
      if (wanted == flag && !flag.empty() && !has_gate) {
        for (std::string& line : spelling_.GateLines(flag)) lines.push_back(std::move(line));
        has_gate = true;
      }
      lines.push_back(target + " = " + wanted);
      continue;
    }
    const Node value = found.Child(Field::kRight);
    const Node own = EnclosingStatement(found);
    if (BlockOf(own) != BlockOf(statement)) {
      Leave(found, Say("{} is set under a condition here, which is left as it is",
                       "此处有条件地设置 {}, 保持原样", option.spec->name));
      lines.push_back(target + " = " + wanted);
      continue;
    }
    const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
    if (wanted == flag && !flag.empty() && value.text() == flag) {
      UpdateGate(own, flag, reason, changed);
      has_gate = true;
      continue;
    }
    if (value.text() == wanted || (content && content.text() == option.value)) continue;
    if (wanted == flag && !flag.empty()) plan_.InsertBefore(own, spelling_.GateLines(flag), reason);
    plan_.Replace(value.range(), wanted, reason);
    changed = true;
  }
  if (!lines.empty()) {
    std::vector<std::string> all = spelling_.FolderLines(options);
    all.insert(all.end(), lines.begin(), lines.end());
    plan_.InsertBefore(statement, all, reason);
  }
  Note(call, "npu_device.open",
       changed || !lines.empty() ? Say("sets {}", "设置 {}", NamesOf(options))
                                 : Say("set already", "已设置"));
}

}  // namespace transplt
