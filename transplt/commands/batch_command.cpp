// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/plain_text.h"
#include "transplt/batch/batch.h"
#include "transplt/commands/batch_script.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/conversion_options.h"
#include "transplt/commands/merge_command.h"
#include "transplt/commands/terminal.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualTimeout = 3600;  // seconds: the largest projects take some minutes

struct BatchArguments {
  std::string manifest;
  std::string folder;  ///< of --each
  std::string output;
  int jobs = 0;
  std::string shard;
  size_t shards = 0;
  std::string script;
  std::vector<std::string> retry;
  int timeout = kUsualTimeout;
  uint64_t memory = 0;
  ArchiveLimits archives;
  bool resume = false;
  bool no_output = false;
  bool no_times = false;
  OptionValues conversion;  ///< options of migrate, for projects that do not have their own
};

/// The processors that this process may use: a cluster gives it some of those of the machine.
size_t Processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 1;
  return static_cast<size_t>(std::max(CPU_COUNT(&usable), 1));
}

Error Usage(const std::string& where, Text what) {
  return {Error::Code::kUsage, where, std::move(what)};
}

Result<Shard> ShardOf(const BatchArguments& arguments) {
  return arguments.shard.empty() ? Result<Shard>(Shard()) : ParseShard(arguments.shard);
}

/// True if `path`, which need not exist, is `folder` or lies below it.
bool LiesInside(const std::string& path, const std::string& folder) {
  std::error_code error;  // what cannot be asked is refused where it is opened
  const fs::path inner = fs::weakly_canonical(fs::absolute(path, error), error);
  const fs::path outer = fs::weakly_canonical(fs::absolute(folder, error), error);
  const auto [end, ignored] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

std::optional<Error> FindContradiction(const BatchArguments& arguments) {
  if (arguments.manifest.empty() == arguments.folder.empty()) {
    return Usage("", Say("give a MANIFEST, or --each FOLDER, and not both",
                         "请给出 MANIFEST 或 --each FOLDER 之一"));
  }
  if (arguments.output.empty()) {
    return Usage("-o",
                 Say("is missing: name the folder for the results", "缺失: 请指定输出文件夹"));
  }
  if (!arguments.retry.empty() && !arguments.resume) {
    return Usage("--retry", Say("belongs to --resume", "须与 --resume 一起使用"));
  }
  if (arguments.script.empty() != (arguments.shards == 0)) {
    return Usage("--script", Say("needs --shards N, the number of parts, and --shards needs it",
                                 "须与 --shards N (份数) 一起使用, 反之亦然"));
  }
  if (!arguments.script.empty() && (!arguments.shard.empty() || arguments.manifest == "-")) {
    return Usage("--script", Say("writes --shard itself, and needs a manifest in a file",
                                 "会自行写出 --shard, 且清单须为文件"));
  }
  if (!arguments.folder.empty() && LiesInside(arguments.output, arguments.folder)) {
    return Usage("-o", Say("lies in the folder of --each, and would be one of its projects: choose "
                           "one outside",
                           "位于 --each 的文件夹内, 会被当作其中的项目: 请选择其外的文件夹"));
  }
  return std::nullopt;
}

/// All values as one text, the same for the same values.
std::string TextOf(const OptionValues& values) {
  std::string text;
  for (const auto& [name, list] : values) {
    for (const std::string& value : list) {
      text += fmt::format("--{}={}\n", name, QuoteForMessage(value, std::string::npos));
    }
  }
  return text;
}

/// Gives each project its options, and collects what is wrong with them.
class Items {
 public:
  Items(const BatchArguments& arguments, Language language)
      : arguments_(arguments),
        language_(language),
        folder_(fs::path(arguments.manifest).parent_path()) {}

  std::vector<BatchItem> Make(Manifest manifest) {
    std::vector<BatchItem> items;
    mistakes_ = std::move(manifest.mistakes);
    for (BatchProject& project : manifest.projects) {
      const std::shared_ptr<const ProjectOptions> options = OptionsOf(project);
      project.options.clear();
      if (options != nullptr) items.push_back({std::move(project), options});
    }
    return items;
  }

  const std::vector<Error>& mistakes() const { return mistakes_; }

 private:
  std::shared_ptr<const ProjectOptions> OptionsOf(const BatchProject& project) {
    OptionValues values = arguments_.conversion;
    for (const auto& [name, list] : project.options) {
      values[name] = list;
      if (name != "rule") continue;
      for (std::string& path : values[name]) path = (folder_ / path).string();
    }
    const std::string text = TextOf(values);
    const auto [known, is_new] = known_.try_emplace(text);
    if (!is_new && known->second == nullptr && project.options.empty()) return nullptr;
    if (is_new || known->second == nullptr) {
      Result<MigrationOptions> migration = ReadConversionOptions(values);
      if (!migration) {
        AddMistake(project, migration.error());
        return nullptr;
      }
      migration->language = language_;
      known->second =
          std::make_shared<const ProjectOptions>(ProjectOptions{*std::move(migration), text});
    }
    return known->second;
  }

  void AddMistake(const BatchProject& project, const Error& error) {
    if (project.options.empty()) {
      mistakes_.push_back(error);  // of the command line
      return;
    }
    const std::string where = error.where.empty() ? "options" : error.where;
    mistakes_.push_back({error.code, project.where + ": " + where, error.what});
  }

  const BatchArguments& arguments_;
  const Language language_;
  const fs::path folder_;  // of the manifest: paths of rules in it start there
  std::map<std::string, std::shared_ptr<const ProjectOptions>> known_;
  std::vector<Error> mistakes_;
};

/// The words of this command line that say what is done, for a script.
BatchScript ScriptOf(const BatchArguments& arguments) {
  BatchScript script;
  std::vector<std::string>& words = script.arguments;
  const auto add = [&](bool is_given, std::vector<std::string> more) {
    if (is_given) words.insert(words.end(), more.begin(), more.end());
  };
  const std::vector<std::string> source =
      arguments.folder.empty() ? std::vector<std::string>{arguments.manifest}
                               : std::vector<std::string>{"--each", arguments.folder};
  const ArchiveLimits usual;
  add(true, source);
  add(true, {"-o", arguments.output});
  add(arguments.timeout != kUsualTimeout, {"--timeout", std::to_string(arguments.timeout)});
  add(arguments.memory != 0, {"--memory", std::to_string(arguments.memory)});
  add(arguments.archives.bytes != usual.bytes,
      {"--archive-size", std::to_string(arguments.archives.bytes)});
  add(arguments.archives.files != usual.files,
      {"--archive-files", std::to_string(arguments.archives.files)});
  add(arguments.no_output, {"--no-output"});
  add(arguments.no_times, {"--no-times"});
  for (const std::string& outcome : arguments.retry) add(true, {"--retry", outcome});
  for (const auto& [name, values] : arguments.conversion) {
    for (const std::string& value : values) add(true, {"--" + name + "=" + value});
  }
  script.merge = {arguments.output};
  if (arguments.folder.empty()) {
    script.merge.insert(script.merge.end(), {"--manifest", arguments.manifest});
  } else {
    script.merge.insert(script.merge.end(), {"--each", arguments.folder});
  }
  script.shards = arguments.shards;
  script.jobs = static_cast<size_t>(arguments.jobs);
  return script;
}

BatchOptions OptionsOf(const BatchArguments& arguments, const Shard& shard) {
  BatchOptions options;
  options.output = arguments.output;
  options.shard = shard;
  options.jobs = arguments.jobs > 0 ? static_cast<size_t>(arguments.jobs) : Processors();
  options.limits = {std::chrono::seconds(arguments.timeout), arguments.memory};
  options.archives = arguments.archives;
  options.resume = arguments.resume;
  for (const std::string& name : arguments.retry) {
    if (const auto outcome = OutcomeNamed(name)) options.retry.push_back(*outcome);
  }
  options.with_trees = !arguments.no_output;
  options.with_run = !arguments.no_times;
  return options;
}

int ReportBatch(const BatchEnd& end, Language language) {
  std::string outcomes;
  for (size_t i = 0; i < kProjectOutcomes.size(); ++i) {
    if (end.counts.at(i) == 0) continue;
    outcomes += fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", end.counts.at(i),
                            OutcomeText(kProjectOutcomes.at(i)).In(language));
  }
  PrintErr(Say("{} of {} projects have a record ({} of them from an earlier run): {}\n"
               "Records: {}\n",
               "{} / {} 个项目已有记录 (其中 {} 个来自先前运行): {}\n记录: {}\n", end.records(),
               end.projects, end.skipped, outcomes, OneLine(end.results))
               .In(language));
  if (end.stop_signal != 0) {
    PrintErr(Say("transplt: interrupted by SIG{}; go on with the same command and --resume\n",
                 "transplt: 被 SIG{} 中断; 请用相同命令加 --resume 继续\n",
                 sigabbrev_np(end.stop_signal))
                 .In(language));
    return 128 + end.stop_signal;
  }
  // The first two need nobody.
  return end.counts.at(0) + end.counts.at(1) == end.projects ? kExitDone : kExitNeedsPerson;
}

int RunBatchCommand(const BatchArguments& arguments, Language language) {
  if (const auto error = FindContradiction(arguments)) return Complain(*error, language);
  const Result<Shard> shard = ShardOf(arguments);
  if (!shard) return Complain(shard.error(), language);
  Items maker(arguments, language);
  const std::vector<BatchItem> items =
      maker.Make(arguments.folder.empty() ? ReadManifest(arguments.manifest)
                                          : ManifestOfFolder(arguments.folder));
  for (const Error& mistake : maker.mistakes()) Complain(mistake, language);
  if (!maker.mistakes().empty()) return kExitUsage;
  if (!arguments.script.empty()) {
    const BatchScript script = ScriptOf(arguments);
    PrintOut(arguments.script == "slurm" ? SlurmScript(script) : ParallelScript(script));
    return kExitDone;
  }
  BatchOptions options = OptionsOf(arguments, *shard);
  const Result<BatchEnd> end = [&] {
    ProgressLine progress;
    options.progress = [&](size_t done, size_t total) { progress.Show(done, total); };
    return RunBatch(items, options);
  }();
  if (end) return ReportBatch(*end, language);
  const int code = Complain(end.error(), language);
  if (end.error().code == Error::Code::kIo) {
    PrintErr(
        Say("transplt: the records so far are complete; repair that, and go on with --resume\n",
            "transplt: 已有记录均完整; 请排除该问题后用 --resume 继续\n")
            .In(language));
  }
  return code;
}

void AddRunOptions(CLI::App* app, BatchArguments& arguments) {
  app->add_option("-j,--jobs", arguments.jobs,
                  "projects at a time, each on one processor; 0: one per processor")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app->add_option("--shard", arguments.shard,
                  "do only the K-th of N parts: the projects number K, K+N, K+2N ...")
      ->type_name("K/N");
  app->add_flag("--resume", arguments.resume,
                "skip projects whose record an earlier run has written from the same manifest "
                "line, options, rules and version");
  std::vector<std::string> outcomes;
  for (const ProjectOutcome outcome : kProjectOutcomes) outcomes.emplace_back(Name(outcome));
  app->add_option("--retry", arguments.retry, "with --resume: do these once more")
      ->type_name("OUTCOME,...")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(CLI::IsMember(outcomes));
  app->add_option("--timeout", arguments.timeout, "seconds for each project; 0: no limit")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app->add_option("--memory", arguments.memory, "for each project, such as 4G; 0: no limit")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  app->add_option("--archive-size", arguments.archives.bytes,
                  "the most that an archive may hold, such as 10G")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  app->add_option("--archive-files", arguments.archives.files, "and how many files")
      ->capture_default_str();
  app->add_flag("--no-output", arguments.no_output, "write the records only, no migrated projects");
  app->add_flag("--no-times", arguments.no_times,
                "records leave out what differs from run to run: time, memory");
  app->add_option("--script", arguments.script,
                  "run nothing; print a script that does the batch in --shards parts")
      ->check(CLI::IsMember({"slurm", "parallel"}));
  app->add_option("--shards", arguments.shards, "the number of parts for --script")
      ->check(CLI::Range(1, 100'000));
}

}  // namespace

void AddBatchCommand(CommandLine line) {
  auto arguments = std::make_shared<BatchArguments>();
  CLI::App* app = line.app.add_subcommand(
      "batch", "migrate many projects, each in a process of its own, with a record for each");
  app->add_option("MANIFEST", arguments->manifest,
                  "JSON Lines, a project per line: {\"path\": FOLDER or ARCHIVE, \"name\": ..., "
                  "\"options\": {\"framework\": \"pytorch\", ...}}; - for standard input");
  app->add_option("--each", arguments->folder, "instead: every folder and archive in this folder")
      ->type_name("FOLDER");
  app->add_option("-o,--output", arguments->output,
                  "OUT/results.jsonl gets the records, OUT/projects/NAME the migrated projects")
      ->type_name("OUT");
  AddRunOptions(app, *arguments);
  const std::shared_ptr<void> values = AddConversionOptions(app);
  AddMergeCommand(app, line);
  app->footer(
      "Exit codes: 0 all migrated; 1 some need a person or failed; 2 wrong usage; 128 + the "
      "signal: interrupted, go on with --resume.");
  app->callback([line, arguments, app, values] {
    if (!app->get_subcommands().empty()) return;
    arguments->conversion = ConversionValuesOf(*app);
    line.run = [line, arguments] {
      return RunBatchCommand(*arguments, ChooseLanguage(line.language));
    };
  });
}

}  // namespace transplt
