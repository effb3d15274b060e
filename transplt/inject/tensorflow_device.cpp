// SPDX-License-Identifier: Apache-2.0
// TensorFlow 2: npu_device takes its options from attributes, before the device is opened.
#include <fmt/format.h>

#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/statement.h"

namespace transplt {

void TensorflowInjector::HandleDevice(Node call) {
  const Node statement = EnclosingStatement(call);
  if (IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(statement)) {
    Leave(call,
          Say("open: no line can be put in front of this place", "open: 此处之前无法插入语句"),
          request_.options);
    return;
  }
  std::vector<OptionValue> options;
  for (const OptionValue& option : WithPointsInside(request_.options)) {
    if (!option.spec->tf2.empty()) {
      options.push_back(option);
    } else {
      Leave(call, Say("npu_device has no option {}", "npu_device 没有选项 {}", option.spec->name),
            {option});
    }
  }
  if (RefuseDevice(call, options)) return;
  const EditReason reason{
      call.range(), "inject-tensorflow",
      Say("npu_device.open: sets {}", "npu_device.open: 设置 {}", NamesOf(options))};
  const std::string flag =
      spelling_.IsGated(options) ? file_.FreshName("dump_flag", call) : std::string();
  std::vector<std::string> lines;
  bool has_gate = flag.empty();
  bool changed = false;
  for (const OptionValue& option : options) {
    const std::string wanted = spelling_.PlainValue(option, flag);
    const Node found = DeviceOption(call, option);
    const bool is_own = found && BlockOf(EnclosingStatement(found)) == BlockOf(statement);
    if (is_own) {
      has_gate |= wanted == flag;
      UpdateDeviceOption(found, option, flag, reason, changed);
      continue;
    }
    if (found) {
      Leave(found, Say("{} is set under a condition here, which is left as it is",
                       "此处有条件地设置 {}, 保持原样", option.spec->name));
    }
    if (wanted == flag && !has_gate) {
      for (std::string& line : spelling_.GateLines(flag, call)) lines.push_back(std::move(line));
      has_gate = true;
    }
    lines.push_back(DeviceTarget(call) + option.spec->tf2 + " = " + wanted);
  }
  if (!lines.empty()) {
    std::vector<std::string> all = spelling_.FolderLines(options);
    all.insert(all.end(), lines.begin(), lines.end());
    plan_.InsertBefore(statement, all, reason);
  }
  Note(call, "npu_device.open",
       changed || !lines.empty() ? Say("sets {}", "设置 {}", NamesOf(options))
                                 : Say("set already", "已设置"),
       options);
  result_.Set(Points());
}

/// "npu.global_options()." of `npu.open()`.
std::string TensorflowInjector::DeviceTarget(Node call) const {
  return std::string(call.Child(Field::kFunction).Child(Field::kObject).text()) +
         ".global_options().";
}

/// The last assignment to an option in front of `call`, or null.
Node TensorflowInjector::DeviceOption(Node call, const OptionValue& option) const {
  const std::string target = DeviceTarget(call) + option.spec->tf2;
  Node found;
  for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
    if (assignment.Child(Field::kLeft).text() == target &&
        assignment.range().start < call.range().start) {
      found = assignment;
    }
  }
  return found;
}

bool TensorflowInjector::RefuseDevice(Node call, const std::vector<OptionValue>& options) {
  const std::string target = DeviceTarget(call);
  for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
    const std::string_view left = assignment.Child(Field::kLeft).text();
    if (!left.starts_with(target) || assignment.range().start > call.range().start ||
        file_.names().ScopeOf(assignment) != file_.names().ScopeOf(call)) {
      continue;
    }
    const std::string name(left.substr(left.rfind('.') + 1));
    if (BlockOf(EnclosingStatement(assignment)) != BlockOf(EnclosingStatement(call))) {
      ReportOpposite(assignment, assignment.Child(Field::kRight), name, options);
      continue;
    }
    if (RefuseOpposite(assignment.Child(Field::kRight), name, options)) return true;
  }
  return false;
}

void TensorflowInjector::UpdateDeviceOption(Node assignment, const OptionValue& option,
                                            const std::string& flag, const EditReason& reason,
                                            bool& changed) {
  const Node value = assignment.Child(Field::kRight);
  const Node statement = EnclosingStatement(assignment);
  const std::string wanted = spelling_.PlainValue(option, flag);
  const bool is_gated = wanted == flag && !flag.empty();
  if (is_gated && value.text() == flag) {
    UpdateGate(statement, flag, reason, changed);
    return;
  }
  const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
  if (value.text() == wanted || (content && content.text() == option.value)) return;
  if (is_gated) plan_.InsertBefore(statement, spelling_.GateLines(flag, statement), reason);
  plan_.Replace(value.range(), wanted, reason);
  changed = true;
}

}  // namespace transplt
