// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "transplt/base/pattern.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/similar_name.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/conversion_options.h"
#include "transplt/commands/html_page.h"
#include "transplt/commands/launch_facts.h"
#include "transplt/commands/output_file.h"
#include "transplt/commands/rule_files.h"
#include "transplt/commands/terminal.h"
#include "transplt/engine/engine.h"
#include "transplt/engine/torch_npu_releases.h"
#include "transplt/migrate/framework.h"
#include "transplt/migrate/migration.h"
#include "transplt/migrate/native_sources.h"
#include "transplt/migrate/report_ids.h"
#include "transplt/project/answer_cache.h"
#include "transplt/project/changed_files.h"
#include "transplt/project/file_content.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/folder_lock.h"
#include "transplt/project/undo.h"
#include "transplt/report/first_screen.h"
#include "transplt/report/run_format.h"
#include "transplt/report/terminal_summary.h"
#include "transplt/report/totals.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

/// The values of the options of `transplt migrate` and of the compatible form.
struct MigrateArguments {
  std::string input;
  std::string output;
  std::vector<std::string> rules;
  std::vector<std::string> enable;  ///< as written; then the names of features
  std::string amp;
  std::string amp_level;
  bool combine_ddp = false;
  std::string loss_scale;
  std::string framework = "auto";
  int tensorflow_version = 0;
  std::string tensorflow_distributed;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::string copy = "project";
  std::string torch_version;
  std::string torch_npu;
  std::string format = "text";
  std::string patches;  ///< a folder
  std::string fail_on;  ///< the name of a severity; empty: none
  std::string html;     ///< the page; empty: none
  std::string list = "none";
  std::string cache;  ///< a folder; empty: no answer is kept
  std::string given;  ///< all options as they were given, for the cache
  int jobs = 0;
  FileBudget budget;
  std::vector<std::string> disable;
  bool no_builtin_rules = false;
  bool diff = false;
  bool check = false;
  std::string changed;  ///< a commit: only files that differ from it
  bool in_place = false;
  bool undo = false;
  bool force = false;
  std::string target = DefaultTarget().name;
  bool no_prefilter = false;
  bool specify_device = false;
  bool similar = false;
  bool mark = false;
  bool extend_served = false;
  bool edit_docs = false;
  bool guard_imports = false;
  std::string multi_card_main;  ///< empty: no program gets several cards
  std::string multi_card_model;

  bool Enables(std::string_view feature) const {
    return std::find(enable.begin(), enable.end(), feature) != enable.end();
  }
};

CopyMode CopyModeOf(const std::string& name) {
  if (name == "all") return CopyMode::kAll;
  return name == "changed" ? CopyMode::kChanged : CopyMode::kProject;
}

std::string ReadStandardInput() {
  std::string text;
  char buffer[1 << 16];
  for (size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, count);
  }
  return text;
}

/// The oldest torch that a result for any device has to run with, unless told: it runs with all
/// newer ones as well.
constexpr std::string_view kOldestAccelerator = "2.6";

/// Nothing if the files are to decide.
std::optional<Framework> FrameworkGiven(const MigrateArguments& arguments) {
  for (Framework framework : kFrameworks) {
    if (arguments.framework == NameOf(framework)) return framework;
  }
  return arguments.no_builtin_rules ? std::optional(Framework::kPytorch) : std::nullopt;
}

const RunFormat& FormatOf(const MigrateArguments& arguments) {
  return *std::ranges::find(RunFormats(), arguments.format, &RunFormat::name);
}

/// True if a cause is left that is as bad as `--fail-on` says, or worse.
bool HasCauseToFailOn(const RunResult& run, const MigrateArguments& arguments) {
  const std::optional<Severity> least = SeverityNamed(arguments.fail_on);
  return least && std::ranges::any_of(run.records, [&](const ChangeRecord& record) {
           return record.applicability == Applicability::kDisplayOnly && record.severity <= *least;
         });
}

/// What the run leaves for a person, as an exit code.
int ExitCodeOfRun(const RunResult& run, const MigrateArguments& arguments) {
  if (HasCauseToFailOn(run, arguments)) return kExitCauseLeft;
  const bool changes = std::any_of(run.files.begin(), run.files.end(), [](const FileOutcome& file) {
    return file.status == FileOutcome::Status::kMigrated;
  });
  return HasUnreadParts(run) || (arguments.check && changes) ? kExitNeedsPerson : kExitDone;
}

RuleSelection SelectionOf(const MigrateArguments& arguments, Framework framework) {
  RuleSelection selection;
  selection.target = arguments.target;
  selection.framework = framework;
  selection.tensorflow = arguments.framework == "auto" && arguments.target == DefaultTarget().name;
  selection.torch_version = arguments.torch_version;
  selection.torch_npu = arguments.torch_npu;
  selection.features.insert(selection.features.end(), arguments.enable.begin(),
                            arguments.enable.end());
  selection.disabled = arguments.disable;
  return selection;
}

int MigrateStandardInput(const MigrateArguments& arguments, const std::vector<RuleFile>& user_rules,
                         Language language) {
  if (const auto error = CheckReportIds(arguments.disable, "--disable", user_rules)) {
    return Complain(*error, language);
  }
  FileMigrationOptions options;
  options.framework = FrameworkGiven(arguments).value_or(Framework::kPytorch);
  options.tensorflow.installed = arguments.tensorflow_version;
  const Result<RuleSet> rules =
      LoadRules(user_rules, !arguments.no_builtin_rules, SelectionOf(arguments, options.framework));
  if (!rules) return Complain(rules.error(), language);
  options.insert_npu_import =
      !arguments.no_builtin_rules && options.framework == Framework::kPytorch;
  options.with_diff = true;
  options.any_device = arguments.target == AnyDeviceTarget().name;
  options.mark = arguments.mark;
  options.guard_imports = arguments.guard_imports;
  TextMigration result =
      MigrateText("<stdin>", ReadStandardInput(), Engine(*rules), options, arguments.budget);
  RunResult run;
  run.files.push_back(result.outcome);
  run.records = std::move(result.records);
  if (const auto unused = RulesWithoutPlace(*rules, user_rules, run)) {
    PrintErr("transplt: " + unused->In(language) + "\n");
  }
  if (const auto off = LeaveSwitchedOff(arguments.disable, run)) {
    PrintErr("transplt: " + off->In(language) + "\n");
  }
  if (arguments.list == "causes") PrintErr(ListOfCauses(run, language));
  PrintErr(
      OpenItems(run, language, arguments.list == "all" ? SIZE_MAX : kShownItems, "--list all"));
  if (arguments.diff) {
    PrintOut(result.diff);
  } else if (!arguments.check) {
    PrintOut(result.text);
  }
  return ExitCodeOfRun(run, arguments);
}

/// What a result for any device cannot be made of.
std::optional<Text> ContradictionOfAnyDevice(const MigrateArguments& arguments,
                                             const TorchPlatform& platform) {
  if (arguments.target != AnyDeviceTarget().name) return std::nullopt;
  const auto is_older = *ParseVersion(platform.torch) < *ParseVersion(kOldestAccelerator);
  if (is_older) {
    return Say(
        "--target agnostic: torch.accelerator came with torch 2.6; give --torch-version 2.6 "
        "or a newer one, or --target npu",
        "--target agnostic: torch.accelerator 自 torch 2.6 起提供; 请指定 --torch-version 2.6 "
        "或更新版本, 或使用 --target npu");
  }
  if (!arguments.torch_npu.empty()) {
    return Say(
        "--torch-npu is the release on an NPU machine, and --target agnostic is for any "
        "device: leave one of them out",
        "--torch-npu 指定昇腾机器上的版本, 而 --target agnostic 面向任意设备: 请去掉其中一个");
  }
  if (arguments.framework == "tensorflow" || arguments.framework == "mindspore") {
    return OnlyPytorchIsForAnyDevice(arguments.framework);
  }
  if (arguments.guard_imports) {
    return Say(
        "--guard-imports is about imports of torch_npu, which --target agnostic does not "
        "write: leave it out",
        "--guard-imports 针对 torch_npu 的导入, 而 --target agnostic 不会写入此类导入: "
        "请去掉该选项");
  }
  return std::nullopt;
}

Text PlaceAndReason(const Error& error) {
  if (error.where.empty()) return error.what;
  return {error.where + ": " + error.what.en, error.where + ": " + error.what.zh};
}

std::optional<Text> MigrateContradiction(const MigrateArguments& arguments) {
  if (arguments.in_place && !arguments.output.empty()) {
    return Say("--in-place and -o exclude each other: give one of them",
               "--in-place 与 -o 互斥: 请只给出一个");
  }
  if (arguments.check && (arguments.in_place || !arguments.output.empty())) {
    return Say("--check writes nothing: leave out -o and --in-place",
               "--check 不写任何文件: 请去掉 -o 与 --in-place");
  }
  if (arguments.input == "-" && (arguments.in_place || !arguments.output.empty())) {
    return Say(
        "what is read from standard input is written to standard output: leave out -o and "
        "--in-place",
        "从标准输入读取时结果写到标准输出: 请去掉 -o 与 --in-place");
  }
  if (!arguments.patches.empty() &&
      (arguments.input == "-" || arguments.in_place || arguments.check)) {
    return Say(
        "--patches makes patches of a project that stays as it is: leave out --in-place, "
        "--check and -",
        "--patches 为保持不变的项目生成补丁: 请去掉 --in-place、--check 与 -");
  }
  if (arguments.diff && FormatOf(arguments).write != nullptr) {
    return Say("--diff and --format {0} both print to standard output: leave one of them out",
               "--diff 与 --format {0} 都输出到标准输出: 请去掉其中一个", arguments.format);
  }
  if (arguments.input == "-" && FormatOf(arguments).write != nullptr) {
    return Say(
        "what is read from standard input is written to standard output: leave out --format, or "
        "name a file",
        "从标准输入读取时结果写到标准输出: 请去掉 --format, 或指定文件");
  }
  if (arguments.input == "-" && !arguments.html.empty()) {
    return Say("--html is a page about files: name a file or a folder instead of -",
               "--html 是关于文件的页面: 请指定文件或文件夹, 而不是 -");
  }
  if (!arguments.cache.empty() &&
      (arguments.in_place || !arguments.output.empty() || !arguments.patches.empty() ||
       !arguments.html.empty() || arguments.input == "-")) {
    return Say(
        "--cache keeps the answers of runs that write nothing: leave out -o, --in-place, "
        "--patches, "
        "--html and -",
        "--cache 只保存不写文件的运行结果: 请去掉 -o、--in-place、--patches、--html 与 -");
  }
  static const Pattern kVersion(R"((\d+(\.\d+){1,2})?)");
  if (!kVersion.Is(arguments.torch_version)) {
    return Say("--torch-version {}: give a version such as 2.1 or 2.5.1",
               "--torch-version {}: 请给出如 2.1 或 2.5.1 的版本号", arguments.torch_version);
  }
  const Result<TorchPlatform> platform =
      ChoosePlatform(arguments.torch_version, arguments.torch_npu);
  if (!platform) return PlaceAndReason(platform.error());
  return ContradictionOfAnyDevice(arguments, *platform);
}

void PrintLeft(const std::vector<LeftFile>& files, Language language) {
  for (const LeftFile& file : files) {
    PrintErr(OneLine(file.path) + ": " + file.reason.In(language) + "\n");
  }
}

int UndoLast(const MigrateArguments& arguments, Language language) {
  std::error_code ignored;  // what cannot be asked is refused below
  std::filesystem::path root(arguments.input);
  if (!std::filesystem::is_directory(root, ignored)) root = root.parent_path();
  if (root.empty()) root = ".";
  const Result<FolderLock> lock = FolderLock::Take(root.string());
  if (!lock) return Complain(lock.error(), language);
  const Result<UndoResult> undone = Undo(root.string(), arguments.force, *lock);
  if (!undone) return Complain(undone.error(), language);
  for (const auto& files : {undone->refusals, undone->set_aside, undone->left_before}) {
    PrintLeft(files, language);
  }
  if (!undone->found_run) {
    return Complain(Error{Error::Code::kUsage, root.string(),
                          Say("there is no migration to undo here", "此处没有可撤销的迁移")},
                    language);
  }
  PrintErr(Say("{} files put back\n", "已还原 {} 个文件\n", undone->files.size()).In(language));
  return undone->refusals.empty() ? kExitDone : kExitNeedsPerson;
}

Error NeedsApex(std::string option) {
  return {Error::Code::kUsage, std::move(option),
          Say("belongs to the mixed precision of apex: add --amp apex",
              "属于 apex 混合精度: 请加上 --amp apex")};
}

/// Completes what the options leave out: the features that they select go to `enable`.
std::optional<Error> SelectFeatures(MigrateArguments& arguments) {
  if (arguments.torch_version.empty() && arguments.target == AnyDeviceTarget().name) {
    arguments.torch_version = kOldestAccelerator;
  }
  Result<std::vector<std::string>> features = FeaturesNamed(arguments.enable);
  if (!features) return Error{Error::Code::kUsage, "--enable", features.error().what};
  arguments.enable = *std::move(features);
  if (arguments.specify_device) arguments.enable.emplace_back("specify_device");
  if (arguments.similar) arguments.enable.emplace_back("similar");
  if (!arguments.amp.empty()) arguments.enable.emplace_back("amp_apex");
  const bool trains_with_apex = arguments.Enables("amp_apex");
  if (arguments.combine_ddp) {
    if (!trains_with_apex) return NeedsApex("--combine-ddp");
    arguments.enable.emplace_back("combine_ddp=True");
  }
  for (const auto& [name, value] : {std::pair("amp_level", &arguments.amp_level),
                                    std::pair("loss_scale", &arguments.loss_scale)}) {
    if (value->empty()) continue;
    if (!trains_with_apex) {
      return NeedsApex(name == std::string_view("amp_level") ? "--amp-level" : "--loss-scale");
    }
    arguments.enable.push_back(fmt::format("{}={}", name, *value));
  }
  static const Pattern kScale("[0-9]+([.][0-9]*)?");
  if (arguments.loss_scale == "dynamic") {
    arguments.enable.back() = "loss_scale=\"dynamic\"";
  } else if (!arguments.loss_scale.empty() && !kScale.Is(arguments.loss_scale)) {
    return Error{Error::Code::kUsage, "--loss-scale",
                 Say("{} is neither a number, such as 1024, nor dynamic",
                     "{} 既不是数字 (如 1024) 也不是 dynamic", arguments.loss_scale)};
  }
  if (!arguments.tensorflow_distributed.empty()) {
    arguments.enable.emplace_back(arguments.tensorflow_distributed == "horovod" ? "tf_horovod"
                                                                                : "tf_strategy");
  }
  if (arguments.Enables("tf_horovod") && arguments.Enables("tf_strategy")) {
    return Error{Error::Code::kUsage, "--tf-distributed",
                 Say("horovod and tf_strategy exclude each other: give the one that the program "
                     "uses",
                     "horovod 与 tf_strategy 互斥: 请给出程序所使用的一个")};
  }
  if (!arguments.multi_card_main.empty()) {
    const bool is_npu = arguments.target == DefaultTarget().name;
    if (arguments.in_place || !is_npu) {
      return Error{Error::Code::kUsage, "--distributed",
                   Say("makes a result of its own for NPUs: write it with -o OUT, without "
                       "--in-place and --target",
                       "会另外生成面向 NPU 的结果: 请用 -o OUT 写出, 不用 --in-place 与 --target")};
    }
    // Each process takes the card of its rank, of DEVICE_ID where the launcher sets that.
    std::erase(arguments.enable, "specify_device");
  }
  if (arguments.guard_imports && arguments.Enables("specify_device")) {
    return Error{Error::Code::kUsage, "--guard-imports",
                 Say("what runs without an NPU cannot choose one by DEVICE_ID: leave out "
                     "--specify-device",
                     "可在无 NPU 的机器上运行的脚本不能用 DEVICE_ID 指定 NPU: 请去掉 "
                     "--specify-device")};
  }
  if (!arguments.enable.empty() && arguments.target != DefaultTarget().name) {
    return Error{Error::Code::kUsage, "--target " + arguments.target,
                 Say("what --enable selects is for the NPU: leave it out, or use --target npu",
                     "--enable 的各项行为仅适用于 NPU: 请去掉, 或使用 --target npu")};
  }
  if (arguments.in_place &&
      (arguments.Enables("similar") || arguments.Enables("channel_shuffle") ||
       arguments.Enables("fused_shuffle") || arguments.Enables("cxx_stand_ins"))) {
    return Error{
        Error::Code::kUsage, "--in-place",
        Say("similar, channel-shuffle, fused-shuffle and cxx-stand-ins need files beside the "
            "result: write it with -o OUT",
            "similar、channel-shuffle、fused-shuffle 与 cxx-stand-ins 需要随结果写出的文件: "
            "请使用 -o OUT")};
  }
  return std::nullopt;
}

/// Selects the files that `--changed` names. False if there are none.
Result<bool> SelectChanged(const MigrateArguments& arguments, FileSelection& files) {
  const Result<std::vector<std::string>> changed = ChangedFiles(arguments.input, arguments.changed);
  if (!changed) return changed.error();
  for (const std::string& path : *changed) files.include.push_back(PatternOfFile(path));
  return !changed->empty();
}

/// The program `main`, named as in the project or as a path to it, as the project names it.
std::string PathInProject(const std::string& main, const std::string& input) {
  std::error_code ignored;  // what cannot be resolved is no file of the project, and is told so
  const std::filesystem::path root = std::filesystem::weakly_canonical(input, ignored);
  if (std::filesystem::is_regular_file(root, ignored)) return root.filename().string();
  if (std::filesystem::exists(root / main, ignored)) {
    return (root / main).lexically_normal().lexically_relative(root).generic_string();
  }
  const std::filesystem::path path = std::filesystem::weakly_canonical(main, ignored);
  const std::filesystem::path inside = path.lexically_relative(root);
  return inside.empty() || *inside.begin() == ".." ? main : inside.generic_string();
}

/// What the options say about how files are converted; the rest is not set.
MigrationOptions ConversionOptionsOf(const MigrateArguments& arguments,
                                     std::vector<RuleFile> user_rules) {
  MigrationOptions options;
  options.user_rules = std::move(user_rules);
  options.builtin_rules = !arguments.no_builtin_rules;
  options.framework = FrameworkGiven(arguments);
  options.tensorflow_version = arguments.tensorflow_version;
  options.torch_version = arguments.torch_version;
  options.torch_npu = arguments.torch_npu;
  options.target = arguments.target;
  options.features = arguments.enable;
  options.disabled = arguments.disable;
  options.mark = arguments.mark;
  options.extend_served = arguments.extend_served;
  options.edit_docs = arguments.edit_docs;
  if (!arguments.multi_card_main.empty()) {
    options.multi_card = {PathInProject(arguments.multi_card_main, arguments.input),
                          arguments.multi_card_model};
  }
  options.guard_imports = arguments.guard_imports;
  options.files.include = arguments.include;
  options.files.exclude = arguments.exclude;
  options.files.copy = CopyModeOf(arguments.copy);
  options.budget = arguments.budget;
  options.prefilter = !arguments.no_prefilter;
  return options;
}

/// The folder of the project as seen from the working directory, which in CI is the checkout:
/// "src/". Empty for the working directory itself, and for a project outside of it.
std::string RootInWorkingFolder(const std::string& input) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return "";
  fs::path root = (here / input).lexically_normal();
  if (!fs::is_directory(root, error)) root = root.parent_path();
  const fs::path relative = root.lexically_relative(here);
  if (relative.empty() || relative == "." || *relative.begin() == "..") return "";
  return (relative / "").lexically_normal().string();
}

/// Nothing if --patches names a folder that is empty or that can be made.
std::optional<Error> CheckPatchFolder(const std::string& folder) {
  std::error_code error;
  if (folder.empty() || !std::filesystem::exists(folder, error)) return std::nullopt;
  if (std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error) &&
      !error) {
    return std::nullopt;
  }
  return Error{Error::Code::kUsage, folder,
               Say("is not an empty folder: patches of two runs would mix; name another one",
                   "不是空文件夹: 两次运行的补丁会混在一起; 请指定其他文件夹")};
}

std::optional<Error> WritePatches(const MigrationResult& result, const std::string& folder,
                                  Language language) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{Error::Code::kIo, folder, Say("{0}", "{0}", error.message())};
  for (const auto& [name, text] : result.patches) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    const Result<Done> done = WriteOutputFile(path, text, false, 0666);
    if (!done) return done.error();
  }
  PrintErr(Say("{0} patches written to {1}; in the project: git am {1}/*.patch\n",
               "已将 {0} 个补丁写入 {1}; 在项目中执行: git am {1}/*.patch\n", result.patches.size(),
               OneLine(folder))
               .In(language));
  return std::nullopt;
}

/// What is to be printed of a run, and its exit code.
Answer AnswerOf(const MigrationResult& result, const MigrateArguments& arguments, bool prints_diffs,
                Language language) {
  Answer answer{ExitCodeOfRun(result.run, arguments), {}, {}};
  const auto print = [&answer](std::string_view text) { answer.out += text; };
  const bool is_asked_for = arguments.diff || !arguments.check;
  if (prints_diffs && is_asked_for && arguments.format == "text") {
    for (const std::string& diff : result.diffs) print(diff);
  }
  if (const RunFormat& format = FormatOf(arguments); format.write != nullptr) {
    format.write(result.run, RootInWorkingFolder(arguments.input), print);
  }
  if (arguments.list == "causes") answer.err += ListOfCauses(result.run, language);
  if (arguments.list == "all") {
    for (const Text& note : result.run.notes) {
      answer.err += "transplt: " + note.In(language) + "\n";
    }
    answer.err += OpenItems(result.run, language, SIZE_MAX, "--list all");
  }
  answer.err += FirstScreen(result.run, language);
  return answer;
}

int Give(const Answer& answer) {
  PrintOut(answer.out);
  PrintErr(answer.err);
  return answer.code;
}

/// Everything that an answer depends on besides the project: this very program, where it runs, what
/// it was told, the rules of the user, and which files differ from a commit.
std::string QuestionOf(const MigrateArguments& arguments, const MigrationOptions& options) {
  std::error_code ignored;  // where nobody is, no relative path leads anywhere
  std::string program;
  const FileHandle file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  // Without it, answers hold for this process alone.
  if (!file || !ReadAll(file.get(), program)) program = fmt::format("process {}", getpid());
  std::string question =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", ContentOf(program).hash, NativeProgramState(),
                  std::filesystem::current_path(ignored).string(),
                  static_cast<int>(options.language), arguments.given,
                  options.multi_card ? options.multi_card->main : "", options.user_rules.size());
  for (const RuleFile& rules : options.user_rules) {
    question += fmt::format("{}\n{}\n", rules.name, ContentOf(rules.text).hash);
  }
  for (const std::string& pattern : options.files.include) question += pattern + "\n";
  return question;
}

/// True if a file may have been left out because it took longer than the budget allows: the next
/// time it may not.
bool MayLackTime(const RunResult& run, const FileBudget& budget, std::time_t seconds) {
  if (budget.seconds == 0 || static_cast<uint64_t>(seconds) < budget.seconds) return false;
  return std::ranges::any_of(run.files, [](const FileOutcome& file) {
    return file.status == FileOutcome::Status::kSkipped;
  });
}

/// Keeps the answer of a run, if it may be given again.
std::optional<Error> KeepAnswer(const AnswerCache& cache, const MigrationOptions& options,
                                const RunResult& run, std::time_t start, const Answer& answer) {
  const ReadLog& reads = *options.files.reads;
  if (!reads.is_complete() || MayLackTime(run, options.budget, std::time(nullptr) - start)) {
    return std::nullopt;
  }
  const Result<Done> kept = cache.Keep(reads, answer);
  return kept ? std::nullopt : std::optional(kept.error());
}

Result<MigrationResult> MigrateWithProgress(MigrationOptions& options) {
  ProgressLine progress;
  options.progress = [&](size_t done, size_t total) { progress.Show(done, total); };
  return Migrate(options);
}

/// Writes what the options ask for besides the result.
std::optional<Error> WriteBeside(const MigrateArguments& arguments, const MigrationResult& result,
                                 Language language) {
  if (!arguments.patches.empty()) {
    if (auto error = WritePatches(result, arguments.patches, language)) return error;
  }
  if (arguments.html.empty()) return std::nullopt;
  const Result<Done> written = WritePage(arguments.html, result, language, arguments.force);
  return written ? std::nullopt : std::optional(written.error());
}

int MigrateProject(const MigrateArguments& arguments, MigrationOptions options, Language language) {
  options.input = arguments.input;
  options.output = arguments.output;
  options.in_place = arguments.in_place;
  options.force = arguments.force;
  options.with_patches = !arguments.patches.empty();
  const bool writes_nothing =
      arguments.output.empty() && !arguments.in_place && arguments.patches.empty();
  const bool prints_diffs = arguments.diff || writes_nothing;
  options.with_diffs = prints_diffs || !arguments.html.empty();
  options.files.output = arguments.output;
  options.jobs = arguments.jobs;
  options.language = language;
  options.cancelled = options.files.cancelled = &Interrupted();
  options.make_launcher = LauncherOf;
  if (!arguments.html.empty()) {
    if (const auto error = CheckPagePlace(arguments.html, options)) {
      return Complain(*error, language);
    }
  }
  std::optional<AnswerCache> cache;
  if (!arguments.cache.empty()) {
    options.files.output = arguments.cache;  // no part of the project, wherever it is
    cache.emplace(arguments.cache, QuestionOf(arguments, options));
    const Result<ProjectFiles> project = FindProjectFiles(options.input, options.files);
    if (const auto known = project ? cache->Find(*project) : std::nullopt) return Give(*known);
    options.files.reads = std::make_shared<ReadLog>();
  }
  const std::time_t start = std::time(nullptr);
  const Result<MigrationResult> result = MigrateWithProgress(options);
  if (!result) return Complain(result.error(), language);
  const Answer answer = AnswerOf(*result, arguments, prints_diffs, language);
  Give(answer);
  if (cache) {
    const auto error = KeepAnswer(*cache, options, result->run, start, answer);
    if (error) return Complain(*error, language);
  }
  const auto error = WriteBeside(arguments, *result, language);
  return error ? Complain(*error, language) : answer.code;
}

int RunMigrate(MigrateArguments arguments, Language language) {
  if (std::optional<Error> error = SelectFeatures(arguments)) return Complain(*error, language);
  if (std::optional<Text> problem = MigrateContradiction(arguments))
    return Complain(*problem, language);
  if (arguments.undo) return UndoLast(arguments, language);
  if (const auto error = CheckPatchFolder(arguments.patches)) return Complain(*error, language);
  Result<std::vector<RuleFile>> user_rules = ReadRuleFiles(arguments.rules);
  if (!user_rules) return Complain(user_rules.error(), language);
  if (arguments.input == "-") return MigrateStandardInput(arguments, *user_rules, language);

  MigrationOptions options = ConversionOptionsOf(arguments, *std::move(user_rules));
  if (!arguments.changed.empty()) {
    const Result<bool> has_changed = SelectChanged(arguments, options.files);
    if (!has_changed) return Complain(has_changed.error(), language);
    if (!*has_changed) {
      PrintErr(Say("{}: no file differs from {}\n", "{}: 没有文件与 {} 不同\n",
                   OneLine(arguments.input), arguments.changed)
                   .In(language));
      return kExitDone;
    }
  }
  return MigrateProject(arguments, std::move(options), language);
}

void AddCommonOptions(CLI::App* app, const std::shared_ptr<MigrateArguments>& arguments) {
  app->add_option("-r,--rule", arguments->rules, "a JSON file of your own rules; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  std::string names;
  for (const Feature& feature : KnownFeatures()) {
    if (feature.what.empty()) continue;
    std::string name(feature.name);
    std::replace(name.begin(), name.end(), '_', '-');
    names += fmt::format("\n  {}: {}", name, feature.what);
  }
  app->add_option("--enable", arguments->enable, "do also:" + names)
      ->type_name("NAME,...")
      ->allow_extra_args(false)
      ->delimiter(',');
  app->add_option("--disable", arguments->disable,
                  "leave these rules and rows out, by the ids that reports give")
      ->type_name("ID,...")
      ->allow_extra_args(false)
      ->delimiter(',');
  app->add_flag("-s,--specify-device", arguments->specify_device, "as --enable specify-device");
  app->add_flag("--similar", arguments->similar, "as --enable similar; also -sim");
  app->add_option("--amp", arguments->amp, "as --enable amp-apex")->check(CLI::IsMember({"apex"}));
  app->add_option("--amp-level", arguments->amp_level,
                  "with --amp apex: O1 keeps float32 where float16 is not safe, O2 (the default) "
                  "only in batch norm")
      ->check(CLI::IsMember({"O1", "O2"}));
  app->add_option("--loss-scale", arguments->loss_scale,
                  "with --amp apex: a number (default 1024.0), or dynamic");
  app->add_flag("--combine-ddp", arguments->combine_ddp,
                "with --amp apex: apex adds gradients up over the cards (combine_ddp=True), and "
                "DistributedDataParallel is taken off the model");
  app->add_flag("--mark", arguments->mark,
                "put comments `npu modify begin` and `npu modify end` around what is changed");
  app->add_flag("--extend-npu-support", arguments->extend_served,
                "a program that serves NPUs already stays as it is; with this option what it does "
                "for CUDA alone is migrated all the same");
  CLI::Option* distributed = app->add_option(
      "--distributed", arguments->multi_card_main,
      "MAIN: make of this program, which trains on one card, one for several: a process for each, "
      "started by torchrun; the batch size stays that of all together");
  app->add_option("-t,--target-model", arguments->multi_card_model,
                  "the variable of the model, to make sure; with --distributed")
      ->needs(distributed);
  app->add_flag("--edit-docs", arguments->edit_docs,
                "also edit the commands in code blocks of Markdown files, which are reported else");
  app->add_flag("--guard-imports", arguments->guard_imports,
                "try the imports of torch_npu, so that the files can be imported without it");
}

/// The options that say how files are converted.
void AddConversionOptions(CLI::App* app, const std::shared_ptr<MigrateArguments>& arguments) {
  AddCommonOptions(app, arguments);
  app->add_flag("--no-builtin-rules", arguments->no_builtin_rules, "only the rules of -r act");
  app->add_option("--framework", arguments->framework, "the framework of the project")
      ->check(CLI::IsMember({"auto", "pytorch", "tensorflow", "mindspore"}))
      ->capture_default_str();
  app->add_option("--tf-version", arguments->tensorflow_version,
                  "TensorFlow on the NPU machine, 1 (npu_bridge) or 2 (npu_device); without it the "
                  "one that each file is written for")
      ->check(CLI::IsMember({1, 2}));
  app->add_option("--tf-distributed", arguments->tensorflow_distributed,
                  "as --enable tf-horovod or tf-strategy")
      ->check(CLI::IsMember({"horovod", "tf_strategy"}));
  app->add_option("--include", arguments->include, "migrate only these (as in .gitignore)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app->add_option("--exclude", arguments->exclude, "do not migrate these")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app->add_option("--copy", arguments->copy, "what the result holds besides the migrated files")
      ->check(CLI::IsMember({"project", "all", "changed"}))
      ->capture_default_str();
  app->add_option("--torch-version", arguments->torch_version,
                  fmt::format("the version on the NPU machine; without it what the project pins, "
                              "else the newest that has a torch_npu. For --target agnostic the "
                              "oldest that the result has to run with; {}",
                              kOldestAccelerator));
  app->add_option("--torch-npu", arguments->torch_npu,
                  "the release of torch_npu there, for example 7.3.0 or 6.0.rc1; without it the "
                  "newest for this torch")
      ->type_name("RELEASE");
  app->add_option(
         "--target", arguments->target,
         "npu: names of torch_npu; agnostic: torch.accelerator, for any device; or a target "
         "that a rule file of -r describes")
      ->capture_default_str();
  app->add_option("--max-file-bytes", arguments->budget.bytes,
                  "skip and report files with more bytes; 0: migrate files of any size")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--max-file-nodes", arguments->budget.nodes,
                  "skip and report files with a larger syntax tree, which needs about 300 bytes of "
                  "memory for each node; 0: any size")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--max-file-seconds", arguments->budget.seconds,
                  "skip and report files that take more processor time; 0: any time")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_flag("--no-prefilter", arguments->no_prefilter,
                "parse every file, also those that cannot hold anything to migrate");
}

/// The names, without dashes, of the options of `app`.
std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.push_back(option->get_name().substr(2));
  }
  return names;
}

std::optional<Error> ParseConversionOptions(const OptionValues& values,
                                            const std::shared_ptr<MigrateArguments>& arguments) {
  CLI::App app;
  app.set_help_flag();
  AddConversionOptions(&app, arguments);
  const std::vector<std::string> names = OptionNames(app);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<std::string> reversed;
  for (const auto& [name, texts] : values) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const Text suggestion = SuggestName(name, known, Say("there are", "可用选项有"));
      return Error{Error::Code::kUsage, "--" + name,
                   Say("this is no option that a project can have{0}", "项目不支持此选项{1}",
                       suggestion.en, suggestion.zh)};
    }
    for (const std::string& text : texts) reversed.push_back("--" + name + "=" + text);
  }
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(reversed);
  } catch (const CLI::Error& error) {
    return Error{Error::Code::kUsage, "", Say("{}", "{}", error.what())};
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<void> AddConversionOptions(CLI::App* app) {
  auto arguments = std::make_shared<MigrateArguments>();
  AddConversionOptions(app, arguments);
  return arguments;
}

OptionValues ConversionValuesOf(const CLI::App& app) {
  CLI::App known;
  known.set_help_flag();
  AddConversionOptions(&known, std::make_shared<MigrateArguments>());
  OptionValues values;
  for (const std::string& name : OptionNames(known)) {
    const CLI::Option* option = app.get_option_no_throw("--" + name);
    if (option != nullptr && option->count() > 0) values[name] = option->results();
  }
  return values;
}

Result<MigrationOptions> ReadConversionOptions(const OptionValues& values) {
  const auto arguments = std::make_shared<MigrateArguments>();
  if (const auto error = ParseConversionOptions(values, arguments)) return *error;
  if (std::optional<Error> error = SelectFeatures(*arguments)) return *error;
  if (const auto problem = MigrateContradiction(*arguments)) {
    return Error{Error::Code::kUsage, "", *problem};
  }
  Result<std::vector<RuleFile>> user_rules = ReadRuleFiles(arguments->rules);
  if (!user_rules) return user_rules.error();
  MigrationOptions options = ConversionOptionsOf(*arguments, *std::move(user_rules));
  // What is wrong with a rule shall show before the first project.
  const Result<RuleSet> rules =
      LoadRules(options.user_rules, options.builtin_rules,
                SelectionOf(*arguments, options.framework.value_or(Framework::kPytorch)));
  if (!rules) return rules.error();
  return options;
}

namespace {

void AddFormatOption(CLI::App* app, const std::shared_ptr<MigrateArguments>& arguments) {
  std::string help = "how the run is printed to stdout:";
  std::vector<std::string> names;
  for (const RunFormat& format : RunFormats()) {
    names.emplace_back(format.name);
    help += fmt::format("\n  {}: {}", format.name, format.what);
  }
  app->add_option("--format", arguments->format, help)
      ->check(CLI::IsMember(names))
      ->type_name("NAME")
      ->capture_default_str();
}

void AddFailOnOption(CLI::App* app, const std::shared_ptr<MigrateArguments>& arguments) {
  std::vector<std::string> names;
  for (const Severity severity : kSeverities) names.emplace_back(Name(severity));
  app->add_option("--fail-on", arguments->fail_on,
                  "exit 3 if a cause that is as bad as this, or worse, is left for a person; from "
                  "the worst: " +
                      fmt::format("{}", fmt::join(names, ", ")) +
                      ". Without it the exit code is 1 if a part could not be read, or if --check "
                      "found changes, and else 0")
      ->check(CLI::IsMember(names))
      ->type_name("SEVERITY");
}

/// The options of the command line and their values, but for those that change no answer.
std::string OptionsAsGiven(const CLI::App& app) {
  std::string given;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--cache" || name == "--jobs") continue;
    given += fmt::format("{} {}\n", name, fmt::join(option->results(), "\n  "));
  }
  return given;
}

}  // namespace

void AddMigrateCommand(CommandLine line) {
  auto arguments = std::make_shared<MigrateArguments>();
  CLI::App* app = line.app.add_subcommand("migrate", "migrate a project from CUDA to the NPU");
  app->add_option("INPUT", arguments->input, "a file, a folder, or - for standard input")
      ->required();
  app->add_option("-o,--output", arguments->output,
                  "write the result to OUT/<name>_msft; without it the diff goes to stdout")
      ->type_name("OUT");
  AddConversionOptions(app, arguments);
  app->add_flag("--diff", arguments->diff, "print the changes as a patch for `git apply`");
  app->add_option("--patches", arguments->patches,
                  "write a patch for each cause into this empty folder, for `git am`")
      ->type_name("DIR");
  app->add_flag("--check", arguments->check, "write nothing; exit 1 if something would change");
  app->add_flag("--changed{HEAD}", arguments->changed,
                "migrate only the files that differ from HEAD, or with --changed=REF from another "
                "commit of git; new files, too")
      ->excludes("--include");
  app->add_flag("--in-place", arguments->in_place,
                "change the input itself; the originals are kept in .transplt-undo");
  app->add_flag(
      "--undo", arguments->undo,
      "put back what the last --in-place has changed; again: the one before; with --force "
      "also files that were removed or changed since");
  app->add_flag("--force", arguments->force,
                "replace an existing result; one that was changed by hand is kept beside it");
  app->add_option("-j,--jobs", arguments->jobs, "threads; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  AddFormatOption(app, arguments);
  AddFailOnOption(app, arguments);
  app->add_option(
         "--html", arguments->html,
         "write a page with the verdict, the causes and the changes side by side, in which "
         "edits can be accepted and rejected; works for a run that writes nothing, too")
      ->type_name("FILE");
  app->add_option("--list", arguments->list,
                  "what is left for a person, also on stderr: causes with all of their places, or "
                  "all places one by one")
      ->check(CLI::IsMember({"none", "causes", "all"}))
      ->capture_default_str();
  app->add_option("--cache", arguments->cache,
                  "keep the answer in this folder, and give it again as long as no file, option or "
                  "rule changes; for runs that write nothing")
      ->type_name("DIR");
  app->callback([line, app, arguments] {
    arguments->given = OptionsAsGiven(*app);
    line.run = [line, arguments] { return RunMigrate(*arguments, ChooseLanguage(line.language)); };
  });
}

void AddCompatibleOptions(CommandLine line) {
  auto arguments = std::make_shared<MigrateArguments>();
  auto version = std::make_shared<std::string>();
  auto model_arts = std::make_shared<bool>(false);
  CLI::App* app = &line.app;
  app->add_option("-i,--input", arguments->input, "the folder or file to migrate")->required();
  app->add_option("-o,--output", arguments->output, "where <name>_msft is written")->required();
  AddCommonOptions(app, arguments);
  app->add_option("-v,--version", *version, "the torch version on the NPU machine");
  app->add_flag("-m,--modelarts", *model_arts, "ModelArts");
  CLI::App* distributed = app->add_subcommand("distributed", "single card to several cards");
  distributed->add_option("-m,--main", arguments->multi_card_main, "the entry file")->required();
  distributed->add_option("-t,--target_model", arguments->multi_card_model,
                          "the variable of the model; not given: whatever the program trains");
  app->callback([line, arguments, version, model_arts] {
    line.run = [=] {
      const Language language = ChooseLanguage(line.language);
      if (*model_arts) {
        return Complain(Say("-m: not part of this version; nothing was written",
                            "-m: 当前版本不支持; 未写任何文件"),
                        language);
      }
      if (!version->empty()) arguments->torch_version = *version;
      return RunMigrate(*arguments, language);
    };
  });
}

}  // namespace transplt
