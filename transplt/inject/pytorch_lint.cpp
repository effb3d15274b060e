// SPDX-License-Identifier: Apache-2.0
// Mistakes in what scripts of PyTorch collect already.
#include <array>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/lint_report.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/inject/tool_constraints.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Two calls of torch.npu of which the second must follow the first.
struct CallPair {
  std::string_view first;
  std::string_view second;
};
constexpr std::array<CallPair, 4> kPairs = {{{"prof_init", "prof_finalize"},
                                             {"prof_start", "prof_stop"},
                                             {"iteration_start", "iteration_end"},
                                             {"init_dump", "finalize_dump"}}};

/// The loop of the same function that `node` runs in again and again, or null.
Node LoopWithBody(Node node) {
  for (Node child = node, up = node.parent(); up; child = up, up = up.parent()) {
    if (up.Is(NodeKind::kFunctionDefinition) || up.Is(NodeKind::kLambda)) return {};
    const bool is_loop = up.Is(NodeKind::kForStatement) || up.Is(NodeKind::kWhileStatement);
    if (is_loop && up.Child(Field::kBody) == child) return up;
  }
  return {};
}

/// "a,b" of `["a", "b"]`, "a" of `"a"`; nothing if it is computed.
std::optional<std::string> ListValue(Node value) {
  if (!value.Is(NodeKind::kList)) return LiteralValue(value);
  std::string text;
  for (const Node item : NamedChildren(value)) {
    const std::optional<std::string> one = LiteralValue(item);
    if (!one) return std::nullopt;
    text += (text.empty() ? "" : ",") + *one;
  }
  return text;
}

class PytorchLinter {
 public:
  PytorchLinter(const InjectFile& file, const OptionTable& table)
      : file_(file), report_("lint-pytorch", "pytorch", table) {}

  FileInjection Lint() {
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      const std::string_view name = file_.CalledName(call);
      if (name == "PrecisionDebugger" && IsDebugger(call)) debuggers_.push_back(call);
      if (name == "set_option" && OfNpu(call, name)) LintSetOption(call);
      if (name == "dumper" && file_.Calls(call, "dumper", {"torch"})) LintDumper(call);
    }
    for (size_t i = 0; i < debuggers_.size(); ++i) LintDebugger(i);
    LintPairs();
    return report_.Take();
  }

 private:
  bool IsDebugger(Node call) const {
    const std::vector<std::string>& packages = Words("debugger-packages").words();
    return file_.Calls(call, "PrecisionDebugger", {packages.begin(), packages.end()});
  }
  bool OfNpu(Node call, std::string_view name) const {
    return file_.Calls(call, name, {"torch", "torch_npu"}) &&
           HasPart(call.Child(Field::kFunction).text(), "npu");
  }
  bool IsMsprobe(Node call) const {
    return file_.Calls(call, "PrecisionDebugger", {"msprobe"}) &&
           !file_.Calls(call, "PrecisionDebugger", {"ptdbg_ascend", "transplt_capture"});
  }

  void LintDebugger(size_t index) {
    const Node call = debuggers_[index];
    const Node loop = LoopWithBody(call);
    if (loop) {
      report_.Report(call, Say("the debugger is made again in each round of the loop at line {}: "
                               "make it once, before the loop",
                               "第 {} 行的循环每次都会重新创建调试对象: 请在循环前创建一次",
                               file_.LineOf(loop)));
    }
    if (index > 0 &&
        BlockOf(EnclosingStatement(debuggers_[index - 1])) == BlockOf(EnclosingStatement(call))) {
      report_.Report(call, Say("a second debugger: there is one in a process, which is that of "
                               "line {}",
                               "重复创建调试对象: 一个进程只有一个, 即第 {} 行的对象",
                               file_.LineOf(debuggers_[index - 1])));
    }
    LintArguments(call);
    LintCalls(call);
  }

  /// What PrecisionDebugger and configure_hook are given.
  void LintArguments(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Handed hook = FindArgument(arguments, "hook_name", 1);
    const std::optional<std::string> name =
        hook.argument == nullptr ? std::nullopt : LiteralValue(hook.argument->value);
    const bool overflow = name && *name == "overflow_check";
    std::vector<LintedOption> options;
    if (IsMsprobe(call)) {
      for (std::string_view option : {"task", "level"}) AddOption(call, arguments, option, options);
      report_.CheckOptions("msprobe", options);
      return;
    }
    if (name && *name != "dump" && !overflow) {
      report_.Report(hook.argument->node,
                     Say("hook_name is dump or overflow_check, not {}",
                         "hook_name 只能是 dump 或 overflow_check, 不能是 {}", *name));
    }
    if (overflow && MayShow(file_, "dynamic-loss-scale")) LintOverflow(call);
    const Handed path = FindArgument(arguments, "dump_path", 0);
    if (path.argument == nullptr && !path.is_hidden) {
      report_.Report(call, Say("dump_path is missing: the debugger has nowhere to write",
                               "缺少 dump_path: 调试对象没有输出路径"));
    }
    for (Node configure : CallsOn(call, "configure_hook")) LintHook(configure, overflow);
  }

  void LintHook(Node call, bool overflow) {
    std::vector<LintedOption> options;
    if (overflow) {
      options.push_back({"dump_path", call, std::nullopt});
      options.push_back({"enable_dump_debug", call, "true"});
    }
    for (const Argument& argument : ArgumentsOf(call)) {
      const std::string name(argument.keyword);
      const bool is_known = name == "mode" || name == "scope" || name == "acl_config" ||
                            name == "backward_input" || name == "overflow_nums" ||
                            name == "api_list";
      if (is_known) options.push_back({name, argument.node, ListValue(argument.value)});
    }
    report_.CheckOptions("ptdbg", options);
  }

  /// amp.initialize reads OVERFLOW_DEBUG_MODE_ENABLE, which comes with the debugger.
  void LintOverflow(Node call) {
    for (Node other : file_.NodesOf(NodeKind::kCall)) {
      if (other.range().start > call.range().start) return;
      const bool earlier = file_.CalledName(other) == "initialize" &&
                           file_.Calls(other, "initialize", {"apex"}) &&
                           file_.names().ScopeOf(other) == file_.names().ScopeOf(call);
      if (!earlier) continue;
      report_.Report(call, Say("overflow_check starts behind amp.initialize of line {}: make the "
                               "debugger before it, with OVERFLOW_DEBUG_MODE_ENABLE=1",
                               "overflow_check 位于第 {} 行的 amp.initialize 之后: 请在其之前创建"
                               "调试对象, 并设置 OVERFLOW_DEBUG_MODE_ENABLE=1",
                               file_.LineOf(other)));
      return;
    }
  }

  static void AddOption(Node call, const std::vector<Argument>& arguments, std::string_view name,
                        std::vector<LintedOption>& options) {
    const Argument* argument = FindKeyword(arguments, name);
    if (argument == nullptr || argument->value.Is(NodeKind::kNone)) return;
    options.push_back(
        {std::string(name), argument->node ? argument->node : call, LiteralValue(argument->value)});
  }

  /// The calls of a method of what `made` makes, or of the class itself.
  std::vector<Node> CallsOn(Node made, std::string_view method) const {
    const Node variable = made.parent().Child(Field::kLeft);
    std::vector<Node> calls;
    for (Node call : file_.NodesOf(NodeKind::kCall)) {
      const Node callee = call.Child(Field::kFunction);
      if (!callee.Is(NodeKind::kAttribute)) continue;
      const std::string_view object = callee.Child(Field::kObject).text();
      const bool is_it = object == "PrecisionDebugger" || (variable && object == variable.text());
      if (is_it && callee.Child(Field::kAttribute).text() == method) calls.push_back(call);
    }
    return calls;
  }

  /// start, stop and step: each needs the others.
  void LintCalls(Node made) {
    const Node assignment = made.parent();
    const Node variable = assignment.Child(Field::kLeft);
    const bool is_own = assignment.Is(NodeKind::kAssignment) && variable.Is(NodeKind::kIdentifier);
    if (!is_own || IsHandedOn(variable)) return;
    const bool starts = !CallsOn(made, "start").empty();
    const bool stops = !CallsOn(made, "stop").empty();
    if (!starts) {
      report_.Report(made, Say("{} is never started: it collects nothing",
                               "{} 从未调用 start(): 不会采集数据", variable.text()));
    } else if (!stops) {
      report_.Report(
          made, Say("{} is started and never stopped: call stop() at the end of a step",
                    "{} 调用了 start() 但没有 stop(): 请在每步结束时调用 stop()", variable.text()));
    } else if (CallsOn(made, "step").empty()) {
      report_.Report(made, Say("{} never calls step(): everything counts as the first step",
                               "{} 从未调用 step(): 所有数据都会算作第一步", variable.text()));
    }
  }

  /// True if something else than the calls of its methods may use the variable.
  bool IsHandedOn(Node variable) const {
    for (const Node use : NodesIn(file_.tree())) {
      if (!use.Is(NodeKind::kIdentifier) || use == variable || use.text() != variable.text()) {
        continue;
      }
      const bool is_object =
          use.parent().Is(NodeKind::kAttribute) && use.parent().Child(Field::kObject) == use;
      if (!is_object) return true;
    }
    return false;
  }

  void LintDumper(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    std::vector<LintedOption> options;
    bool loads = false;
    bool dumps = false;
    for (const Argument& argument : arguments) {
      const std::string_view name = argument.keyword;
      const bool is_on = argument.value.Is(NodeKind::kTrue);
      loads |= name == "use_load" && is_on;
      dumps |= name == "use_dump" && is_on;
      if (name == "check_overflow" && is_on) {
        options.push_back({"enable_dump_debug", argument.node, "true"});
      } else if (name == "load_with_acl_dump" || name == "dump_path" || name == "load_file_path") {
        const std::optional<std::string> value = LiteralValue(argument.value);
        if (!value || !value->empty()) options.push_back({std::string(name), argument.node, value});
      }
    }
    if (loads && dumps) {
      report_.Report(call, Say("use_dump and use_load exclude each other: leave one of them out",
                               "use_dump 与 use_load 互斥: 请去掉其中一个"));
    }
    if (loads && FindKeyword(arguments, "load_file_path") == nullptr) {
      report_.Report(call, Say("use_load needs load_file_path", "use_load 需要 load_file_path"));
    }
    report_.CheckOptions("dumper", options);
    report_.CheckConstraints(file_, "dumper", options, call);
  }

  void LintSetOption(Node call) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() != 1 || !arguments[0].value.Is(NodeKind::kDictionary)) return;
    std::vector<LintedOption> options;
    const Node dictionary = arguments[0].value;
    for (const Node pair : NamedChildren(dictionary)) {
      if (!pair.Is(NodeKind::kPair)) return;
      const std::optional<std::string> key = LiteralValue(pair.Child(Field::kKey));
      // There are more options than the guide's.
      if (!key || !key->starts_with("ACL_OP")) continue;
      options.push_back({*key, pair, LiteralValue(pair.Child(Field::kValue))});
    }
    report_.CheckTogether("set-option", options);
  }

  /// What is begun must be ended, or nothing is written.
  void LintPairs() {
    const auto find = [&](std::string_view name) -> Node {
      for (Node call : file_.NodesOf(NodeKind::kCall)) {
        if (file_.CalledName(call) == name && OfNpu(call, name)) return call;
      }
      return {};
    };
    for (const CallPair& pair : kPairs) {
      const Node first = find(pair.first);
      if (first && !find(pair.second)) {
        report_.Report(first, Say("{} without {}: what it begins is never ended",
                                  "{} 之后没有 {}: 采集不会结束", pair.first, pair.second));
      }
    }
    if (const Node tuning = find("set_aoe")) {
      report_.CheckConstraints(file_, "aoe", {}, tuning);
    }
  }

  const InjectFile& file_;
  LintReport report_;
  std::vector<Node> debuggers_;
};

}  // namespace

FileInjection LintPytorch(const InjectFile& file, const OptionTable& table) {
  return PytorchLinter(file, table).Lint();
}

}  // namespace transplt
