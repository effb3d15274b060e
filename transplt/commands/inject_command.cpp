// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "transplt/base/similar_name.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/injection_run.h"
#include "transplt/inject/option_list.h"
#include "transplt/report/change_list_csv.h"
#include "transplt/report/terminal_summary.h"
#include "transplt/report/totals.h"

namespace transplt {
namespace {

constexpr const char* kDescription =
    "put dump, overflow, profiling and precision options into training scripts\n\n"
    "What is put in stands between the comments `# transplt-inject: begin` and `end`; a line that "
    "is changed is kept in front of it, behind `# transplt-inject: replaced` and `#|`. These "
    "comments are all that --remove needs, and all it needs: leave them as they are.";

/// The values of the options, as written.
struct InjectArguments {
  std::string input;
  std::string output;
  std::string framework = "auto";
  std::string tool;
  std::optional<std::string> dump_path;
  std::optional<std::string> dump_step;
  std::optional<std::string> dump_mode;
  std::optional<std::string> torch_version;
  std::optional<std::string> dump_layer;
  std::optional<std::string> dump_debug_mode;
  std::optional<std::string> profiling_options;
  std::optional<std::string> fp_point;
  std::optional<std::string> bp_point;
  std::optional<std::string> ranks;
  std::vector<std::string> set;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  int jobs = 0;
  bool overflow = false;
  bool profiling = false;
  bool in_place = false;
  bool force = false;
  bool remove = false;
  bool list = false;
  bool lint = false;
  bool list_options = false;
  bool replace = false;
  bool make_folders = false;
  bool initialize_system = false;
};

/// What the user wants, as NAME=VALUE of the vendor's names.
Result<std::vector<WrittenOption>> WrittenOptions(const InjectArguments& arguments) {
  std::vector<WrittenOption> written;
  const auto add = [&](std::string_view name, const std::optional<std::string>& value,
                       std::string_view origin) {
    if (!value) return;
    const std::string_view shown = value->empty() ? "\"\"" : std::string_view(*value);
    written.push_back({std::string(name), *value, fmt::format("{} {}", origin, shown)});
  };
  add("dump_path", arguments.dump_path, "--dump-path");
  add("dump_step", arguments.dump_step, "--dump-step");
  add("dump_mode", arguments.dump_mode, "--dump-mode");
  add("torch_version", arguments.torch_version, "--torch-version");
  add("dump_layer", arguments.dump_layer, "--dump-layer");
  add("dump_debug_mode", arguments.dump_debug_mode, "--dump-debug-mode");
  add("profiling_options", arguments.profiling_options, "--profiling-options");
  add("fp_point", arguments.fp_point, "--fp-point");
  add("bp_point", arguments.bp_point, "--bp-point");
  if (arguments.overflow) written.push_back({"enable_dump_debug", "true", "--overflow"});
  if (arguments.profiling) written.push_back({"profiling_mode", "true", "--profiling"});
  for (const std::string& one : arguments.set) {
    const size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Error::Code::kUsage, "--set " + one,
                   Say("give NAME=VALUE", "请写成 NAME=VALUE")};
    }
    written.push_back({one.substr(0, equals), one.substr(equals + 1), "--set"});
  }
  return written;
}

std::optional<Text> InjectContradiction(const InjectArguments& arguments) {
  if (arguments.in_place && !arguments.output.empty()) {
    return Say("--in-place and -o exclude each other: give one of them",
               "--in-place 与 -o 互斥: 请只给出一个");
  }
  if (arguments.remove + arguments.list + arguments.lint > 1) {
    return Say("--remove, --list and --lint exclude each other: give one of them",
               "--remove, --list 与 --lint 互斥: 请只给出一个");
  }
  if ((arguments.list || arguments.lint) && (arguments.in_place || !arguments.output.empty())) {
    return Say("--list and --lint write nothing: leave out -o and --in-place",
               "--list 与 --lint 不写任何文件: 请去掉 -o 与 --in-place");
  }
  return std::nullopt;
}

/// An option that would be ignored.
std::optional<Error> WithoutMeaning(const InjectArguments& arguments,
                                    const InjectFramework& framework, std::string_view tool) {
  const auto& with_ranks = framework.tools_with_ranks;
  if (arguments.ranks &&
      std::find(with_ranks.begin(), with_ranks.end(), tool) == with_ranks.end()) {
    // What MindSpore dumps, and where, is in a file of its own.
    if (with_ranks.empty()) {
      return Error{Error::Code::kUsage, "--rank " + *arguments.ranks,
                   Say("--tool {} cannot be kept to some ranks; a dump names its devices in its "
                       "file: transplt generate mindspore-dump --support-device {}",
                       "--tool {} 不能只用于部分 rank; dump 的设备在其配置文件中指定: transplt "
                       "generate mindspore-dump --support-device {}",
                       tool, *arguments.ranks)};
    }
    return Error{Error::Code::kUsage, "--rank " + *arguments.ranks,
                 Say("--tool {} cannot be kept to some ranks; those that can: {}",
                     "--tool {} 不能只用于部分 rank; 可以的有: {}", tool,
                     fmt::format("{}", fmt::join(with_ranks, ", ")))};
  }
  const std::array<std::pair<std::string_view, bool>, 3> switches = {
      {{"--replace", arguments.replace},
       {"--make-folder", arguments.make_folders},
       {"--initialize-system", arguments.initialize_system}}};
  for (const auto& [name, is_given] : switches) {
    if (!is_given || framework.has_session_switches) continue;
    return Error{Error::Code::kUsage, std::string(name),
                 Say("is for scripts of tensorflow, not of {}", "仅用于 tensorflow 脚本, 不用于 {}",
                     framework.name)};
  }
  return std::nullopt;
}

Text NothingToInject(const OptionTable& table, const InjectFramework& framework,
                     std::string_view tool) {
  if (framework.has_session_switches) {
    return Say(
        "nothing to inject: give --dump-path, --overflow, --profiling or --set NAME=VALUE; "
        "inject-dump-config --options --framework {} lists the names",
        "没有要注入的内容: 请给出 --dump-path, --overflow, --profiling 或 --set NAME=VALUE; "
        "选项名见 inject-dump-config --options --framework {}",
        framework.name);
  }
  const std::string names = fmt::format("{}", fmt::join(table.Names(framework.name, tool), ", "));
  return Say("nothing to inject: give --set with one of {}",
             "没有要注入的内容: 请用 --set 给出其中之一: {}", names);
}

/// `table` must outlive the request.
Result<InjectRequest> RequestOf(const InjectArguments& arguments, const InjectFramework& framework,
                                const OptionTable& table) {
  InjectRequest request;
  request.tool = framework.tools.front();
  if (!arguments.tool.empty()) {
    const auto tool = std::find(framework.tools.begin(), framework.tools.end(), arguments.tool);
    if (tool == framework.tools.end()) {
      const Text known = SuggestName(arguments.tool, framework.tools, Say("there are", "可用的有"));
      const Text text = Say("{} has no such tool", "{} 没有该工具", framework.name);
      return Error{Error::Code::kUsage,
                   "--tool " + arguments.tool,
                   {text.en + known.en, text.zh + known.zh}};
    }
    request.tool = *tool;
  }
  if (arguments.remove || arguments.lint) return request;
  if (std::optional<Error> error = WithoutMeaning(arguments, framework, request.tool)) {
    return *std::move(error);
  }
  Result<std::vector<WrittenOption>> written = WrittenOptions(arguments);
  if (!written) return written.error();
  Result<std::vector<OptionValue>> options =
      CheckOptions(table, framework.name, request.tool, *written);
  if (!options) return options.error();
  request.options = *std::move(options);
  if (arguments.ranks) {
    Result<std::vector<int>> ranks = ParseRanks(*arguments.ranks);
    if (!ranks) return ranks.error();
    request.ranks = *std::move(ranks);
  }
  request.replace_opposite = arguments.replace;
  request.make_folders = arguments.make_folders;
  request.initialize_system = arguments.initialize_system;
  const bool needs_options = request.tool != "op-list" && !request.initialize_system;
  if (needs_options && request.options.empty()) {
    return Error{Error::Code::kUsage, "", NothingToInject(table, framework, request.tool)};
  }
  return request;
}

/// What --framework names; or the one that has the --tool; TensorFlow otherwise.
const InjectFramework* FrameworkToInject(const InjectArguments& arguments) {
  if (arguments.framework != "auto") return FindInjectFramework(arguments.framework);
  for (const InjectFramework& framework : InjectFrameworks()) {
    const auto& tools = framework.tools;
    if (std::find(tools.begin(), tools.end(), arguments.tool) != tools.end()) return &framework;
  }
  return DetectInjectFramework(arguments.input);
}

void PrintSites(const InjectionResult& result, Language language) {
  for (const FileSites& file : result.sites) {
    for (size_t i = 0; i < file.sites.size(); ++i) {
      PrintOut(fmt::format("{}:{}:{}: {}: {}\n", file.file, file.places[i].line,
                           file.places[i].column, file.sites[i].kind,
                           file.sites[i].state.In(language)));
    }
  }
}

std::string SummaryOf(const InjectionResult& result, Language language) {
  size_t sites = 0;
  for (const FileSites& file : result.sites) sites += file.sites.size();
  const Totals totals = Count(result.rewrite.run);
  std::string text = Say("Sites: {} in {} files\nEdits: {}\nLeft for a person: {}\n",
                         "注入点: {} 个, 位于 {} 个文件\n修改: {}\n待人工处理: {}\n", sites,
                         result.sites.size(), totals.edits, totals.left_open)
                         .In(language);
  const std::string& output = result.rewrite.run.output;
  if (!output.empty()) {
    text += Say("Written to {}, with change_list.csv\n", "已写入 {}, 含 change_list.csv\n", output)
                .In(language);
  }
  return text;
}

/// "  dump_path: set 2, left 1 (train.py:12)": numbers of places.
std::string AccountOf(const OptionAccount& option, Language language) {
  if (option.set == 0 && option.left == 0) {
    return Say("  {}: set nowhere: no place that was found takes it\n",
               "  {}: 未在任何位置设置: 找到的注入点均不接受该选项\n", option.name)
        .In(language);
  }
  if (option.set == 0) {
    const std::string others = option.left == 1
                                   ? std::string()
                                   : Say(" ({} more: see change_list.csv)",
                                         " (另有 {} 处: 见 change_list.csv)", option.left - 1)
                                         .In(language);
    return Say("  {}: set nowhere: {}: {}{}\n", "  {}: 未在任何位置设置: {}: {}{}\n", option.name,
               option.first_left, option.why_left.In(language), others)
        .In(language);
  }
  const std::string left =
      option.left == 0
          ? std::string()
          : Say(", left {} ({})", ", 待处理 {} ({})", option.left, option.first_left).In(language);
  return Say("  {}: set {}{}\n", "  {}: 已设置 {}{}\n", option.name, option.set, left).In(language);
}

/// The places of a kind.
std::vector<const InjectionSite*> SitesOf(const InjectionResult& result, std::string_view kind) {
  std::vector<const InjectionSite*> found;
  for (const FileSites& file : result.sites) {
    for (const InjectionSite& site : file.sites) {
      if (site.kind == kind) found.push_back(&site);
    }
  }
  return found;
}

/// "  initialize_system: inserted 2, there already 1": numbers of places.
std::string InitializeAccount(const InjectionResult& result, Language language) {
  std::map<std::string, size_t> states;
  for (const InjectionSite* site : SitesOf(result, "initialize_system")) {
    ++states[site->state.In(language)];
  }
  std::string account;
  for (const auto& [state, count] : states) {
    account += fmt::format("{} {} {}", account.empty() ? "" : ",", state, count);
  }
  if (!account.empty()) return fmt::format("  initialize_system:{}\n", account);
  if (!SitesOf(result, "npu_device.open").empty()) {
    return Say("  initialize_system: inserted nowhere: it is of npu_bridge; with npu_device open() "
               "starts the NPU\n",
               "  initialize_system: 未插入: 它属于 npu_bridge; 使用 npu_device 时由 open() "
               "启动 NPU\n")
        .In(language);
  }
  return Say("  initialize_system: inserted nowhere: no program starts in these files that comes "
             "to a session by what it imports: run it in a session of its own before the "
             "training\n",
             "  initialize_system: 未插入: 这些文件中没有可经导入到达会话的程序入口: "
             "请在训练之前于单独的 session 中执行\n")
      .In(language);
}

int ExitCodeOfInjection(const InjectionResult& result, const InjectArguments& arguments) {
  const RunResult& run = result.rewrite.run;
  for (const FileOutcome& file : run.files) {
    if (file.status == FileOutcome::Status::kSkipped ||
        file.status == FileOutcome::Status::kFailed) {
      return kExitNeedsPerson;
    }
  }
  if (arguments.lint) return run.records.empty() ? kExitDone : kExitNeedsPerson;
  const bool is_initialized =
      !arguments.initialize_system || !SitesOf(result, "initialize_system").empty();
  const bool is_done = is_initialized && !result.sites.empty() &&
                       std::ranges::all_of(result.options, [](const OptionAccount& option) {
                         return option.set > 0;
                       });
  return is_done ? kExitDone : kExitNeedsPerson;
}

Text WhyNothing(const InjectionResult& result, const InjectArguments& arguments,
                const InjectRequest& request, std::string_view framework) {
  if (arguments.remove) return Say("nothing was injected here", "没有可移除的注入内容");
  for (const OptionValue& option : request.options) {
    const Text& why = option.spec->nowhere;
    if (why.en.empty()) continue;
    return {fmt::format(fmt::runtime(why.en), option.value),
            fmt::format(fmt::runtime(why.zh), option.value)};
  }
  if (!result.is_unmigrated) {
    const bool is_guess = arguments.framework == "auto" && arguments.tool.empty();
    const Text other =
        is_guess ? Say(", or its framework with --framework", ", 或用 --framework 指定其框架")
                 : Text();
    return Say(
        "no injection site found: nothing in {0} was seen to train with {1}: name the "
        "file or folder of the program that does{2}",
        "未找到注入点: {0} 中未见使用 {1} 训练的代码: 请给出训练程序所在的文件或文件夹{3}",
        arguments.input, framework, other.en, other.zh);
  }
  return Say(
      "no injection site found: no session and no estimator here is made for the NPU; if the "
      "scripts are not migrated, do that first, with transplt migrate; if they are, name the file "
      "or folder that makes them",
      "未找到注入点: 此处没有面向 NPU 创建的 Session 或 Estimator; 若脚本尚未迁移, 请先使用 "
      "transplt migrate 迁移; 若已迁移, 请给出创建它们的文件或文件夹");
}

/// What can be set: of the framework that is named or has the tool, else of all.
int PrintOptions(const InjectArguments& arguments, const OptionTable& table, Language language) {
  bool is_any = false;
  for (const InjectFramework& framework : InjectFrameworks()) {
    const bool is_named = arguments.framework == "auto" || arguments.framework == framework.name;
    const std::string text =
        is_named ? ListOptions(table, framework.name, arguments.tool, language) : std::string();
    is_any |= !text.empty();
    PrintOut(text);
  }
  if (is_any) return kExitDone;
  return Complain(Error{Error::Code::kUsage, "--tool " + arguments.tool,
                        Say("no such tool, or one without options", "没有该工具, 或它没有选项")},
                  language);
}

/// What was found and done, and what is left.
void PrintResult(const InjectionResult& result, const InjectArguments& arguments,
                 const InjectionOptions& options, Language language) {
  for (const Text& note : result.rewrite.run.notes)
    PrintErr("transplt: " + note.In(language) + "\n");
  const bool makes_debugger = options.framework == "pytorch" && !arguments.remove;
  if (makes_debugger && result.sites.size() > 1) {
    PrintErr(
        Say("transplt: {} files have training steps, and each makes its own debugger: name the "
            "ones that you run with --include\n",
            "transplt: {} 个文件含训练步骤, 各自创建调试对象: 请用 --include 指定要运行的文件\n",
            result.sites.size())
            .In(language));
  }
  for (const std::string& diff : result.rewrite.diffs) PrintOut(diff);
  if (arguments.list) PrintSites(result, language);
  PrintErr(OpenItems(result.rewrite.run, language, kShownItems, kChangeListFile));
  if (result.sites.empty() && !arguments.lint) {
    PrintErr("transplt: " +
             WhyNothing(result, arguments, options.request, options.framework).In(language) + "\n");
  } else if (!arguments.list) {
    PrintErr(SummaryOf(result, language));
  }
  if (!result.options.empty()) {
    PrintErr(Say("Options, with the number of places:\n", "选项及其位置数:\n").In(language));
  }
  for (const OptionAccount& option : result.options) PrintErr(AccountOf(option, language));
  if (arguments.initialize_system && !result.sites.empty()) {
    PrintErr(InitializeAccount(result, language));
  }
}

int RunInject(const InjectArguments& arguments, Language language) {
  if (std::optional<Text> problem = InjectContradiction(arguments))
    return Complain(*problem, language);
  const Result<OptionTable> table = OptionTable::Load();
  if (!table) return Complain(table.error(), language);
  InjectionOptions options(*table);
  if (arguments.list_options) return PrintOptions(arguments, *table, language);
  if (arguments.input.empty()) {
    return Complain(
        Error{Error::Code::kUsage, "INPUT", Say("name a file or a folder", "请给出文件或文件夹")},
        language);
  }
  const InjectFramework* framework = FrameworkToInject(arguments);
  options.framework = framework->name;
  if (arguments.framework == "auto" && arguments.tool.empty() && !arguments.remove) {
    PrintErr(Say("transplt: scripts of {}; --framework names another\n",
                 "transplt: 按 {} 脚本处理; 可用 --framework 指定其他框架\n", framework->name)
                 .In(language));
  }
  Result<InjectRequest> request = RequestOf(arguments, *framework, *table);
  if (!request) return Complain(request.error(), language);
  options.request = *std::move(request);
  for (const Text& note : NotesOn(*table, framework->name, options.request)) {
    PrintErr(Say("note: {}\n", "提示：{}\n", note.In(language)).In(language));
  }
  using Action = InjectionOptions::Action;
  if (arguments.remove) options.action = Action::kRemove;
  if (arguments.list) options.action = Action::kList;
  if (arguments.lint) options.action = Action::kLint;
  options.rewrite.input = arguments.input;
  options.rewrite.output = arguments.output;
  options.rewrite.in_place = arguments.in_place;
  options.rewrite.force = arguments.force;
  options.rewrite.jobs = arguments.jobs;
  options.rewrite.cancelled = options.files.cancelled = &Interrupted();
  options.files.include = arguments.include;
  options.files.exclude = arguments.exclude;
  options.files.output = arguments.output;
  options.with_diffs =
      arguments.output.empty() && !arguments.in_place && !arguments.list && !arguments.lint;
  const Result<InjectionResult> result = InjectConfiguration(options);
  if (!result) return Complain(result.error(), language);
  PrintResult(*result, arguments, options, language);
  return ExitCodeOfInjection(*result, arguments);
}

void AddOptions(CLI::App* app, const std::shared_ptr<InjectArguments>& arguments) {
  // Not as CLI11 reads an optional string, for which "" is none.
  const auto value = [&](const char* name, std::optional<std::string>& target, const char* what,
                         const char* type) {
    app->add_option_function<std::string>(
           name, [&target](const std::string& text) { target = text; }, what)
        ->type_name(type);
  };
  value("--dump-path", arguments->dump_path,
        "collect data of operators into this folder of the training machine", "DIR");
  value("--dump-step", arguments->dump_step, "only these steps, as in 0|3-5|10", "STEPS");
  value("--dump-mode", arguments->dump_mode, "input, output or all", "MODE");
  value("--dump-layer", arguments->dump_layer, "only these operators, separated by blanks",
        "NAMES");
  app->add_flag("--make-folder", arguments->make_folders,
                "let the program create the folder of --dump-path, which must exist");
  value("--rank", arguments->ranks, "only on these ranks, as in 0,7", "N,...");
  app->add_flag("--overflow", arguments->overflow, "detect overflow instead (needs --dump-path)");
  value("--dump-debug-mode", arguments->dump_debug_mode, "aicore_overflow, atomic_overflow or all",
        "MODE");
  app->add_flag("--profiling", arguments->profiling, "collect profiling data");
  value("--profiling-options", arguments->profiling_options,
        "what is profiled: training_trace:task_trace, or a JSON object", "TEXT");
  value("--fp-point", arguments->fp_point, "first operator of the forward pass", "NAME");
  value("--bp-point", arguments->bp_point, "last operator of the backward pass", "NAME");
  app->add_option("--tool", arguments->tool, "PyTorch, MindSpore: what is injected")
      ->type_name("NAME");
  value("--torch-version", arguments->torch_version,
        "PyTorch: that of the training machine; a --tool that it lacks is refused", "VERSION");
  app->add_option("--set", arguments->set,
                  "any option by the vendor's name; true and false for switches; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_flag("--replace", arguments->replace,
                "set a switch that excludes a wanted one to False instead of refusing");
  app->add_flag(
      "--initialize-system", arguments->initialize_system,
      "TensorFlow: run initialize_system before ranks are asked for, or before the training");
}

}  // namespace

void AddInjectCommand(CommandLine line) {
  auto arguments = std::make_shared<InjectArguments>();
  CLI::App* app = line.app.add_subcommand("inject-dump-config", kDescription);
  app->add_option("INPUT", arguments->input, "a file or a folder");
  app->add_option("-o,--output", arguments->output,
                  "write OUT/<file>, or OUT/<folder>/; without it the diff goes to stdout")
      ->type_name("OUT");
  app->add_flag("--in-place", arguments->in_place,
                "change the input itself; `transplt migrate --undo` puts it back");
  AddOptions(app, arguments);
  std::vector<std::string> names = {"auto"};
  for (const InjectFramework& framework : InjectFrameworks()) names.emplace_back(framework.name);
  app->add_option("--framework", arguments->framework, "the framework of the scripts")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  app->add_flag("--remove", arguments->remove, "take out exactly what was injected");
  app->add_flag("--list", arguments->list, "print the sites and what would happen; write nothing");
  app->add_flag("--options", arguments->list_options,
                "print what --set takes, of all frameworks or of --framework and --tool");
  app->add_flag("--lint", arguments->lint, "look for mistakes in what the scripts set already");
  app->add_flag("--force", arguments->force,
                "replace an existing result; one that was changed by hand is kept beside it");
  app->add_option("--include", arguments->include, "only these files (as in .gitignore)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app->add_option("--exclude", arguments->exclude, "not these files")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app->add_option("-j,--jobs", arguments->jobs, "threads; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunInject(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
