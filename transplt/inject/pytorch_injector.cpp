// SPDX-License-Identifier: Apache-2.0
// PyTorch: the calls of a tool around the training step.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transplt/engine/statement.h"
#include "transplt/inject/edit_plan.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/pytorch_backward.h"
#include "transplt/inject/pytorch_steps.h"
#include "transplt/inject/step_list.h"

namespace transplt {
namespace {

constexpr std::string_view kRule = "inject-pytorch";

/// The lines of a tool, by the place where they go.
struct ToolLines {
  std::vector<std::string> module;  ///< behind the import of torch
  std::vector<std::string> before_loop;
  std::vector<std::string> start;  ///< of a step
  std::vector<std::string> end;    ///< of a step
  std::vector<std::string> after_loop;
  bool before_update = false;  ///< `end` goes in front of the optimizer
  bool needs_step = true;
};

/// Writes the lines of the tools.
class ToolWriter {
 public:
  ToolWriter(const InjectRequest& request, const EditPlan& plan) : request_(request), plan_(plan) {}

  ToolLines Write() {
    const std::string_view tool = request_.tool;
    if (tool == "msprobe") return Msprobe();
    if (tool == "ptdbg") return Debugger("ptdbg_ascend");
    if (tool == "capture") return Debugger("transplt_capture");
    if (tool == "dumper") return Dumper();
    if (tool == "init-dump") return InitDump();
    if (tool == "autograd-profile") return AutogradProfile();
    if (tool == "npu-profile") return NpuProfile();
    if (tool == "prof") return Prof();
    if (tool == "op-list") return OperatorList();
    if (tool == "aoe") return Aoe();
    if (tool == "set-option") return SetOption();
    return ModuleHooks();
  }

 private:
  const OptionValue* Find(std::string_view name) const { return request_.Find(name); }
  bool IsOn(std::string_view name) const {
    const OptionValue* option = Find(name);
    return option != nullptr && option->IsTrue();
  }
  std::string Text(std::string_view name) const {
    const OptionValue* option = Find(name);
    return option == nullptr ? std::string() : option->value;
  }
  std::string Quoted(std::string_view name) const { return plan_.Quoted(Text(name)); }

  /// `["a", "b"]` of "a,b".
  std::string QuotedList(std::string_view name) const {
    std::string list;
    std::string_view rest = Find(name)->value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      list += (list.empty() ? "" : ", ") + plan_.Quoted(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return "[" + list + "]";
  }

  std::string Steps() const {
    const OptionValue* steps = Find("dump_step");
    return steps == nullptr ? std::string() : ", step=" + StepList(steps->value);
  }

  /// Lines that run on the wanted ranks only.
  std::vector<std::string> OnRanks(const std::vector<std::string>& lines) const {
    if (request_.ranks.empty()) return lines;
    std::string ranks;
    for (int rank : request_.ranks) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    const std::string rank =
        fmt::format("int(os.getenv({}, {}))", plan_.Quoted("RANK"), plan_.Quoted("0"));
    std::vector<std::string> gated = {request_.ranks.size() == 1
                                          ? fmt::format("if {} == {}:", rank, ranks)
                                          : fmt::format("if {} in ({}):", rank, ranks)};
    for (const std::string& line : lines) gated.push_back("    " + line);
    return gated;
  }

  void StartAndStop(ToolLines& lines) const {
    if (!request_.ranks.empty()) lines.module.insert(lines.module.begin(), "import os");
    lines.start = OnRanks({"debugger.start()"});
    lines.end = OnRanks({"debugger.stop()", "debugger.step()"});
  }

  ToolLines Msprobe() const {
    ToolLines lines;
    std::string arguments;
    const auto add = [&](std::string_view keyword, const std::string& value) {
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", keyword, value);
    };
    if (Find("config_path") != nullptr) add("config_path", Quoted("config_path"));
    if (Find("task") != nullptr) add("task", Quoted("task"));
    if (Find("dump_path") != nullptr) add("dump_path", Quoted("dump_path"));
    if (Find("level") != nullptr) add("level", Quoted("level"));
    if (Find("dump_step") != nullptr) add("step", StepList(Text("dump_step")));
    lines.module = {"from msprobe.pytorch import PrecisionDebugger",
                    "debugger = PrecisionDebugger(" + arguments + ")"};
    StartAndStop(lines);
    return lines;
  }

  /// ptdbg_ascend, and what has the same interface.
  ToolLines Debugger(std::string_view package) const {
    ToolLines lines;
    const bool overflow = IsOn("enable_dump_debug");
    lines.module = {fmt::format("from {} import PrecisionDebugger", package),
                    fmt::format("debugger = PrecisionDebugger(dump_path={}, hook_name={}{})",
                                Quoted("dump_path"),
                                plan_.Quoted(overflow ? "overflow_check" : "dump"), Steps())};
    std::string arguments;
    const auto add = [&](std::string_view keyword, const std::string& value) {
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", keyword, value);
    };
    if (Find("mode") != nullptr) add("mode", Quoted("mode"));
    if (Find("scope") != nullptr) add("scope", QuotedList("scope"));
    if (Find("api_list") != nullptr) add("api_list", QuotedList("api_list"));
    if (Find("acl_config") != nullptr) add("acl_config", Quoted("acl_config"));
    if (Find("backward_input") != nullptr) add("backward_input", QuotedList("backward_input"));
    if (Find("dump_mode") != nullptr) add("input_output_mode", "[" + Quoted("dump_mode") + "]");
    if (Find("overflow_nums") != nullptr) {
      add("overflow_nums", Text("overflow_nums"));
    } else if (overflow && Find("mode") == nullptr) {
      add("overflow_nums", "-1");
    }
    if (!arguments.empty()) lines.module.push_back("debugger.configure_hook(" + arguments + ")");
    if (overflow) {
      // With a dynamic loss scale apex would hide the overflow; read when amp is initialized.
      lines.module.insert(
          lines.module.begin(),
          fmt::format("os.environ[{}] = {}", plan_.Quoted("OVERFLOW_DEBUG_MODE_ENABLE"),
                      plan_.Quoted("1")));
      lines.module.insert(lines.module.begin(), "import os");
    }
    StartAndStop(lines);
    if (overflow && !request_.ranks.empty()) lines.module.erase(lines.module.begin());
    return lines;
  }

  /// The context of one step, opened and closed by lines of their own: the step keeps its
  /// indentation.
  ToolLines OneStep(std::string_view name, const std::string& context, std::string_view as) const {
    ToolLines lines;
    lines.module = {"import contextlib"};
    const std::string enter = fmt::format("{}.enter_context({})", name, context);
    lines.start = {fmt::format("{} = contextlib.ExitStack()", name),
                   as.empty() ? enter : fmt::format("{} = {}", as, enter)};
    lines.end = {fmt::format("{}.close()", name)};
    return lines;
  }

  ToolLines Dumper() const {
    std::string arguments;
    if (IsOn("load_with_acl_dump")) {
      arguments = fmt::format(
          "use_load=True, dump_path={}, load_file_path={}, "
          "load_with_acl_dump=True",
          Quoted("dump_path"), Quoted("load_file_path"));
    } else if (IsOn("enable_dump_debug")) {
      arguments = fmt::format("check_overflow=True, dump_path={}, load_file_path={}",
                              Quoted("dump_path"), plan_.Quoted(Text("load_file_path")));
    } else if (Find("load_file_path") != nullptr) {
      arguments = fmt::format("use_dump=True, load_file_path={}, dump_path={}",
                              Quoted("load_file_path"), Quoted("dump_path"));
    } else {
      arguments = fmt::format("use_dump=True, dump_path={}", Quoted("dump_path"));
    }
    ToolLines lines = OneStep("npu_dumper", "torch.utils.dumper(" + arguments + ")", "");
    lines.end.emplace_back("raise SystemExit(0)");
    lines.before_update = true;
    return lines;
  }

  ToolLines InitDump() const {
    ToolLines lines;
    lines.before_loop = {"torch.npu.init_dump()",
                         "torch.npu.set_dump(" + Quoted("dump_config") + ")"};
    lines.after_loop = {"torch.npu.finalize_dump()"};
    return lines;
  }

  ToolLines AutogradProfile() const {
    std::string arguments = "use_npu=True";
    for (std::string_view name : {"record_shapes", "profile_memory", "use_npu_simple"}) {
      if (IsOn(name)) arguments += fmt::format(", {}=True", name);
    }
    ToolLines lines =
        OneStep("npu_profiler", "torch.autograd.profiler.profile(" + arguments + ")", "npu_prof");
    lines.end.emplace_back("print(npu_prof)");
    lines.end.push_back("npu_prof.export_chrome_trace(" + Quoted("output_path") + ")");
    lines.end.emplace_back("raise SystemExit(0)");
    return lines;
  }

  ToolLines NpuProfile() const {
    ToolLines lines =
        OneStep("npu_profiler", "torch.npu.profile(" + Quoted("profiler_result_path") + ")", "");
    lines.end.emplace_back("raise SystemExit(0)");
    return lines;
  }

  ToolLines Prof() const {
    ToolLines lines;
    const std::string first = Text("start_step");
    const std::string last = Text("stop_step");
    lines.module = {"import itertools", "npu_steps = itertools.count()"};
    lines.start = {"npu_step = next(npu_steps)",
                   "if npu_step == " + first + ":",
                   "    torch.npu.prof_init(" + Quoted("profiler_result_path") + ")",
                   "    torch.npu.prof_start()",
                   "if " + first + " <= npu_step <= " + last + ":",
                   "    torch.npu.iteration_start()"};
    lines.end = {"if " + first + " <= npu_step <= " + last + ":", "    torch.npu.iteration_end()",
                 "if npu_step == " + last + ":", "    torch.npu.prof_stop()",
                 "    torch.npu.prof_finalize()"};
    return lines;
  }

  ToolLines OperatorList() const {
    ToolLines lines = OneStep("op_profiler", "torch.autograd.profiler.profile()", "op_prof");
    lines.end.push_back(
        "print(op_prof.key_averages().table(sort_by=" + plan_.Quoted("self_cpu_time_total") + "))");
    lines.end.emplace_back("raise SystemExit(0)");
    return lines;
  }

  ToolLines Aoe() const {
    ToolLines lines;
    lines.before_loop = {"torch.npu.set_aoe(" + Quoted("dump_path") + ")"};
    lines.end = {"raise SystemExit(0)"};
    return lines;
  }

  ToolLines SetOption() const {
    ToolLines lines;
    std::string members;
    for (const OptionValue& option : request_.options) {
      members += fmt::format("{}{}: {}", members.empty() ? "" : ", ",
                             plan_.Quoted(option.spec->name), plan_.Quoted(option.value));
    }
    lines.module = {"torch.npu.set_option({" + members + "})"};
    lines.needs_step = false;
    return lines;
  }

  ToolLines ModuleHooks() const {
    ToolLines lines;
    const std::string model = Text("model");
    lines.module = {"def npu_hook(name):", "    def print_values(module, inputs, outputs):",
                    "        print(name + " + plan_.Quoted(" inputs") + ", inputs)",
                    "        print(name + " + plan_.Quoted(" outputs") + ", outputs)",
                    "    return print_values"};
    const std::string mark = plan_.Quoted("npu_is_hooked");
    lines.before_loop = {
        fmt::format("if not getattr({}, {}, False):", model, mark),
        fmt::format("    for npu_name, npu_module in {}.named_modules():", model),
        fmt::format("        npu_module.register_forward_hook(npu_hook({} + npu_name))",
                    plan_.Quoted("[forward]: ")),
        fmt::format("        npu_module.register_full_backward_hook(npu_hook({} + npu_name))",
                    plan_.Quoted("[backward]: ")),
        fmt::format("    {}.npu_is_hooked = True", model)};
    return lines;
  }

  const InjectRequest& request_;
  const EditPlan& plan_;
};

class Injector {
 public:
  Injector(const InjectFile& file, const InjectRequest& request)
      : file_(file), request_(request), plan_(file.tree(), request.tool) {}

  FileInjection Inject() {
    const Node torch = TorchImport(file_);
    if (!torch) return {};
    const BackwardPasses passes = FindBackwardPasses(file_);
    const std::vector<TrainingStep> steps = FindTrainingSteps(file_, passes.calls);
    plan_.ImportBehind(torch);
    const ToolLines lines = ToolWriter(request_, plan_).Write();
    bool done = false;
    for (const TrainingStep& step : steps) done |= Surround(step, lines);
    for (Node call : passes.out_of_sight) {
      Leave(call,
            Say("backward() runs in a function that nothing in this file is seen to call: "
                "if the step that calls it elsewhere has not got the lines of {}, put them "
                "around it",
                "backward() 位于本文件中未见调用的函数内: 若其他文件中调用它的训练步骤未插入 {} "
                "的语句, 请手工在该步骤前后插入",
                request_.tool));
    }
    if (!lines.needs_step && !steps.empty()) {
      done = true;
      Note(torch, Say("sets {}", "设置 {}", "torch.npu.set_option"));
    }
    if (!done) return std::move(result_);
    if (!file_.Binds("torch")) plan_.Import("import torch");
    for (const std::string& line : lines.module) plan_.Define(line);
    Warn(torch);
    for (Finding& finding : plan_.Findings()) result_.findings.push_back(std::move(finding));
    return std::move(result_);
  }

 private:
  bool Surround(const TrainingStep& step, const ToolLines& lines) {
    if (!lines.needs_step) return false;
    const EditReason reason{
        step.backward.range(), std::string(kRule),
        Say("{} around the training step", "在训练步骤前后调用 {}", request_.tool)};
    const Node last = lines.before_update ? step.gradients : step.last;
    const Node outer = step.outer_loop ? step.outer_loop : step.first;
    const bool fits = step.first && EditPlan::CanInsertBefore(step.first) &&
                      EditPlan::CanInsertBefore(last) && EditPlan::CanInsertBefore(outer) &&
                      !Returns(last);
    if (!fits) {
      Leave(step.backward, Say("no line can be put around this training step: it shares its line, "
                               "or ends with return",
                               "无法在该训练步骤前后插入语句: 与其他语句同行或以 return 结束"));
      return false;
    }
    if (!lines.before_loop.empty()) plan_.InsertBefore(outer, lines.before_loop, reason);
    if (!lines.start.empty()) plan_.InsertBefore(step.first, lines.start, reason);
    if (!lines.end.empty()) plan_.InsertAfter(last, lines.end, reason);
    if (!lines.after_loop.empty()) {
      plan_.InsertAfter(step.outer_loop ? step.outer_loop : step.last, lines.after_loop, reason);
    }
    Note(step.backward,
         Say("{} around the step that begins at line {}", "在第 {1} 行开始的步骤前后调用 {0}",
             request_.tool, file_.LineOf(step.first)));
    return true;
  }

  static bool Returns(Node statement) { return statement.Is(NodeKind::kReturnStatement); }

  /// What the tool does not see, or does besides.
  void Warn(Node torch) {
    // capture sees functions by whatever name they are called, and outermost calls only.
    const bool hooks_functions = request_.tool == "msprobe" || request_.tool == "ptdbg";
    if (hooks_functions) {
      for (Node import : FunctionsImportedByName(file_)) {
        Leave(import, Say("functions that are imported by name are not seen by {}: write "
                          "torch.NAME where they are used",
                          "{} 无法感知按名称导入的函数: 请在使用处写 torch.NAME", request_.tool));
      }
    }
    const OptionValue* mode = request_.Find("mode");
    if (request_.tool == "ptdbg" && mode != nullptr && mode->value == "acl") {
      Leave(torch, Say("mode acl needs more memory of the NPU, and fails for functions that call "
                       "each other, such as functional.batch_norm and torch.batch_norm",
                       "acl 模式会增加 NPU 内存消耗, 且对相互嵌套的 API (如 functional.batch_norm "
                       "与 torch.batch_norm) 会失败"));
    }
  }

  void Leave(Node node, Text why) {
    Finding finding;
    finding.range = node.range();
    finding.rule_id = kRule;
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = std::move(why);
    result_.findings.push_back(std::move(finding));
  }

  void Note(Node node, Text state) {
    result_.sites.push_back({node.range(), std::string(request_.tool), std::move(state)});
  }

  const InjectFile& file_;
  const InjectRequest& request_;
  EditPlan plan_;
  FileInjection result_;
};

}  // namespace

FileInjection InjectPytorch(const InjectFile& file, const InjectRequest& request) {
  return Injector(file, request).Inject();
}

}  // namespace transplt
