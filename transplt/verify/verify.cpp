// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "transplt/base/cancelled.h"
#include "transplt/base/word_list.h"
#include "transplt/distributed/multi_card.h"
#include "transplt/engine/target.h"
#include "transplt/project/file_error.h"
#include "transplt/verify/npu_names.h"
#include "transplt/verify/python_host.h"
#include "transplt/verify/result_checks.h"
#include "transplt/verify/run_checks.h"
#include "transplt/verify/run_guard.h"
#include "transplt/verify/simulated_run.h"
#include "transplt/verify/static_checks.h"
#include "transplt/verify/work_folder.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

/// The options of Python that take an argument of their own.
constexpr std::array<std::string_view, 3> kWithArgument = {"-W", "-X", "--check-hash-based-pycs"};

Error Wrong(const std::string& where, Text what) {
  return {Error::Code::kUsage, where, std::move(what)};
}

Result<Done> CheckFolder(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return Wrong(folder, Say("there is no such folder", "目录不存在"));
  if (!fs::is_directory(status)) {
    return Wrong(folder,
                 Say("not a folder; give the folder of the project", "不是目录; 请给出工程目录"));
  }
  return Done();
}

/// The current folder of the runs must lie in both projects.
Result<Done> CheckCurrentFolder(const VerifyOptions& options) {
  if (options.folder.empty()) return Done();
  const fs::path folder = fs::path(options.folder).lexically_normal();
  if (folder.is_absolute() || folder.begin()->native() == "..") {
    return Wrong(options.folder, Say("--cwd must be relative to the project and lie in it",
                                     "--cwd 须相对于工程目录并位于其内"));
  }
  for (const std::string& project : {options.original, options.migrated}) {
    std::error_code error;
    if (fs::is_directory(project / folder, error)) continue;
    return Wrong((project / folder).string(),
                 Say("there is no such folder; --cwd is relative to the project, and both projects "
                     "must have it",
                     "目录不存在; --cwd 相对于工程目录, 且两个工程都须有它"));
  }
  return Done();
}

/// The script that Python is to run, or "" where none is named (`-m MODULE`, `-c CODE`).
std::string ScriptOf(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (std::find(kWithArgument.begin(), kWithArgument.end(), argument) != kWithArgument.end()) {
      ++i;
    } else if (argument == "-m") {
      const bool launches =
          i + 1 < arguments.size() && Words("launcher-modules").Has(arguments[i + 1]);
      const auto script =
          std::find_if(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end(),
                       [](const std::string& word) { return word.ends_with(".py"); });
      return launches && script != arguments.end() ? *script : "";
    } else if (argument == "-c" || argument == "-") {
      return "";
    } else if (!argument.starts_with('-')) {
      return argument;
    }
  }
  return "";
}

Result<Done> CheckScript(const VerifyOptions& options) {
  if (options.arguments.empty()) {
    return Wrong("",
                 Say("which script? Give it behind --: transplt verify ORIGINAL MIGRATED -- "
                     "train.py --epochs 1",
                     "运行哪个脚本? 请写在 -- 之后: transplt verify 原工程 迁移后工程 -- train.py "
                     "--epochs 1"));
  }
  const std::string script = ScriptOf(options.arguments);
  if (script.empty()) return Done();
  if (script.starts_with('/')) {
    return Wrong(script, Say("the script must be given relative to the project, because each "
                             "project has its own",
                             "脚本路径须相对于工程目录, 因为两个工程各有自己的脚本"));
  }
  const fs::path inner = (fs::path(options.folder) / script).lexically_normal();
  if (inner.begin()->native() == "..") {
    return Wrong(script, Say("the script must lie in the project, because each run has a copy of "
                             "its project",
                             "脚本须位于工程目录内, 因为每次运行都使用工程的副本"));
  }
  for (const std::string& project : {options.original, options.migrated}) {
    std::error_code error;
    if (fs::is_regular_file(project / inner, error)) continue;
    return Wrong(
        (project / inner).string(),
        Say("the script is missing; its path is relative to the project (or to --cwd), and "
            "both projects must have it",
            "缺少脚本; 其路径相对于工程目录 (或 --cwd), 且两个工程都须有它"));
  }
  return Done();
}

/// A work folder in a project would be copied into itself.
Result<Done> CheckKeep(const VerifyOptions& options) {
  if (options.keep.empty()) return Done();
  std::error_code error;
  const std::string keep = fs::weakly_canonical(options.keep, error).string() + "/";
  for (const std::string& project : {options.original, options.migrated}) {
    if (keep.starts_with(fs::canonical(project, error).string() + "/")) {
      return Wrong(options.keep,
                   Say("--keep must not lie in a project", "--keep 不能位于工程目录内"));
    }
  }
  return Done();
}

/// True if a training on one card has become one on several.
bool GotSeveralCards(const VerifyOptions& options) {
  const fs::path folder =
      (fs::path(options.folder) / ScriptOf(options.arguments)).parent_path() / "";
  const std::string name = fmt::format("{}.py", kDistributedModule);
  std::error_code error;
  return fs::is_regular_file(options.migrated / folder / name, error) &&
         !fs::is_regular_file(options.original / folder / name, error);
}

/// How the reference runs: where it has one card, without what starts several processes.
RunSettings ReferenceSettings(RunSettings settings, bool has_one_card) {
  std::vector<std::string>& arguments = settings.arguments;
  if (has_one_card && !arguments.empty() && arguments.front() == "-m") {
    arguments.erase(arguments.begin(), std::ranges::find(arguments, ScriptOf(arguments)));
  }
  return settings;
}

/// What differs between one card and several: numbers are added in another order.
NumberTolerance ToleranceFor(const VerifyOptions& options, bool has_one_card) {
  const bool is_given = options.tolerance.relative > 0 || options.tolerance.absolute > 0;
  if (!has_one_card || is_given) return options.tolerance;
  NumberTolerance tolerance = options.tolerance;
  tolerance.relative = 1e-3;
  tolerance.absolute = 1e-4;
  return tolerance;
}

/// The argument with `{device}` or `{backend}` for the value that is CUDA's, if it is.
std::string OfEachRun(const std::string& argument) {
  const size_t value = argument.find('=') + 1;  // 0 if there is no '='
  const std::string name = argument.substr(0, value);
  const std::string_view text = std::string_view(argument).substr(value);
  constexpr std::string_view kCuda = "cuda";
  if (text == "nccl") return name + "{backend}";
  if (text != kCuda && !text.starts_with("cuda:")) return argument;
  return fmt::format("{}{{device}}{}", name, text.substr(kCuda.size()));
}

/// What the time that one run may take is divided by to get that after which a training that goes
/// on is ended in front of its next step. The other runs make as many steps, and some are slower.
constexpr int kRunsForOneTimeout = 3;

/// The runs of one verification, and the checks that they give.
class Runs {
 public:
  Runs(const VerifyOptions& options, const RunSettings& settings, std::vector<Check>& checks)
      : options_(options),
        settings_(settings),
        has_one_card_(GotSeveralCards(options)),
        reference_settings_(ReferenceSettings(settings, has_one_card_)),
        comparison_settings_{settings.python,      settings.simulator,
                             settings.work_folder, ToleranceFor(options, has_one_card_),
                             options.timeout,      options.cancelled},
        checks_(checks) {}

  /// Those that are CUDA's, and were replaced for the migrated project.
  const std::vector<std::string>& OwnArguments() const { return own_arguments_; }

  /// After how many steps a process of the migrated project was ended; 0 if none was.
  int EndedAfterSteps() const { return static_cast<int>(migrated_->report.steps); }

  Result<Verdict> Execute() {
    if (const Result<Done> done = RunBoth(); !done) return done.error();
    checks_.push_back(CheckReference(*reference_));
    AddWhatItWanted(checks_.back());
    checks_.push_back(CheckMigrated(*migrated_, *reference_));
    for (const std::string& argument : own_arguments_) {
      checks_.back().Add(
          {Say("with {} in its arguments it fails, and was run with what is its own: start it so "
               "on an NPU (here: write {})",
               "参数为 {} 时运行失败, 已改用其自身的值运行: 在 NPU 上也请如此启动 (此处请写 {})",
               argument, OfEachRun(argument))});
    }
    checks_.push_back(CheckResidual(*migrated_, FindCheck("left")));
    if (checks_.back().state == Check::State::kFailed) HintAtArguments(checks_.back());
    checks_.push_back(CheckDevices(*migrated_, *reference_, has_one_card_));
    const bool ended = HasEnded(*reference_) && HasEnded(*migrated_);
    bool is_nothing = false;
    if (ended) {
      const Result<bool> compared = Compare();
      if (!compared) return compared.error();
      is_nothing = !*compared;
    } else {
      AddChecksOfUnendedRuns();
    }
    if (const Result<Done> done = RunOnCpu(); !done) return done.error();
    checks_.push_back(CheckOperators(*migrated_));
    checks_.push_back(CheckOldSpellings(*migrated_, *reference_));
    checks_.push_back(CheckUnsimulated(*migrated_));
    if (IsCancelled(options_.cancelled)) {
      return Wrong("", Say("interrupted", "已中断"));
    }
    checks_.push_back(CheckCopies(*migrated_, *reference_));
    AddChangedFiles(checks_.back());
    return VerdictOf(is_nothing);
  }

 private:
  /// Of those made until now; null if there is none.
  const Check* FindCheck(std::string_view id) const {
    const auto found = std::find_if(checks_.begin(), checks_.end(),
                                    [&](const Check& check) { return check.id == id; });
    return found == checks_.end() ? nullptr : &*found;
  }

  /// In what all runs differ from what was asked for.
  void AddWhatItWanted(Check& check) const {
    if (settings_.devices > std::max(options_.devices, 1)) {
      check.Add(
          {Say("{} devices were simulated: as many as its numbers of devices want "
               "(--devices)",
               "模拟了 {} 个设备: 与其设备编号所需的数量相同 (--devices)", settings_.devices)});
    }
    if (settings_.whole_data) {
      check.Add(
          {Say("its stand-ins have as many pictures as the originals: with fewer it "
               "failed, as where a script splits them by number",
               "其替身数据集与原数据集大小相同: 较小时运行失败, "
               "例如脚本按数量划分数据集")});
    }
    if (settings_.largest_batch > 0) {
      check.Add(
          {Say("its loaders gave at most {} elements at once, in all runs: with the "
               "batches of the script it did not come far enough in time (--timeout)",
               "各次运行中数据加载器每批最多 {} 个元素: 使用脚本的批大小时未能及时完成 "
               "(--timeout)",
               settings_.largest_batch)});
    }
  }

  /// Comes to an end by itself; whether with success is another question.
  static bool HasEnded(const SimulatedRun& run) {
    return run.end.how == ProcessEnd::How::kExit && run.report.exceptions.empty() &&
           run.tracebacks.empty() && !run.report.is_slow;
  }

  /// Its time was over, and nothing else was wrong with it.
  static bool WasLate(const SimulatedRun& run) {
    return run.end.how == ProcessEnd::How::kTimeout && run.report.exceptions.empty();
  }

  /// What a run has printed before its time was over is not thrown away.
  void AddChecksOfUnendedRuns() {
    const Text why =
        Say("not compared: not both runs came to their end", "未比较: 并非两次运行都已结束");
    if ((WasLate(*reference_) || HasEnded(*reference_)) &&
        (WasLate(*migrated_) || HasEnded(*migrated_))) {
      checks_.push_back(CheckBeginnings(*reference_, *migrated_, comparison_settings_));
    } else {
      checks_.push_back({"numbers", Say("printed numbers are equal", "打印的数字一致"),
                         Check::State::kSkipped, why});
    }
    checks_.push_back(
        {"files", Say("written files are equal", "写出的文件一致"), Check::State::kSkipped, why});
  }

  Result<SimulatedRun> Run(const std::string& project, const std::string& name,
                           const std::string& device, const Text& what,
                           const std::string& lender = "") {
    return RunWith(project == options_.original ? reference_settings_ : settings_, project, name,
                   device, what, lender);
  }

  Result<SimulatedRun> RunWith(const RunSettings& settings, const std::string& project,
                               const std::string& name, const std::string& device, const Text& what,
                               const std::string& lender = "") {
    options_.progress(what);
    Result<SimulatedRun> run = RunSimulated(settings, project, name, device, lender);
    if (run && run->end.how == ProcessEnd::How::kCancelled) {
      return Wrong("", Say("interrupted", "已中断"));
    }
    return run;
  }

  /// A script that names its project by an absolute path does not see its copy.
  void AddChangedFiles(Check& check) const {
    constexpr size_t kMost = 10;
    for (const auto& [project, before] : before_) {
      std::vector<std::string> changed = WrittenFiles(before, ListFiles(project));
      if (changed.size() > kMost) changed.resize(kMost);
      for (const std::string& path : changed) {
        CheckItem item{
            Say("was written in {} itself during the runs: if it was not you, the script "
                "names the project by an absolute path, and does not see its copy",
                "运行期间 {} 本身的此文件被写入: 若非您所为, "
                "则脚本以绝对路径指定工程, 未使用副本",
                project),
            path};
        item.is_failure = true;
        check.Add(std::move(item));
      }
    }
  }

  Result<Done> RunBoth() {
    for (const std::string& project : {options_.original, options_.migrated}) {
      before_[project] = ListFiles(project);
    }
    if (const Result<Done> done = RunReference(); !done) return done.error();
    Result<SimulatedRun> migrated =
        Run(options_.migrated, "migrated", DefaultTarget().device,
            Say("running the migrated project, simulated npu", "正在运行迁移后的工程, 模拟 npu"),
            options_.original);
    if (!migrated) return migrated.error();
    migrated_ = *std::move(migrated);
    if (HasEnded(*reference_) && !HasEnded(*migrated_)) return RunWithItsOwnArguments();
    return Done();
  }

  /// A training that goes on for long is ended, and all other runs are after the same step.
  Result<Done> RunReference() {
    const Text what = Say("running the original, simulated cuda", "正在运行原工程, 模拟 cuda");
    reference_settings_.time_for_steps = options_.timeout / kRunsForOneTimeout;
    if (options_.fake_data)
      reference_settings_.time_for_first_step = reference_settings_.time_for_steps;
    Result<SimulatedRun> reference = Run(options_.original, "reference", "cuda", what);
    if (!reference) return reference.error();
    reference_ = *std::move(reference);
    if (const Result<Done> done = RunWithWhatItWants(); !done) return done.error();
    reference_settings_.time_for_first_step = std::chrono::seconds(0);
    if (reference_->report.is_slow) {
      Result<SimulatedRun> patient =
          Run(options_.original, "reference_with_patience", "cuda", what);
      if (!patient) return patient.error();
      reference_ = *std::move(patient);
    }
    if (!reference_->report.is_late) return Done();
    reference_settings_.steps = static_cast<int>(reference_->report.steps);
    settings_.steps = reference_settings_.steps;
    if (reference_->report.HasOneLastStep()) return Done();
    Result<SimulatedRun> again =
        Run(options_.original, "reference_in_step", "cuda",
            Say("its processes were ended after different steps: running it again",
                "其各进程在不同步骤后结束: 再次运行"));
    if (!again) return again.error();
    reference_ = *std::move(again);
    reference_->report.is_late = true;
    return Done();
  }

  /// A reference that failed for want of what a simulated host can have is run again with it.
  Result<Done> RunWithWhatItWants() {
    if (WantsMoreDevices()) {
      if (const Result<Done> done = RunWithMoreDevices(); !done) return done.error();
    }
    if (reference_->report.short_of_data) {
      if (const Result<Done> done = RunWithWholeData(); !done) return done.error();
    }
    if (IsSlowWithLargeBatches()) {
      if (const Result<Done> done = RunWithSmallBatches(); !done) return done.error();
    }
    // A loop over the elements that are left behind a split goes on for ever where there are none.
    const bool may_lack_data = reference_->report.is_slow && reference_->report.has_few_data;
    return may_lack_data ? RunWithWholeData() : Result<Done>(Done());
  }

  bool WantsMoreDevices() const {
    constexpr uint64_t kMost = 64;  // a number beyond that is a mistake
    return options_.devices == 0 && !HasEnded(*reference_) &&
           reference_->report.wanted_devices <= kMost &&
           reference_->report.wanted_devices > static_cast<uint64_t>(settings_.devices);
  }

  /// Runs the original with a change of its settings. Keeps that run, and the change for all runs
  /// behind it, only if it is `better`.
  Result<Done> RunChanged(const std::function<void(RunSettings&)>& change, const std::string& name,
                          const Text& why, bool (*better)(const SimulatedRun&)) {
    RunSettings changed = reference_settings_;
    change(changed);
    Result<SimulatedRun> run = RunWith(changed, options_.original, name, "cuda", why);
    if (!run) return run.error();
    if (!better(*run)) return Done();
    reference_ = *std::move(run);
    change(reference_settings_);
    change(settings_);
    return Done();
  }

  Result<Done> RunWithMoreDevices() {
    const int devices = static_cast<int>(reference_->report.wanted_devices);
    return RunChanged([&](RunSettings& settings) { settings.devices = devices; },
                      "reference_with_more_devices",
                      Say("its numbers of devices want {} of them: running it with as many",
                          "其设备编号需要 {} 个设备: 以此数量再次运行", devices),
                      [](const SimulatedRun& run) { return run.report.wanted_devices == 0; });
  }

  Result<Done> RunWithWholeData() {
    return RunChanged([](RunSettings& settings) { settings.whole_data = true; },
                      "reference_with_whole_data",
                      Say("it failed, maybe because its stand-in data are few: running it with as "
                          "many as the originals have",
                          "运行失败, 可能因替身数据过少: 以与原数据集相同的数量再次运行"),
                      [](const SimulatedRun& run) { return HasEnded(run); });
  }

  bool IsSlowWithLargeBatches() const {
    return reference_->report.is_slow ||
           (WasLate(*reference_) && reference_->report.largest_batch > kSmallBatch);
  }

  /// Where it was the first step that took too long, a run that comes further is better.
  Result<Done> RunWithSmallBatches() {
    bool (*const better)(const SimulatedRun&) =
        reference_->report.is_slow
            ? [](const SimulatedRun&
                     run) { return HasEnded(run) || (WasLate(run) && run.report.trainers > 0); }
            : [](const SimulatedRun& run) { return HasEnded(run); };
    return RunChanged([](RunSettings& settings) { settings.largest_batch = kSmallBatch; },
                      "reference_with_small_batches",
                      Say("it is too slow for a CPU: running it with batches of at most {}",
                          "在 CPU 上运行过慢: 以不超过 {} 的批大小再次运行", kSmallBatch),
                      better);
  }

  /// The migrated script gets what the user has written, and that may be CUDA's.
  void HintAtArguments(Check& check) const {
    for (const std::string& argument : options_.arguments) {
      if (OfEachRun(argument) == argument) continue;
      check.Add(
          {Say("{} in the arguments goes to the migrated script as well: write {} for what each "
               "run has",
               "参数中的 {} 也会传给迁移后的脚本: 请写 {}, 由各次运行替换", argument,
               OfEachRun(argument))});
    }
  }

  /// Where it fails with CUDA's device in its arguments, it gets its own.
  Result<Done> RunWithItsOwnArguments() {
    RunSettings changed = settings_;
    std::ranges::transform(changed.arguments, changed.arguments.begin(), OfEachRun);
    if (changed.arguments == settings_.arguments) return Done();
    Result<SimulatedRun> run = RunWith(
        changed, options_.migrated, "migrated_with_its_own_arguments", DefaultTarget().device,
        Say("it failed with CUDA's device in its arguments: running it with its own",
            "参数中为 CUDA 设备时运行失败: 以其自身的设备再次运行"),
        options_.original);
    if (!run) return run.error();
    if (!HasEnded(*run)) return Done();
    migrated_ = *std::move(run);
    for (const std::string& argument : options_.arguments) {
      if (OfEachRun(argument) != argument) own_arguments_.push_back(argument);
    }
    return Done();
  }

  /// Runs the reference once more, and learns what differs between its runs.
  Result<Done> RepeatReference() {
    Result<SimulatedRun> again =
        Run(options_.original, fmt::format("reference_again{}", again_.size() + 1), "cuda",
            Say("something differs: running the reference again", "存在差异: 再次运行参考"));
    if (!again) return again.error();
    again_.push_back(*std::move(again));
    variation_.Add(FindResultVariation(*reference_, again_.back(), comparison_settings_));
    repeated_.reset();
    for (const SimulatedRun& run : again_) {
      Result<ResultComparison> comparison =
          CompareRuns(*reference_, run, comparison_settings_, variation_);
      if (!comparison) return comparison.error();
      if (repeated_) {
        repeated_->Add(*comparison);
      } else {
        repeated_ = *std::move(comparison);
      }
    }
    return Done();
  }

  /// Compares with the reference. Where something differs, what the reference itself does not
  /// reproduce is set aside; `checks` then hold the rest.
  Result<ResultComparison> CompareWithReference(const SimulatedRun& run, OutputKind out,
                                                std::vector<Check>& checks) {
    constexpr size_t kMostRepetitions = 4;
    while (true) {
      Result<ResultComparison> comparison =
          CompareRuns(*reference_, run, comparison_settings_, variation_, out);
      if (!comparison) return comparison.error();
      const bool must_repeat = again_.empty() && !comparison->IsEqual();
      if (!must_repeat) {
        checks = CheckResults(*comparison, repeated_);
        if (again_.size() >= kMostRepetitions ||
            !MayBeChance(*comparison, *reference_, run, comparison_settings_, variation_)) {
          return comparison;
        }
      }
      if (const Result<Done> done = RepeatReference(); !done) return done.error();
    }
  }

  /// False if there was nothing to compare.
  Result<bool> Compare() {
    std::vector<Check> checks;
    const Result<ResultComparison> comparison =
        CompareWithReference(*migrated_, OutputKind::kResults, checks);
    if (!comparison) return comparison.error();
    for (Check& check : checks) checks_.push_back(std::move(check));
    if (reference_->is_cut_off || migrated_->is_cut_off) {
      checks_.back().Fail(
          Say("a run has printed more than 64 MiB or 400,000 lines: the rest was not compared",
              "某次运行打印超过 64 MiB 或 400,000 行: 其余部分未比较"));
    }
    return !IsNothing(*comparison);
  }

  Result<Done> RunOnCpu() {
    if (options_.skip_cpu || !reference_->Succeeded()) {
      const Text why = options_.skip_cpu ? Say("as asked (--skip-cpu)", "按要求跳过 (--skip-cpu)")
                                         : Say("the reference did not succeed", "参考运行未成功");
      checks_.push_back(
          {"cpu", Say("the original, no device", "原工程, 无设备"), Check::State::kSkipped, why});
      return Done();
    }
    const Result<SimulatedRun> cpu =
        Run(options_.original, "cpu", "cpu",
            Say("running the original without any device", "正在无设备运行原工程"));
    if (!cpu) return cpu.error();
    ResultComparison comparison;
    if (cpu->Succeeded()) {
      std::vector<Check> checks;
      Result<ResultComparison> compared = CompareWithReference(*cpu, OutputKind::kNumbers, checks);
      if (!compared) return compared.error();
      comparison = *std::move(compared);
    }
    checks_.push_back(CheckCpu(*cpu, comparison));
    return Done();
  }

  Verdict VerdictOf(bool is_nothing) const {
    if (!reference_->Succeeded()) return Verdict::kReferenceFailed;
    const auto failed = [](const Check& check) { return check.state == Check::State::kFailed; };
    if (std::any_of(checks_.begin(), checks_.end(), failed)) return Verdict::kFailed;
    if (!migrated_->report.used_device) return Verdict::kNoDevice;
    if (is_nothing) return Verdict::kNothingCompared;
    const auto lacks_support = [](const Check& check) {
      return std::ranges::any_of(check.items, &CheckItem::lacks_support);
    };
    return std::ranges::any_of(checks_, lacks_support) ? Verdict::kLacksSupport : Verdict::kEqual;
  }

  const VerifyOptions& options_;
  RunSettings settings_;
  std::vector<std::string> own_arguments_;  // replaced by those of each run, as given
  const bool has_one_card_;                 // of the original; the result has several
  RunSettings reference_settings_;
  const ComparisonSettings comparison_settings_;
  std::vector<Check>& checks_;
  std::map<std::string, FileStates> before_;  // of the projects themselves
  std::optional<SimulatedRun> reference_;
  std::optional<SimulatedRun> migrated_;
  std::vector<SimulatedRun> again_;  // more runs of the reference
  ResultVariation variation_;        // between its runs
  std::optional<ResultComparison> repeated_;
};

RunSettings SettingsOf(const VerifyOptions& options, const PythonHost& host,
                       const WorkFolder& folder, const NpuNames& names) {
  RunSettings settings;
  settings.python = host.program;
  settings.arguments = options.arguments;
  settings.folder = options.folder;
  settings.projects = {options.original, options.migrated};
  settings.simulator = folder.simulator();
  settings.work_folder = folder.path();
  settings.torch_npu = names.version();
  settings.devices = std::max(options.devices, 1);
  settings.seed = options.seed;
  settings.steps = options.steps;
  settings.fake_data = options.fake_data;
  settings.timeout = options.timeout;
  settings.keep_copies = !options.keep.empty();
  settings.cancelled = options.cancelled;
  return settings;
}

}  // namespace

Result<Verification> Verify(const VerifyOptions& options) {
  for (const std::string& project : {options.original, options.migrated}) {
    if (const Result<Done> done = CheckFolder(project); !done) return done.error();
  }
  if (!options.static_only) {
    if (const Result<Done> done = CheckCurrentFolder(options); !done) return done.error();
    if (const Result<Done> done = CheckScript(options); !done) return done.error();
  }
  if (const Result<Done> done = CheckKeep(options); !done) return done.error();
  const Result<NpuNames> names = NpuNames::Of(options.torch_npu);
  if (!names) return names.error();
  const Result<WorkFolder> folder = WorkFolder::Create(options.keep);
  if (!folder) return folder.error();
  const Result<RunGuard> guard = RunGuard::Start(folder->path(), !options.keep.empty());
  if (!guard) return guard.error();
  const Result<PythonHost> host =
      FindPythonHost(options.python, folder->simulator(), folder->path(), !options.static_only);
  if (!host) return host.error();

  Verification result{options.original, options.migrated, options.arguments, host->program,
                      host->python,     host->torch,      names->version(),  {}};
  options.progress(Say("looking at the files", "正在检查文件"));
  Result<std::vector<Check>> checks =
      CheckStatically({options.original, options.migrated, host->program, folder->path(),
                       folder->simulator(), options.static_only},
                      *names);
  if (!checks) return checks.error();
  result.checks = *std::move(checks);
  if (options.static_only) {
    const bool failed =
        std::any_of(result.checks.begin(), result.checks.end(),
                    [](const Check& check) { return check.state == Check::State::kFailed; });
    result.verdict = failed ? Verdict::kFailed : Verdict::kStaticOk;
    return result;
  }
  const RunSettings settings = SettingsOf(options, *host, *folder, *names);
  Runs runs(options, settings, result.checks);
  const Result<Verdict> verdict = runs.Execute();
  if (!verdict) return verdict.error();
  result.verdict = *verdict;
  result.own_arguments = runs.OwnArguments();
  result.ended_after_steps = runs.EndedAfterSteps();
  return result;
}

}  // namespace transplt
