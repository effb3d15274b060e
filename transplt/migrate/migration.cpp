// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/migration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "transplt/base/ascii.h"
#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/base/test_file.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/torch_npu_releases.h"
#include "transplt/facts/dead_files.h"
#include "transplt/facts/served_devices.h"
#include "transplt/facts/value_flows.h"
#include "transplt/frontends/file_type.h"
#include "transplt/migrate/dead_links.h"
#include "transplt/migrate/file_migration.h"
#include "transplt/migrate/framework.h"
#include "transplt/migrate/missing_modules.h"
#include "transplt/migrate/missing_submodules.h"
#include "transplt/migrate/module_sources.h"
#include "transplt/migrate/native_sources.h"
#include "transplt/migrate/npu_launches.h"
#include "transplt/migrate/older_releases.h"
#include "transplt/migrate/other_files.h"
#include "transplt/migrate/own_operators.h"
#include "transplt/migrate/patch_series.h"
#include "transplt/migrate/policy.h"
#include "transplt/migrate/python_choice.h"
#include "transplt/migrate/release_choice.h"
#include "transplt/migrate/report_ids.h"
#include "transplt/migrate/run_record.h"
#include "transplt/migrate/served_programs.h"
#include "transplt/migrate/shadowed_modules.h"
#include "transplt/migrate/stand_in_plan.h"
#include "transplt/migrate/start_verdicts.h"
#include "transplt/migrate/torch_platform.h"
#include "transplt/migrate/unknown_packages.h"
#include "transplt/migrate/unplaced_training.h"
#include "transplt/migrate/unused_packages.h"
#include "transplt/programs/tensorflow_programs.h"
#include "transplt/project/result_manifest.h"
#include "transplt/python/dotted_name.h"
#include "transplt/report/change_list_csv.h"
#include "transplt/report/first_screen.h"
#include "transplt/report/record_place.h"
#include "transplt/report/run_log.h"
#include "transplt/report/unsupported_xlsx.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/library_counterpart.h"

namespace transplt {

/// runtime/python/transplt_similar.py; made by CMake.
std::string_view SimilarModule();

namespace {

constexpr std::string_view kSimilarFile = "transplt_similar.py";
constexpr std::string_view kStandInFeature = "cxx_stand_ins";
constexpr std::string_view kLauncherFile = "run_distributed_npu.sh";

/// A module that the result needs beside what it was made of.
struct AddedModule {
  std::string path;
  std::string_view text;
};

/// True if an edit calls for the module, and the project does not hold it from an earlier run.
bool UsesSimilarModule(const RunResult& run) {
  const auto is_it = [](const FileOutcome& file) { return file.file == kSimilarFile; };
  if (std::any_of(run.files.begin(), run.files.end(), is_it)) return false;
  return std::any_of(run.records.begin(), run.records.end(), [](const ChangeRecord& record) {
    return record.after.find("transplt_similar") != std::string::npos;
  });
}

/// True if edits make a program for several cards.
bool IsMultiCard(const RunResult& run) {
  return std::ranges::any_of(run.records, [](const ChangeRecord& record) {
    return record.rule_id == kMultiCardRule && record.applicability != Applicability::kDisplayOnly;
  });
}

/// True if the program `build` of the result builds stand-ins.
bool BuildsStandIns(const RunResult& run, const std::string& build) {
  return std::ranges::any_of(run.records, [&](const ChangeRecord& record) {
    return record.rule_id == kStandInRule && record.file == build && !record.after.empty();
  });
}

std::vector<AddedModule> AddedModulesOf(const RunResult& run,
                                        const std::optional<MultiCardPlan>& multi_card,
                                        const StandInPlan& stand_ins) {
  std::vector<AddedModule> added;
  for (const auto& [build, made] : stand_ins.all()) {
    if (!BuildsStandIns(run, build)) continue;
    for (const StandIn& source : made.sources) added.push_back({source.path, source.text});
  }
  if (UsesSimilarModule(run)) added.push_back({std::string(kSimilarFile), SimilarModule()});
  if (multi_card && IsMultiCard(run) && !multi_card->module_path.empty()) {
    added.push_back({multi_card->module_path, DistributedModule()});
  }
  return added;
}

Result<bool> WriteReports(const RunResult& run, const std::vector<AddedModule>& added,
                          Language language, OutputTree& output) {
  for (const auto& [path, text] : added) {
    if (Result<Done> done = output.Write(path, text, std::nullopt); !done) return done.error();
  }
  const std::string log = RunLog(run, language);
  for (const auto& [name, text] : {std::pair(std::string(kChangeListFile), ChangeListCsv(run)),
                                   std::pair(std::string(kRunLogFile), log),
                                   std::pair(std::string(kNextFile), NextSteps(run, language))}) {
    if (Result<Done> done = output.Write(name, text, std::nullopt); !done) return done.error();
  }
  Result<Done> done =
      WriteUnsupportedXlsx(run, output.PathUntilCommit(std::string(kUnsupportedFile)));
  if (!done) return done.error();
  return true;
}

std::string FirstPaths(const std::vector<std::string>& paths) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(paths.size(), kShown);
  std::string list = fmt::format("{}", fmt::join(paths.begin(), paths.begin() + shown, ", "));
  return shown < paths.size() ? list + ", ..." : list;
}

/// What differs between the files that were read then and now.
std::vector<std::string> ChangedOriginals(const std::map<std::string, std::string>& then,
                                          const std::map<std::string, std::string>& now) {
  std::vector<std::string> changed;
  for (const auto& [path, hash] : now) {
    const auto known = then.find(path);
    if (known == then.end() || known->second != hash) changed.push_back(path);
  }
  for (const auto& [path, hash] : then) {
    if (!now.contains(path)) changed.push_back(path);
  }
  std::sort(changed.begin(), changed.end());
  return changed;
}

/// Nothing if a run that is done again has found what it found then.
std::optional<Error> DifferenceTo(const RunRecord& then, const RunRecord& now) {
  if (const auto changed = ChangedOriginals(then.originals, now.originals); !changed.empty()) {
    return Error{Error::Code::kUsage, FirstPaths(changed), ProjectHasChanged()};
  }
  const auto is_same = [](const RecordedFix& a, const RecordedFix& b) {
    return !(a.key() < b.key()) && !(b.key() < a.key()) && a.record.after == b.record.after;
  };
  const auto [old, fresh] = std::ranges::mismatch(then.fixes, now.fixes, is_same);
  if (old == then.fixes.end() && fresh == now.fixes.end()) return std::nullopt;
  const ChangeRecord& record = (old == then.fixes.end() ? fresh : old)->record;
  return Error{Error::Code::kUsage, fmt::format("{}:{}", record.file, record.start_line),
               Say("this version of transplt does not make the edits that the result has; migrate "
                   "the project again",
                   "当前版本的 transplt 给出的修改与该结果不同; 请重新迁移项目")};
}

/// Writes what `transplt review` reads; refuses if a run that is done again went otherwise.
Result<Done> WriteRecord(const MigrationOptions& options, const RunResult& run,
                         const std::string& policy, std::map<std::string, std::string> originals,
                         OutputTree& output) {
  RunRecord record;
  record.version = run.tool_version;
  record.input = WayTo(options.input, output.path());
  record.shown_input = run.input;
  record.shown_output = run.output;
  record.options = options;
  record.policy = policy;
  record.originals = std::move(originals);
  record.fixes = FixesOf(run);
  for (const ChangeRecord& fix : run.rejected) {
    record.decisions[{fix.file, fix.range, fix.rule_id}] = kReject;  // by the policy
  }
  if (const RunRecord* then = options.again; then != nullptr) {
    if (const auto difference = DifferenceTo(*then, record)) return *difference;
    record.fixes = then->fixes;
    record.decisions = then->decisions;
    record.earlier = then->earlier;
  }
  return output.Write(kReviewFile, record.ToJson(), std::nullopt);
}

/// Packages that the project lets pip choose freely, but for torch and what is built for one.
std::vector<std::string> LooseRequirements(const std::vector<Pin>& pins) {
  std::vector<std::string> loose;
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
  if (!releases) return loose;
  std::vector<std::string> others = releases->CompanionNames();
  others.insert(others.end(), {"torch", "torch-npu", "python"});
  for (const Pin& pin : pins) {
    const bool is_free = pin.scope == Pin::Scope::kProject && pin.versions.empty();
    if (is_free && !IsOneOf(pin.package, others) && !IsOneOf(pin.package, loose)) {
      loose.push_back(pin.package);
    }
  }
  return loose;
}

/// Who follows old pins does not know that nobody mends this torch any more.
Text NoteAboutSupport(const AssumedPlatform& versions) {
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
  return Say(
      "support of torch {0} with torch_npu ended on {1}, and it was taken from what the project "
      "asks for alone: --torch-version {2} migrates for the newest torch instead",
      "torch {0} 与 torch_npu 的支持已于 {1} 结束, 该版本仅取自项目自身的要求: 可用 "
      "--torch-version {2} 改为面向最新的 torch 迁移",
      versions.platform.torch, versions.platform.support_ended,
      releases ? releases->newest_torch() : "");
}

void Finish(const MigrationOptions& options, Framework framework, const AssumedPlatform& versions,
            const std::vector<Pin>& pins, MigrationResult& result) {
  RunResult& run = result.run;
  run.in_place = options.in_place;
  if (options.again != nullptr) {
    run.input = options.again->shown_input;
    run.output = options.again->shown_output;
  }
  run.framework = NameOf(framework);
  run.torch_version = versions.platform.torch;
  if (framework == Framework::kPytorch && !versions.platform.torch_npu.empty()) {
    run.torch_npu = versions.platform.torch_npu;
    run.cann = versions.platform.cann;
    run.npu_package = versions.platform.package;
    run.beside_torch = versions.platform.beside;
    run.versions_from = versions.chosen_by;
    const std::string& pythons = versions.platform.pythons;
    run.pythons = pythons;
    if (const std::string chosen = ChoosePython(pythons, pins); chosen != pythons) {
      run.pythons = fmt::format("{} ({})", chosen, pythons);
    }
    if (!versions.platform.support_ended.empty()) {
      run.torch_published = versions.platform.published;
      run.loose_requirements = LooseRequirements(pins);
      if (!versions.is_ordered) run.notes.push_back(NoteAboutSupport(versions));
    }
  }
  for (Text& note : NotesAboutFrameworks(run)) run.notes.push_back(std::move(note));
  if (options.output.empty() && UsesSimilarModule(run)) {
    run.notes.push_back(Say("the result needs {}, which -o OUT writes beside it",
                            "结果需要 {}, 使用 -o OUT 时会一并写出", kSimilarFile));
  }
}

/// Of each edit that is left out while others that belong together with it are made.
std::vector<Text> PartlyDeclined(const RunResult& run) {
  std::vector<Text> notes;
  if (run.rejected.empty()) return notes;
  std::map<uint32_t, const RecordedFix*> made;
  const std::vector<RecordedFix> fixes = FixesOf(run);
  std::set<FixKey> rejected;
  for (const ChangeRecord& record : run.rejected) {
    rejected.insert({record.file, record.range, record.rule_id});
  }
  for (const RecordedFix& fix : fixes) {
    if (!rejected.contains(fix.key())) made.try_emplace(fix.group, &fix);
  }
  for (const RecordedFix& fix : fixes) {
    const auto other = made.find(fix.group);
    if (other == made.end() || !rejected.contains(fix.key())) continue;
    notes.push_back(
        Say("{} is left out, but {} is made, and they belong together: leave both out "
            "in {}, or none",
            "{} 未修改, 但 {} 已修改, 而两者属于一体: 请在 {} 中同时排除或都不排除",
            PlaceOf("", fix.record), PlaceOf("", other->second->record), kPolicyFile));
    made.erase(other);  // one note for a group
  }
  return notes;
}

/// Of the code that stays as it is, since it serves NPUs.
std::vector<Text> NotesAboutServed(const ProjectCode& code) {
  std::vector<Text> notes;
  // Several groups of files may lie in one folder.
  std::map<std::string, std::vector<std::string>> places;
  for (const auto& [folder, evidence] : code.served()) places[folder].push_back(evidence);
  for (const auto& [folder, evidence] : places) {
    notes.push_back(
        Say("the code in {} serves NPUs already (see {}): its files stay as they are; "
            "--extend-npu-support migrates what they do for CUDA alone",
            "{} 中的代码已支持 NPU (见 {}): 其文件保持原样; 使用 --extend-npu-support "
            "可迁移其中仅面向 CUDA 的部分",
            folder.empty() ? "." : folder, fmt::format("{}", fmt::join(evidence, ", "))));
  }
  if (const size_t count = code.CountUnserved(); count > 0) {
    notes.push_back(
        Say("Python files that neither import that code nor are imported by it: {} (migrated)",
            "与上述代码之间没有导入关系的 Python 文件: {} 个 (照常迁移)", count));
  }
  return notes;
}

/// `declined` is what the policy says about edits.
FileMigrationOptions FileOptionsOf(const MigrationOptions& options, Framework framework,
                                   const IsDeclined& declined) {
  FileMigrationOptions of_file;
  of_file.declined = declined ? &declined : nullptr;
  of_file.framework = framework;
  of_file.tensorflow.installed = options.tensorflow_version;
  of_file.insert_npu_import = options.builtin_rules && framework == Framework::kPytorch;
  of_file.report_rest = options.builtin_rules;
  of_file.any_device = options.target == AnyDeviceTarget().name;
  of_file.extend_served = options.extend_served;
  of_file.edit_docs = options.edit_docs;
  of_file.mark = options.mark;
  of_file.guard_imports = options.guard_imports;
  of_file.with_diff = options.with_diffs;
  of_file.with_edits = options.with_edits;
  of_file.with_values = options.with_values || !options.output.empty() || options.with_patches ||
                        of_file.declined != nullptr;
  of_file.decisions = options.again == nullptr ? options.decisions : &options.again->decisions;
  of_file.prefilter = options.prefilter;
  return of_file;
}

std::string ResultNameOf(const MigrationOptions& options, const ProjectFiles& project) {
  return project.name + (options.multi_card ? "_msft_multi" : "_msft");
}

RewriteOptions RewriteOptionsOf(const MigrationOptions& options, const ProjectFiles& project) {
  RewriteOptions rewrite;
  rewrite.input = options.input;
  rewrite.output = options.output;
  rewrite.result_name =
      options.again == nullptr ? ResultNameOf(options, project) : options.result_name;
  rewrite.in_place = options.in_place;
  rewrite.force = options.force;
  rewrite.copy = options.files.copy;
  rewrite.jobs = options.jobs;
  rewrite.budget = options.budget;
  rewrite.progress = options.progress;
  rewrite.cancelled = options.cancelled;
  return rewrite;
}

/// What the project consists of, found out when the first file is migrated.
class ModulesOnce {
 public:
  explicit ModulesOnce(const ProjectFiles& project) : project_(project) {}

  ProjectModules& Of(const ProjectIndex& index) {
    std::call_once(once_, [&] {
      modules_.emplace(index, project_.name, ExtensionSources::Among(project_.entries));
    });
    return *modules_;
  }

 private:
  const ProjectFiles& project_;
  std::once_flag once_;
  std::optional<ProjectModules> modules_;
};

/// In a project of another framework only files apart from it are migrated: TensorFlow that reads
/// data for a program of torch goes on on the CPU.
class TensorflowFiles {
 public:
  TensorflowFiles(const ProjectFiles& project, Framework framework, const MigrationOptions& options)
      : project_(project), framework_(framework), options_(options) {}

  /// True if programs have to be asked about them: some file that spells TensorFlow lies apart from
  /// the other framework.
  bool HasApart(const ProjectIndex& index) {
    if (framework_ == Framework::kTensorflow) return false;
    const std::vector<std::string>& files = index.FilesSpelling(kPackage);
    has_any_ = !files.empty();
    return std::ranges::any_of(files, [&](const std::string& path) { return IsApart(path); });
  }

  /// What a program of the other framework runs serves it, wherever it lies.
  void NoteFilesOf(const ProjectPrograms& programs) {
    for (const EntryPoint& entry : programs.entries.candidates) {
      std::set<std::string_view> files = {entry.path};
      for (const RunUnit& run : entry.runs) files.insert(programs.graph.FileOf(run.unit));
      const bool is_of_other = std::ranges::any_of(files, [&](std::string_view path) {
        const FileUnits* file = programs.code.Find(path);
        return file != nullptr && std::ranges::any_of(file->frameworks, [](Framework framework) {
                 return framework != Framework::kTensorflow;
               });
      });
      if (is_of_other) serving_files_.insert(files.begin(), files.end());
    }
  }

  bool Migrates(const ProjectEntry& entry) {
    if (!has_any_ || entry.kind != ProjectEntry::Kind::kMigratable) return true;
    return !serving_files_.contains(entry.path) && IsApart(entry.path);
  }

 private:
  static constexpr std::string_view kPackage = "tensorflow";

  /// True if no file beside it imports another framework.
  bool IsApart(const std::string& path) {
    const std::string folder = path.substr(0, path.find('/') + 1);
    const std::lock_guard lock(mutex_);
    const auto known = serving_folders_.find(folder);
    if (known != serving_folders_.end()) return !known->second;
    return !(serving_folders_[folder] =
                 ServesAnotherFramework(project_, path, options_.budget, options_.cancelled));
  }

  const ProjectFiles& project_;
  const Framework framework_;
  const MigrationOptions& options_;
  bool has_any_ = false;
  std::set<std::string, std::less<>> serving_files_;  // of programs of the other framework
  std::mutex mutex_;
  std::map<std::string, bool> serving_folders_;  // by the first folder of paths
};

/// What the files tell together, made once the index of the run is known.
class LazyCode {
 public:
  LazyCode(const ProjectFiles& project, const GuardSignatures* signatures)
      : project_(project), signatures_(signatures) {}

  const ProjectCode* With(const ProjectIndex& index, const ProjectModules& modules) {
    if (signatures_ == nullptr) return nullptr;
    std::call_once(once_, [&] {
      launches_ = FindNpuLaunches(project_, index, *signatures_);
      code_ =
          std::make_unique<ProjectCode>(index, modules, Roots(), *signatures_, launches_.started);
    });
    return code_.get();
  }

  /// What `With` gave; null before.
  const ProjectCode* get() const { return code_.get(); }

  /// Rows about variables of the environment without which the code takes CUDA.
  std::vector<ChangeRecord> VariableRows(const ProjectIndex& index) const {
    if (code_ == nullptr) return {};
    return VariablesForNpus(launches_, *code_, index, *signatures_);
  }

 private:
  /// The folders with files for the installation of a program.
  std::set<std::string, std::less<>> Roots() const {
    std::set<std::string, std::less<>> roots;
    const std::vector<std::string>& wanted = signatures_->program_files;
    for (const ProjectEntry& entry : project_.entries) {
      const size_t slash = entry.path.rfind('/');
      const std::string name = entry.path.substr(slash + 1);  // of npos: the whole path
      if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
      roots.insert(slash == std::string::npos ? std::string() : entry.path.substr(0, slash));
    }
    return roots;
  }

  const ProjectFiles& project_;
  const GuardSignatures* const signatures_;
  std::once_flag once_;
  NpuLaunches launches_;
  std::unique_ptr<ProjectCode> code_;
};

/// What transplt.toml says, and its text.
struct WrittenPolicy {
  const Policy& policy;
  const std::string& text;
};

/// What a run goes by.
struct RunPlan {
  const MigrationOptions& options;
  const WrittenPolicy& policy;
  Framework framework;
  const AssumedPlatform& versions;
  const RuleSet& rules;
  const ProjectFiles& project;
  const std::vector<Pin>& pins;
  const std::vector<std::pair<std::string, Version>>& libraries;  // as in RuleSelection
};

/// The versions of packages that the rules of this run assume: those that the project asks for,
/// and of others the newest.
std::map<std::string, std::string, std::less<>> VersionsOfPackages(const RunPlan& plan) {
  std::map<std::string, std::string, std::less<>> versions;
  const auto add = [&](std::string package, const Version& version) {
    for (char& c : package) c = c == '_' ? '-' : ToLower(c);
    versions.emplace(std::move(package),
                     fmt::format("{}.{}.{}", version[0], version[1], version[2]));
  };
  for (const auto& [package, version] : plan.libraries) add(package, version);
  for (const LoadedRule& rule : plan.rules.rules()) {
    for (const LibraryRange& range : rule.notes.libraries) {
      const bool is_asked_for = std::ranges::any_of(plan.libraries, [&](const auto& library) {
        return NamesPackage(range.package, library.first);
      });
      if (!is_asked_for) add(range.package, kNewestVersion);
    }
  }
  return versions;
}

/// The rules that are switched off.
std::vector<std::string> DisabledBy(const MigrationOptions& options, const Policy& policy) {
  std::vector<std::string> disabled = options.disabled;
  disabled.insert(disabled.end(), policy.disabled.begin(), policy.disabled.end());
  return disabled;
}

/// The edits that the project never wants; empty if it has said nothing of the kind.
IsDeclined DeclinedBy(const Policy& policy) {
  if (policy.edits.empty()) return {};
  return [&policy](const ChangeRecord& record) {
    return std::ranges::any_of(policy.edits,
                               [&](const auto& edits) { return edits.Cover(record); });
  };
}

/// One run over a project, with what its steps know of each other.
class MigrationRun {
 public:
  explicit MigrationRun(const RunPlan& plan)
      : plan_(plan),
        engine_(plan.rules),
        declined_(DeclinedBy(plan.policy.policy)),
        packages_(VersionsOfPackages(plan)),
        usual_(FileOptionsOf(plan.options, plan.framework, declined_)),
        tensorflow_(plan.project, plan.framework, plan.options),
        modules_(plan.project),
        code_(plan.project, engine_.guards()) {
    if (IsForNpu()) usual_.api_support = &support_.emplace();
    const TorchPlatform& platform = plan.versions.platform;
    usual_.machine = {platform.torch, !usual_.any_device, platform.torchvision, &packages_};
    usual_.machines = {usual_.machine};
    if (const Result<TorchNpuReleases> releases = TorchNpuReleases::Load()) {
      torches_ = {releases->oldest_torch(), releases->newest_torch()};
      for (const std::string& torch : torches_) {
        usual_.machines.push_back({torch, !usual_.any_device});
      }
    }
    usual_.disabled = DisabledBy(plan.options, plan.policy.policy);
  }

  Result<MigrationResult> Run() {
    RewriteSteps steps;
    steps.is_of_interest = IsWorthALook;
    steps.rewrite = [&](const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                        Parser& parser) {
      return MigrateEntry(entry, std::move(bytes), index, parser, usual_.decisions);
    };
    steps.look_ahead = [&](const ProjectIndex& index) { return LookAhead(index); };
    steps.look_back = [&](const ProjectIndex& index) { return LookBack(index); };
    steps.finish = [&](MigrationResult& result) { Complete(result); };
    steps.write_reports = [&](const RunResult& run, OutputTree& output) {
      return WriteAll(run, output);
    };
    const RewriteOptions rewrite = RewriteOptionsOf(plan_.options, plan_.project);
    Result<MigrationResult> result = RewriteProject(rewrite, plan_.project, steps);
    if (result && patch_error_) return *patch_error_;
    return result;
  }

  /// Only asks the rules, and changes nothing.
  Result<StopsByRule> FindStops() {
    usual_.insert_npu_import = false;
    usual_.report_rest = false;
    usual_.api_support = nullptr;
    RewriteSteps steps;
    std::set<std::string_view> lists;  // what asks for packages
    for (const Pin& pin : plan_.pins) lists.insert(pin.file);
    steps.is_of_interest = [&](const ProjectEntry& entry) { return lists.contains(entry.path); };
    steps.rewrite = [&](const ProjectEntry& entry, std::string bytes, const ProjectIndex& index,
                        Parser& parser) {
      return MigrateEntry(entry, std::move(bytes), index, parser, nullptr);
    };
    steps.finish = [](MigrationResult&) {};
    RewriteOptions rewrite = RewriteOptionsOf(plan_.options, plan_.project);
    rewrite.output.clear();
    rewrite.in_place = false;
    rewrite.progress = {};
    const Result<MigrationResult> result = RewriteProject(rewrite, plan_.project, steps);
    if (!result) return result.error();
    StopsByRule stops;
    for (const ChangeRecord& record : result->run.records) {
      const bool at_import = record.severity == Severity::kStopsImport;
      const bool is_stop = at_import || record.severity == Severity::kStopsRun;
      if (!is_stop || record.applicability != Applicability::kDisplayOnly) continue;
      Stops& of_rule = stops[record.rule_id];
      ++of_rule.places;
      of_rule.at_import = of_rule.at_import || at_import;
    }
    return stops;
  }

 private:
  /// True if the result is for torch on an NPU: the tables of its APIs are about no other target.
  bool IsForNpu() const {
    return usual_.insert_npu_import && plan_.options.target == DefaultTarget().name;
  }

  std::optional<Error> LookAhead(const ProjectIndex& index) {
    NoteDeadFiles(index);
    NoteFilesLeftOut(index);
    NoteFilesBehindLibraries(index);
    // What C++ becomes is known for torch on an NPU alone.
    if (IsForNpu()) {
      native_ = NativeSources::Of(plan_.project, plan_.options.cancelled);
      usual_.native = &native_;
      NoteNamesOfCuda(index);
      NoteOperators({native_, modules_.Of(index), index}, modules_.Of(index));
      if (std::ranges::find(plan_.options.features, kStandInFeature) !=
          plan_.options.features.end()) {
        stand_ins_ = StandInPlan::For(plan_.project, {native_, modules_.Of(index), index},
                                      plan_.options.cancelled);
        for (const std::string& module : stand_ins_.ModulesThatServe()) {
          modules_.Of(index).ServeNpu(module);
        }
        usual_.stand_ins = &stand_ins_;
      }
      NoteKeptSources(index);
      NoteWaitingSources(index);
    }
    usual_.kept_files = &kept_files_;
    // What serves a file of TensorFlow is a matter of the programs that run it.
    if (plan_.framework == Framework::kTensorflow) {
      if (std::optional<Error> error = ReadPrograms(index)) return error;
      tensorflow_programs_.emplace(verdicts_->FindPrograms(SourcesIn(index)));
      usual_.tensorflow_programs = &*tensorflow_programs_;
    } else if (tensorflow_.HasApart(index)) {
      if (std::optional<Error> error = ReadPrograms(index)) return error;
      const ProjectPrograms& programs = verdicts_->FindPrograms(SourcesIn(index));
      tensorflow_.NoteFilesOf(programs);
      tensorflow_programs_.emplace(programs);
      usual_.tensorflow_programs = &*tensorflow_programs_;
    }
    return plan_.options.multi_card ? PlanCards(index) : std::nullopt;
  }

  /// Files that no torch with a torch_npu gets to.
  void NoteDeadFiles(const ProjectIndex& index) {
    for (const std::string& path : FilesOfDeadImports(index, usual_.machines)) {
      kept_files_[path] =
          Say("this file is imported only behind conditions that hold with no torch for which "
              "there is a torch_npu: it stays as it is",
              "仅有在任何支持 torch_npu 的 torch 版本下都不成立的条件分支会导入此文件: 保持原样");
    }
  }

  /// Files that go with a library which is left out as a whole.
  void NoteFilesLeftOut(const ProjectIndex& index) {
    std::vector<std::string> libraries;
    for (const LoadedRule& loaded : plan_.rules.rules()) {
      if (!loaded.rule->IsAboutLibrary() || !loaded.notes.fields.Boolean("is_all", false)) continue;
      const std::vector<std::string> names = loaded.notes.fields.List("names");
      left_out_code_.rules.insert(loaded.rule->id());
      libraries.insert(libraries.end(), names.begin(), names.end());
    }
    left_out_code_.files = FilesOfLibraries(libraries, index);
    if (left_out_code_.files.empty()) return;
    usual_.left_out = &left_out_code_;
    for (const auto& [path, library] : left_out_code_.files) {
      kept_files_.emplace(
          path, Say("this file cannot be imported without {0}, with which it is left out: it "
                    "stays as it is",
                    "此文件没有 {0} 时无法导入, 与 {0} 一并去除: 保持原样", library));
    }
  }

  /// Files that a program gets to only where a library for CUDA alone is there.
  void NoteFilesBehindLibraries(const ProjectIndex& index) {
    std::vector<std::string> libraries;
    for (const LoadedRule& loaded : plan_.rules.rules()) {
      if (!loaded.rule->IsAboutLibrary()) continue;
      for (std::string& name : loaded.rule->cuda_only_names()) libraries.push_back(std::move(name));
    }
    for (const auto& [path, library] : FilesBehindLibraries(libraries, index)) {
      kept_files_.emplace(
          path, Say("this file cannot be imported without {0}, which runs on CUDA alone, and is "
                    "imported only behind an import of it: it stays as it is",
                    "此文件没有仅支持 CUDA 的 {0} 时无法导入, 且仅在导入 {0} 之后才会被导入: "
                    "保持原样",
                    library));
    }
  }

  /// C++ and CUDA sources of extensions that only such files load, and of those in whose place
  /// something else runs on an NPU. Stand-ins are built of the host code: then it is migrated.
  void NoteKeptSources(const ProjectIndex& index) {
    if (native_.all().empty() || usual_.stand_ins != nullptr) return;
    std::map<std::string, Text> reasons;  // by the name of the module
    const std::set<std::string, std::less<>> replaced = ReplacedLibraries();
    std::set<std::string> alive;
    for (const ExtensionModule* module : modules_.Of(index).all_extensions()) {
      if (module->name.empty()) continue;
      const auto dead = kept_files_.find(module->declared_in);
      if (dead != kept_files_.end()) {
        reasons[module->name] = dead->second;
      } else if (replaced.contains(module->name)) {
        reasons[module->name] =
            Say("source of {0}, which is replaced as a whole on an NPU, as the row of its import "
                "says: it stays as it is",
                "{0} 的源码: 如其导入处所述, {0} 在 NPU 上被整体替换, 因此保持原样", module->name);
      } else {
        alive.insert(module->name);
      }
    }
    if (reasons.empty()) return;
    const SourcesOfModules files({native_, modules_.Of(index), index});
    for (const auto& [name, reason] : reasons) {
      if (alive.contains(name)) continue;
      for (const NativeSource* source : files.Of(name)) kept_files_[source->path] = reason;
    }
  }

  /// Host code is edited where something is built of it then.
  void NoteWaitingSources(const ProjectIndex& index) {
    if (native_.all().empty() || usual_.stand_ins != nullptr) return;
    waiting_sources_ = SourcesWaitingForKernels({native_, modules_.Of(index), index});
    usual_.waiting_sources = &waiting_sources_;
  }

  /// Libraries that cannot run, and in whose place a rule knows another one. What a project builds
  /// under another name of such a library is its own.
  std::set<std::string, std::less<>> ReplacedLibraries() const {
    std::set<std::string, std::less<>> names;
    for (const LoadedRule& loaded : plan_.rules.rules()) {
      const Rule& rule = *loaded.rule;
      const ApiEntry* const entry = rule.api_entry();
      if (!rule.IsAboutLibrary() || entry == nullptr || entry->is_unsupported) continue;
      for (std::string& name : rule.cuda_only_names()) {
        if (FirstPart(name) == FirstPart(rule.id())) names.insert(std::move(name));
      }
    }
    return names;
  }

  /// Of what is built of C++ sources alone.
  void NoteNamesOfCuda(const ProjectIndex& index) {
    ProjectModules& modules = modules_.Of(index);
    if (modules.extensions().empty() || native_.all().empty()) return;
    const SourcesOfModules files({native_, modules, index});
    std::set<std::string> stopping;
    for (const ExtensionModule& module : modules.extensions()) {
      if (module.is_cuda) continue;
      for (const NativeSource* source : files.Of(module.name)) {
        if (source->bindings.empty() || source->path.ends_with(".cu")) continue;
        const Result<std::string> text = index.Bytes(source->path);
        if (text && StopsAtCuda(*source, *text)) stopping.insert(module.name);
      }
    }
    for (const std::string& module : stopping) modules.NoteNamesOfCuda(module);
  }

  ProgramSources SourcesIn(const ProjectIndex& index) const {
    return {plan_.project, index, plan_.options.jobs, usual_.machine};
  }

  std::optional<Error> ReadPrograms(const ProjectIndex& index) {
    Result<StartVerdicts> found = StartVerdicts::Of(SourcesIn(index), plan_.policy.policy.programs);
    if (!found) return found.error();
    verdicts_.emplace(*std::move(found));
    return std::nullopt;
  }

  std::optional<Error> PlanCards(const ProjectIndex& index) {
    Result<MultiCardPlan> plan = PlanMultiCard(SourcesIn(index), *plan_.options.multi_card);
    if (!plan) return plan.error();
    multi_card_ = *std::move(plan);
    usual_.multi_card = &*multi_card_;
    return std::nullopt;
  }

  FileMigration MigrateEntry(const ProjectEntry& entry, std::string bytes,
                             const ProjectIndex& index, Parser& parser,
                             const FixDecisions* decisions) {
    std::call_once(values_made_, [&] { values_.emplace(index, Signatures::Builtin()); });
    FileMigrationOptions of_file = usual_;
    of_file.shared_values = &*values_;
    of_file.modules = &modules_.Of(index);
    of_file.tensorflow.migrated = tensorflow_.Migrates(entry);
    const bool has_tensorflow = bytes.find("tensorflow") != std::string::npos;
    if (has_tensorflow && !of_file.tensorflow.migrated) NoteLeftOut(entry.path);
    of_file.code = code_.With(index, *of_file.modules);
    of_file.decisions = decisions;
    return entry.kind == ProjectEntry::Kind::kMigratable
               ? MigrateFile(entry.path, std::move(bytes), engine_, &index, parser, of_file)
               : MigrateOtherFile(entry.path, bytes, engine_, &index, parser, of_file);
  }

  void NoteLeftOut(const std::string& path) {
    const std::lock_guard lock(left_out_mutex_);
    left_out_.insert(path);
  }

  /// What the original files tell about the project as a whole.
  std::optional<Error> LookBack(const ProjectIndex& index) {
    if (!verdicts_) {
      if (std::optional<Error> error = ReadPrograms(index)) return error;
    }
    missing_ = MissingModules(
        {verdicts_->code(), plan_.project, modules_.Of(index), index, plan_.rules, plan_.pins});
    std::ranges::move(
        UnknownPackages({verdicts_->code(), plan_.project, modules_.Of(index), index, plan_.rules,
                         verdicts_->apis(), plan_.pins, MissingSubmodulePaths(plan_.project),
                         index.NeedsRootName()}),
        std::back_inserter(missing_));
    std::erase_if(missing_, [&](const ChangeRecord& row) {
      return left_out_code_.files.contains(row.file) || IsForOtherDevice(row.file, index);
    });
    index_ = &index;
    return std::nullopt;
  }

  /// True for a file of the side for another device, among which the program chooses.
  bool IsForOtherDevice(const std::string& path, const ProjectIndex& index) {
    const ProjectCode* code = code_.With(index, modules_.Of(index));
    return code != nullptr && !code->DeclaredBeside(path).empty();
  }

  /// The result does not import itself, or imports the original, where it is called otherwise.
  Text RootNameNote() const {
    return Say(
        "the project imports itself as {0}, the name of its folder: rename the result to {0}, or "
        "link it so, in a folder of PYTHONPATH that holds no other {0}",
        "项目以其文件夹名 {0} 导入自身: 请把结果重命名为 {0} 或建立同名链接, 并放在 PYTHONPATH "
        "中没有其他 {0} 的文件夹内",
        plan_.project.name);
  }

  void Complete(MigrationResult& result) {
    originals_ = std::move(result.originals);
    std::vector<ChangeRecord>& records = result.run.records;
    TellBySubmodule(plan_.project, records, missing_);
    std::ranges::move(MissingSubmodules(plan_.project, records), std::back_inserter(records));
    NoteSourcesOfSubmodules(plan_.project, records);
    std::ranges::move(missing_, std::back_inserter(records));
    std::ranges::move(UnbuiltModules(verdicts_->code(), records), std::back_inserter(records));
    EraseBroughtPackages(plan_.pins, records);
    NoteDeadLinks(plan_.project, *index_, records);
    const OwnOperatorSources operators{native_, modules_.Of(*index_), *index_};
    std::optional<StandInPlan> offered;
    const auto offer = [&]() -> const StandInPlan& {
      if (!offered) {
        offered = StandInPlan::For(plan_.project, operators, plan_.options.cancelled);
      }
      return *offered;
    };
    MergeOwnOperators(operators, {usual_.stand_ins, offer}, records);
    LeaveOtherReleases(records);
    TellInstead(records);
    SortRecords(records);
    NoteUnusedPackages(verdicts_->code(), *index_, records);
    if (index_->NeedsRootName()) result.run.notes.push_back(RootNameNote());
    if (auto unused = RulesWithoutPlace(plan_.rules, plan_.options.user_rules, result.run)) {
      result.run.notes.push_back(*std::move(unused));
    }
    if (std::optional<Text> off = LeaveSwitchedOff(usual_.disabled, result.run)) {
      result.run.notes.push_back(*std::move(off));
    }
    Finish(plan_.options, plan_.framework, plan_.versions, plan_.pins, result);
    verdicts_->TakeEdits(result.run, SourcesIn(*index_));
    if (plan_.framework == Framework::kPytorch) {
      AddRows(UnplacedTraining(verdicts_->programs(), modules_.Of(*index_), *index_), records);
      NoteListsForPython2(ListsForPython2(plan_.project), records);
      NoteListsOfOthers(verdicts_->programs(), plan_.framework, records);
      AddRows(
          ShadowedModules(verdicts_->programs(), plan_.project, *index_, result.run.torch_version),
          records);
    }
    LeaveServedPrograms(result);
    if (!usual_.any_device) AddRows(code_.VariableRows(*index_), records);
    for (Text& note : ApplyPolicy(plan_.policy.policy, result.run)) {
      result.run.notes.push_back(std::move(note));
    }
    for (Text& note : PartlyDeclined(result.run)) result.run.notes.push_back(std::move(note));
    verdicts_->Judge(result.run, plan_.framework, left_out_);
    NoteTensorflow(result.run);
    const std::string python = ChoosePython(plan_.versions.platform.pythons, plan_.pins);
    for (Text& note : NotesAboutOlderReleases(plan_.rules, result.run, python)) {
      result.run.notes.push_back(std::move(note));
    }
    NoteUnwrittenStandIns(result.run);
    if (plan_.options.with_patches) AddPatches(result);
  }

  /// What can be done about APIs that torch_npu does not have, where the table knows it.
  static void TellInstead(std::vector<ChangeRecord>& records) {
    std::optional<ApiSupport> support;  // once there is one
    for (ChangeRecord& record : records) {
      if (record.operation != Operation::kUnknown) continue;
      if (!support) support.emplace();
      const Text instead = support->Instead(record.before);
      if (instead.en.empty()) continue;
      record.message.en += ": " + instead.en;
      record.message.zh += ": " + instead.zh;
    }
  }

  /// The environments of the programs that use TensorFlow and are migrated.
  void NoteTensorflow(RunResult& run) const {
    const std::string_view tensorflow = NameOf(Framework::kTensorflow);
    const auto needs_it = [&](const ProgramOutcome& program) {
      return program.framework == tensorflow &&
             program.verdict != ProgramOutcome::Verdict::kLeftOut;
    };
    if (!IsForNpu() || std::ranges::none_of(run.programs, needs_it)) return;
    const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
    if (!releases) return;
    const TensorflowPrograms modes(verdicts_->programs());
    const int installed = plan_.options.tensorflow_version;
    for (const ProgramOutcome& program : run.programs) {
      if (!needs_it(program)) continue;
      const TensorflowMode mode = installed == 1   ? TensorflowMode::kSessions
                                  : installed == 2 ? TensorflowMode::kEager
                                                   : modes.ModeOfProgram(program.path);
      const std::optional<TensorflowPlatform> platform = releases->TensorflowFor(mode);
      if (!platform) continue;
      auto known = std::ranges::find(run.tensorflow, platform->version,
                                     &RunResult::TensorflowEnvironment::version);
      if (known == run.tensorflow.end()) {
        run.tensorflow.push_back({platform->version, platform->pythons, platform->adapter, {}});
        known = std::prev(run.tensorflow.end());
      }
      known->programs.push_back(program.path);
    }
  }

  static void AddRows(std::vector<ChangeRecord> rows, std::vector<ChangeRecord>& records) {
    if (rows.empty()) return;
    std::ranges::move(rows, std::back_inserter(records));
    SortRecords(records);
  }

  /// The patch of a run that writes nothing has no files besides those that it changes.
  void NoteUnwrittenStandIns(RunResult& run) const {
    if (!plan_.options.output.empty() || plan_.options.with_patches) return;
    for (const auto& [build, made] : stand_ins_.all()) {
      if (!BuildsStandIns(run, build)) continue;
      run.notes.push_back(Say("the result needs {} and others, which -o OUT writes beside it",
                              "结果需要 {} 等文件, 使用 -o OUT 时会一并写出",
                              made.sources.front().path));
    }
  }

  /// A folder may have a list of packages of its own, with another release than the rules of the
  /// run are about: what that release does not do there is not told.
  void LeaveOtherReleases(std::vector<ChangeRecord>& records) const {
    std::map<std::string_view, const std::vector<LibraryRange>*> ranges;  // by rule
    for (const LoadedRule& loaded : plan_.rules.rules()) {
      const std::vector<LibraryRange>& libraries = loaded.notes.libraries;
      if (libraries.size() == 1) ranges.emplace(loaded.rule->id(), &libraries);
    }
    std::erase_if(records, [&](const ChangeRecord& record) {
      const auto found = ranges.find(record.rule_id);
      if (record.applicability != Applicability::kDisplayOnly || found == ranges.end())
        return false;
      const LibraryRange& library = found->second->front();
      const std::optional<Version> own = NewestBeside(record.file, library.package, plan_.pins);
      return own && !library.versions.Contains(*own);
    });
  }

  /// Such a program knows best what it needs; what it meets in any case is told, and of what stops
  /// it where it gets there, libraries and what the device itself refuses.
  void LeaveServedPrograms(MigrationResult& result) const {
    const ProjectCode* code = code_.get();
    if (usual_.any_device || usual_.extend_served || code == nullptr) return;
    for (Text& note : NotesAboutServed(*code)) result.run.notes.push_back(std::move(note));
    std::set<std::string> started;
    for (const EntryPoint& entry : verdicts_->programs().entries.candidates) {
      started.insert(entry.path);
    }
    const auto run_of = [&](const ChangeRecord& record) {
      // A test counts where it is a program of its own, as a benchmark is.
      if (IsTestFile(record.file) && !started.contains(record.file)) return ServedLine::kNotReached;
      if (verdicts_->IsReached(record)) return ServedLine::kReached;
      return started.contains(record.file) ? ServedLine::kInProgram : ServedLine::kNotReached;
    };
    MergeServedPrograms(*code, run_of, result.run.records);
    const WordList& refused = Words("refused-by-target");
    const std::set<std::string_view> libraries = RulesAboutLibraries();
    const bool asks_for_npu = AsksForNpuPackages();
    const auto is_left = [&](const ChangeRecord& record) {
      if (!IsOfServedProgram(*code, record) || verdicts_->IsAlwaysReached(record)) return false;
      if (record.cause == kCounterpartCause) return false;
      const FileType type = FileTypeOf(record.file);
      const bool is_list = type == FileType::kRequirements || type == FileType::kCondaList;
      if (is_list && !asks_for_npu) return false;
      const bool is_refused = refused.Has(record.rule_id);
      const bool is_told =
          record.severity <= (is_refused ? Severity::kMayGoWrong : Severity::kStopsRun) &&
          (is_refused || libraries.contains(record.rule_id));
      // Who installs what a list, a script or a document names is not known.
      const bool is_code = record.file.ends_with(".py") || record.file.ends_with(".ipynb");
      return !is_told || (is_code ? verdicts_->IsUnused(record) : !verdicts_->IsReached(record));
    };
    std::vector<ChangeRecord> kept;
    for (ChangeRecord& record : result.run.records) {
      if (is_left(record)) {
        // What `analyze` names stays as a note.
        if (record.operation != Operation::kUnsupported) continue;
        record.severity = Severity::kNote;
      }
      kept.push_back(std::move(record));
    }
    result.run.records = std::move(kept);
  }

  /// True if the project says what to install beside an NPU: it asks for torch-npu, or has a list
  /// of packages whose name names the NPU. Then its other lists are for other machines.
  bool AsksForNpuPackages() const {
    const bool has_pin = std::ranges::any_of(
        plan_.pins, [](const Pin& pin) { return NamesPackage("torch-npu", pin.package); });
    const GuardSignatures* guards = engine_.guards();
    return has_pin || std::ranges::any_of(plan_.project.entries, [&](const ProjectEntry& entry) {
             const FileType type = FileTypeOf(entry.path);
             const bool is_list = type == FileType::kRequirements || type == FileType::kCondaList;
             return is_list && guards != nullptr && HasDeviceWord(entry.path, guards->target_words);
           });
  }

  std::set<std::string_view> RulesAboutLibraries() const {
    std::set<std::string_view> ids;
    for (const LoadedRule& loaded : plan_.rules.rules()) {
      if (loaded.rule->IsAboutLibrary()) ids.insert(loaded.rule->id());
    }
    return ids;
  }

  void AddPatches(MigrationResult& result) {
    const ProjectFiles& project = plan_.project;
    Parser parser;
    PatchSource source;
    source.original = [&](const std::string& path) { return ReadProjectFile(project, path); };
    source.migrated = [&](const std::string& path, std::string bytes,
                          const FixDecisions& decisions) {
      return MigrateEntry(*FindEntry(project, path), std::move(bytes), *index_, parser, &decisions)
          .text;
    };
    for (const AddedModule& added : AddedModulesOf(result.run, multi_card_, stand_ins_)) {
      source.added.emplace_back(added.path, added.text);
    }
    auto patches = PatchSeries(result.run, source);
    if (patches) {
      result.patches = *std::move(patches);
    } else {
      patch_error_ = patches.error();
    }
  }

  Result<bool> WriteAll(const RunResult& run, OutputTree& output) {
    if (plan_.options.with_record) {
      const Result<Done> done =
          WriteRecord(plan_.options, run, plan_.policy.text, std::move(originals_), output);
      if (!done) return done.error();
    }
    const Result<bool> written = WriteReports(run, AddedModulesOf(run, multi_card_, stand_ins_),
                                              plan_.options.language, output);
    return written && IsMultiCard(run) ? WriteLauncher(output) : written;
  }

  /// Last of all: what starts the result is read in the result.
  Result<bool> WriteLauncher(OutputTree& output) const {
    if (!plan_.options.make_launcher) return true;
    const std::string name(kLauncherFile);
    const std::string path = output.PathUntilCommit(name);
    const Result<std::string> script = plan_.options.make_launcher(path.substr(0, path.rfind('/')),
                                                                   plan_.options.multi_card->main);
    if (!script) return script.error();
    if (Result<Done> done = output.Write(name, *script, 0755); !done) return done.error();
    return true;
  }

  const RunPlan& plan_;
  const Engine engine_;
  const IsDeclined declined_;
  const std::map<std::string, std::string, std::less<>> packages_;  // their versions
  FileMigrationOptions usual_;
  std::optional<ApiSupport> support_;
  NativeSources native_;
  std::vector<std::string> torches_;  ///< the oldest and the newest with a torch_npu
  std::map<std::string, Text, std::less<>> kept_files_;
  LeftOutCode left_out_code_;
  std::map<std::string, std::string, std::less<>> waiting_sources_;  // their modules
  StandInPlan stand_ins_;
  TensorflowFiles tensorflow_;
  ModulesOnce modules_;
  LazyCode code_;
  std::once_flag values_made_;
  std::optional<ProjectValues> values_;
  const ProjectIndex* index_ = nullptr;  // once LookBack was there
  std::optional<MultiCardPlan> multi_card_;
  std::optional<StartVerdicts> verdicts_;
  std::optional<TensorflowPrograms> tensorflow_programs_;
  std::mutex left_out_mutex_;
  std::set<std::string> left_out_;  // files of a framework that the run does not migrate
  std::vector<ChangeRecord> missing_;
  std::optional<Error> patch_error_;
  std::map<std::string, std::string> originals_;
};

/// A run that is done again has the policy that it had.
Result<std::string> PolicyTextOf(const MigrationOptions& options,
                                 const Result<ProjectFiles>& project) {
  if (options.again != nullptr) return options.again->policy;
  return project ? ReadPolicyText(*project) : std::string();
}

/// A target other than the usual one has no torch_npu.
Result<AssumedPlatform> VersionsOf(const MigrationOptions& options, const Policy& policy,
                                   const std::vector<Pin>& pins) {
  if (options.target != DefaultTarget().name) {
    return AssumedPlatform{{options.torch_version, "", "", ""}, {}};
  }
  return AssumePlatform(pins, policy, options.torch_version, options.torch_npu);
}

}  // namespace

Result<MigrationResult> Migrate(const MigrationOptions& options) {
  Result<ProjectFiles> project = FindProjectFiles(options.input, options.files);
  Framework framework = options.framework.value_or(Framework::kPytorch);
  if (project && !options.framework) {
    const Result<Framework> found = DetectFramework(*project, options.budget, options.cancelled);
    if (!found) return found.error();
    framework = *found;
  }
  if (options.target == AnyDeviceTarget().name && framework != Framework::kPytorch) {
    return Error{Error::Code::kUsage, options.input, OnlyPytorchIsForAnyDevice(NameOf(framework))};
  }
  const Result<std::string> policy_text = PolicyTextOf(options, project);
  if (!policy_text) return policy_text.error();
  const Result<Policy> policy = ParsePolicy(*policy_text);
  if (!policy) return policy.error();
  const std::vector<Pin> pins = project ? PinsOf(*project) : std::vector<Pin>();
  const Result<AssumedPlatform> versions = VersionsOf(options, *policy, pins);
  if (!versions) return versions.error();
  RuleSelection selection;
  selection.target = options.target;
  selection.framework = framework;
  selection.tensorflow = !options.framework && options.target == DefaultTarget().name;
  selection.torch_version = versions->platform.torch;
  selection.torch_npu = versions->platform.torch_npu;
  selection.project_torch = versions->project_torch;
  selection.libraries = NewestVersions(pins);
  if (framework == Framework::kPytorch) {
    LimitToPython(ChoosePython(versions->platform.pythons, pins), selection.libraries);
  }
  selection.features.insert(selection.features.end(), options.features.begin(),
                            options.features.end());
  if (auto error = CheckReportIds(options.disabled, "--disable", options.user_rules)) return *error;
  if (auto error = CheckReportIds(policy->disabled, std::string(kPolicyFile), options.user_rules)) {
    return *error;
  }
  selection.disabled = DisabledBy(options, *policy);
  const WrittenPolicy written{*policy, *policy_text};
  if (project && options.builtin_rules) {
    const auto find = [&](const RuleSet& rules) {
      const RunPlan plan{options, written,  framework, *versions,
                         rules,   *project, pins,      selection.libraries};
      return MigrationRun(plan).FindStops();
    };
    const Result<Done> replaced = ReplaceReleases(options.user_rules, find, selection);
    if (!replaced) return replaced.error();
  }
  Result<RuleSet> rules = LoadRules(options.user_rules, options.builtin_rules, selection);
  if (!rules) return rules.error();
  if (!project) return project.error();
  const RunPlan plan{options, written,  framework, *versions,
                     *rules,  *project, pins,      selection.libraries};
  return MigrationRun(plan).Run();
}

TextMigration MigrateText(const std::string& name, std::string text, const Engine& engine,
                          const FileMigrationOptions& options, const FileBudget& budget) {
  BudgetMeter meter(budget);
  Parser parser;
  parser.SetMeter(&meter);
  TextMigration result;
  result.text = text;
  FileMigration file;
  if (!meter.IsSpentByBytes(text.size())) {
    file = MigrateFile(name, std::move(text), engine, nullptr, parser, options);
  }
  if (meter.spent()) file = SkippedFile(name, meter.Reason());
  if (file.text) result.text = *std::move(file.text);
  result.outcome = std::move(file.outcome);
  result.records = std::move(file.records);
  result.diff = std::move(file.diff);
  SortRecords(result.records);
  return result;
}

}  // namespace transplt
