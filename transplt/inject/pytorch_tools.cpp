// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/pytorch_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "transplt/inject/step_list.h"
#include "transplt/inject/tool_constraints.h"

namespace transplt {
namespace {

/// Writes the lines of the tools.
class ToolWriter {
 public:
  ToolWriter(const InjectFile& file, const InjectRequest& request, const EditPlan& plan)
      : file_(file), request_(request), plan_(plan) {}

  ToolLines Write() {
    const std::string_view tool = request_.tool;
    if (tool == "msprobe") return Msprobe();
    if (tool == "ptdbg") return Debugger("ptdbg_ascend");
    if (tool == "capture") return Debugger("transplt_capture");
    if (tool == "dumper") return Dumper();
    if (tool == "init-dump") return InitDump();
    if (tool == "torch-npu-profiler") return TorchNpuProfiler();
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
    lines.is_debugger = true;
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
    const bool hides_overflow = overflow && MayShow(file_, "dynamic-loss-scale");
    if (hides_overflow) {
      // With a dynamic loss scale apex would hide the overflow; read when amp is initialized. CANN
      // that does not know the variable fails with EZ3003, so that it is set only then.
      lines.module.insert(
          lines.module.begin(),
          fmt::format("os.environ[{}] = {}", plan_.Quoted("OVERFLOW_DEBUG_MODE_ENABLE"),
                      plan_.Quoted("1")));
      lines.module.insert(lines.module.begin(), "import os");
    }
    StartAndStop(lines);
    if (hides_overflow && !request_.ranks.empty()) lines.module.erase(lines.module.begin());
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

  /// The profiler of torch_npu from 5.0.rc2 on: it counts steps, and its schedule keeps some.
  ToolLines TorchNpuProfiler() const {
    const auto number = [this](std::string_view name, int64_t otherwise) {
      return Find(name) == nullptr ? otherwise : static_cast<int64_t>(std::stoll(Text(name)));
    };
    const int64_t first = number("start_step", 10);
    const int64_t last = std::max(number("stop_step", first), first);
    const int64_t warmup = std::min<int64_t>(first, 1);
    std::string arguments = fmt::format(
        "schedule=torch_npu.profiler.schedule(wait=0, warmup={}, active={}, repeat=1, "
        "skip_first={}), on_trace_ready=torch_npu.profiler.tensorboard_trace_handler({})",
        warmup, last - first + 1, first - warmup, Quoted("profiler_result_path"));
    for (std::string_view name : {"record_shapes", "profile_memory", "with_stack"}) {
      if (IsOn(name)) arguments += fmt::format(", {}=True", name);
    }
    std::string experimental;
    if (Find("profiler_level") != nullptr) {
      experimental += "profiler_level=torch_npu.profiler.ProfilerLevel." + Text("profiler_level");
    }
    if (Find("aic_metrics") != nullptr) {
      experimental += fmt::format("{}aic_metrics=torch_npu.profiler.AiCMetrics.{}",
                                  experimental.empty() ? "" : ", ", Text("aic_metrics"));
    }
    if (!experimental.empty()) {
      arguments +=
          ", experimental_config=torch_npu.profiler._ExperimentalConfig(" + experimental + ")";
    }
    ToolLines lines;
    lines.module = {"import torch_npu"};
    lines.before_loop = {"npu_prof = torch_npu.profiler.profile(" + arguments + ")",
                         "npu_prof.start()"};
    lines.end = {"npu_prof.step()"};
    lines.after_loop = {"npu_prof.stop()"};
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

  /// `torch.npu.profileConfig(ACL_PROF_L2CACHE=True)`: which data CANN collects; empty for those
  /// that it collects by itself.
  std::string ProfileConfig() const {
    std::string arguments;
    for (const OptionValue& option : request_.options) {
      const std::string& name = option.spec->profiling_config;
      if (name.empty()) continue;
      const bool is_switch = option.spec->type == OptionType::kBool;
      const std::string value = is_switch ? (option.IsTrue() ? "True" : "False") : option.value;
      arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", name, value);
    }
    return arguments.empty() ? "" : "torch.npu.profileConfig(" + arguments + ")";
  }

  ToolLines NpuProfile() const {
    const std::string config = ProfileConfig();
    ToolLines lines =
        OneStep("npu_profiler",
                fmt::format("torch.npu.profile({}{}{})", Quoted("profiler_result_path"),
                            config.empty() ? "" : ", config=", config),
                "");
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
                   "    torch.npu.prof_start(" + ProfileConfig() + ")",
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
      if (option.spec->tools.size() > 1) continue;  // it says what the machine has
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
    // The gradients come from hooks of tensors: those of modules make views of what goes in and
    // out, which activations that work in place may not change.
    lines.module = {"def npu_tensors(values):",
                    "    if hasattr(values, " + plan_.Quoted("register_hook") + "):",
                    "        return [values]",
                    "    if isinstance(values, dict):",
                    "        values = list(values.values())",
                    "    if not isinstance(values, (list, tuple)):",
                    "        return []",
                    "    return [tensor for value in values for tensor in npu_tensors(value)]",
                    "def npu_hook(name):",
                    "    def print_values(module, *values):",
                    "        what = " + plan_.Quoted(" inputs") + " if len(values) == 1 else " +
                        plan_.Quoted(" outputs"),
                    "        print(" + plan_.Quoted("[forward]: ") + " + name + what, values[-1])",
                    "        for tensor in npu_tensors(values[-1]):",
                    "            if tensor.grad_fn is not None:",
                    "                tensor.register_hook(lambda grad: print(" +
                        plan_.Quoted("[backward]: ") + " + name + what, grad))",
                    "    return print_values"};
    const std::string mark = plan_.Quoted("npu_is_hooked");
    lines.before_loop = {fmt::format("if not getattr({}, {}, False):", model, mark),
                         fmt::format("    for npu_name, npu_module in {}.named_modules():", model),
                         "        npu_module.register_forward_pre_hook(npu_hook(npu_name))",
                         "        npu_module.register_forward_hook(npu_hook(npu_name))",
                         fmt::format("    {}.npu_is_hooked = True", model)};
    return lines;
  }

  const InjectFile& file_;
  const InjectRequest& request_;
  const EditPlan& plan_;
};

}  // namespace

ToolLines WriteToolLines(const InjectFile& file, const InjectRequest& request,
                         const EditPlan& plan) {
  return ToolWriter(file, request, plan).Write();
}

}  // namespace transplt
