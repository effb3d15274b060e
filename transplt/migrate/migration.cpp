// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/migration.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "transplt/migrate/file_migration.h"
#include "transplt/migrate/framework.h"
#include "transplt/migrate/other_files.h"
#include "transplt/project/in_place.h"
#include "transplt/project/output_tree.h"
#include "transplt/project/undo_journal.h"
#include "transplt/report/change_list_csv.h"
#include "transplt/report/run_log.h"
#include "transplt/report/unsupported_xlsx.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {

/// runtime/python/transplt_similar.py; made by CMake.
std::string_view SimilarModule();

namespace {

constexpr std::string_view kSimilarFile = "transplt_similar.py";

/// A file that waits for all others before the input may be changed.
struct Replacement {
  std::string path;
  std::string before;
  std::string after;
};

/// One run over the files of a project.
class Run {
 public:
  Run(const MigrationOptions& options, ProjectFramework framework, const RuleSet& rules,
      ProjectFiles project)
      : options_(options),
        framework_(framework.framework),
        tensorflow_{.installed = options.tensorflow_version, .usual = framework.usual_tensorflow},
        engine_(rules),
        project_(std::move(project)),
        index_(PythonFiles(), [this](const std::string& path) { return ReadPath(path); }),
        results_(project_.entries.size()),
        replacements_(project_.entries.size()) {}

  Result<MigrationResult> Execute() {
    if (!options_.output.empty()) {
      Result<OutputTree> output = OutputTree::Create(options_.output, project_.name + "_msft",
                                                     options_.input, options_.force);
      if (!output) return output.error();
      output_.emplace(*std::move(output));
    }
    MigrateAll();
    if (error_) return *error_;
    if (Cancelled()) {
      return Error{Error::Code::kUsage, "",
                   Say("interrupted; nothing was written", "已中断; 未写任何文件")};
    }
    MigrationResult result = Collect();
    if (output_) {
      if (std::optional<Error> error = WriteOutput(result.run)) return *error;
    }
    if (options_.in_place) {
      if (std::optional<Error> error = ReplaceInput()) return *error;
    }
    return result;
  }

 private:
  std::vector<std::string> PythonFiles() const {
    std::vector<std::string> files;
    for (const ProjectEntry& entry : project_.entries) {
      const bool python = entry.kind == ProjectEntry::Kind::kMigratable ||
                          (entry.kind == ProjectEntry::Kind::kOther && entry.path.ends_with(".py"));
      if (python) files.push_back(entry.path);
    }
    return files;
  }

  Result<std::string> ReadPath(const std::string& path) const {
    auto entry = std::lower_bound(
        project_.entries.begin(), project_.entries.end(), path,
        [](const ProjectEntry& e, const std::string& wanted) { return e.path < wanted; });
    return ReadProjectFile(project_, *entry);
  }

  void MigrateAll() {
    const auto threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    tbb::task_arena arena(options_.jobs > 0 ? options_.jobs : threads);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              static_cast<size_t>(arena.max_concurrency()));
    tbb::enumerable_thread_specific<Parser> parsers;
    const size_t count = project_.entries.size();
    arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 8), [&](const auto& range) {
        for (size_t i = range.begin(); i < range.end() && !failed_ && !Cancelled(); ++i) {
          Handle(i, parsers.local());
          Progress(count);
        }
      });
    });
  }

  bool Cancelled() const { return options_.cancelled != nullptr && *options_.cancelled; }

  void Progress(size_t total) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    options_.progress(++done_, total);
  }

  void Handle(size_t i, Parser& parser) {
    const ProjectEntry& entry = project_.entries[i];
    FileMigration& result = results_[i];
    switch (entry.kind) {
      case ProjectEntry::Kind::kMigratable:
        HandleText(i, parser);
        break;
      case ProjectEntry::Kind::kOther:
        if (IsWorthALook(entry)) {
          HandleText(i, parser);
        } else {
          result.outcome = {entry.path, FileOutcome::Status::kCopied, {}, 0, 0};
          Copy(entry, result);
        }
        break;
      case ProjectEntry::Kind::kLink:
        result.outcome = {entry.path, FileOutcome::Status::kCopied, {}, 0, 0};
        Copy(entry, result);
        break;
      case ProjectEntry::Kind::kSkipped:
        result = SkippedFile(entry.path, entry.reason);
        break;
    }
  }

  void HandleText(size_t i, Parser& parser) {
    const ProjectEntry& entry = project_.entries[i];
    FileMigration& result = results_[i];
    Result<std::string> bytes = ReadProjectFile(project_, entry);
    if (!bytes) {
      result = SkippedFile(entry.path, bytes.error().what);
      return;
    }
    FileMigrationOptions options;
    options.framework = framework_;
    options.tensorflow = tensorflow_;
    options.tensorflow.migrated = MigratesTensorflow(entry, *bytes);
    options.insert_npu_import = options_.builtin_rules && framework_ == Framework::kPytorch;
    options.report_rest = options_.builtin_rules;
    options.mark = options_.mark;
    options.guard_imports = options_.guard_imports;
    options.with_diff = options_.with_diffs;
    options.prefilter = options_.prefilter;
    std::string before = options_.in_place ? *bytes : std::string();
    result = entry.kind == ProjectEntry::Kind::kMigratable
                 ? MigrateFile(entry.path, *std::move(bytes), engine_, &index_, parser, options)
                 : MigrateOtherFile(entry.path, *bytes, engine_, &index_, parser, options);
    if (result.text && output_) {
      if (Result<Done> done = output_->Write(entry.path, *result.text, entry.mode); !done) {
        Fail(done.error());
      }
    } else if (!result.text) {
      Copy(entry, result);
    }
    if (result.text && options_.in_place) {
      replacements_[i] = {entry.path, std::move(before), *std::move(result.text)};
    }
    result.text.reset();  // written: the run must not hold all files
  }

  /// In a project of another framework only files apart from it: TensorFlow that reads data for a
  /// program of torch goes on on the CPU.
  bool MigratesTensorflow(const ProjectEntry& entry, const std::string& bytes) {
    if (framework_ == Framework::kTensorflow || entry.kind != ProjectEntry::Kind::kMigratable ||
        bytes.find("tensorflow") == std::string::npos) {
      return true;
    }
    const std::string folder = entry.path.substr(0, entry.path.find('/') + 1);
    const std::lock_guard lock(mutex_);
    const auto known = serving_folders_.find(folder);
    if (known != serving_folders_.end()) return !known->second;
    return !(serving_folders_[folder] = ServesAnotherFramework(project_, entry.path));
  }

  void Copy(const ProjectEntry& entry, FileMigration& result) {
    if (!output_ || options_.files.copy == CopyMode::kChanged) return;
    Result<Done> done = output_->Copy(entry);
    if (done) return;
    if (done.error().code == Error::Code::kBadInput) {
      result = SkippedFile(entry.path, done.error().what);
    } else {
      Fail(done.error());
    }
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    failed_ = true;
  }

  MigrationResult Collect() {
    MigrationResult result;
    RunResult& run = result.run;
    run.tool_version = TRANSPLT_VERSION;
    run.input = options_.input;
    run.output = output_ ? output_->path() : "";
    run.framework = NameOf(framework_);
    run.torch_version = options_.torch_version;
    run.ignored_files = project_.ignored_files;
    run.ignored_folders = project_.ignored_folders;
    size_t records = 0;
    for (const FileMigration& file : results_) records += file.records.size();
    run.records.reserve(records);
    run.files.reserve(results_.size());
    for (FileMigration& file : results_) {
      run.files.push_back(std::move(file.outcome));
      std::move(file.records.begin(), file.records.end(), std::back_inserter(run.records));
      if (!file.diff.empty()) result.diffs.push_back(std::move(file.diff));
    }
    results_.clear();
    results_.shrink_to_fit();
    SortRecords(run.records);
    result.notes = project_.notes;
    for (Text& note : NotesAboutFrameworks(run)) result.notes.push_back(std::move(note));
    if (options_.output.empty() && UsesSimilarModule(run)) {
      result.notes.push_back(Say("the result needs {}, which -o OUT writes beside it",
                                 "结果需要 {}, 使用 -o OUT 时会一并写出", kSimilarFile));
    }
    return result;
  }

  /// True if an edit calls for the module, and the project does not hold it from an earlier run.
  static bool UsesSimilarModule(const RunResult& run) {
    const auto is_it = [](const FileOutcome& file) { return file.file == kSimilarFile; };
    if (std::any_of(run.files.begin(), run.files.end(), is_it)) return false;
    return std::any_of(run.records.begin(), run.records.end(), [](const ChangeRecord& record) {
      return record.after.find("transplt_similar") != std::string::npos;
    });
  }

  std::optional<Error> WriteOutput(const RunResult& run) {
    if (options_.files.copy != CopyMode::kChanged) {
      for (const std::string& folder : project_.folders) {
        if (Result<Done> done = output_->MakeFolder(folder); !done) return done.error();
      }
    }
    if (UsesSimilarModule(run)) {
      const Result<Done> done =
          output_->Write(std::string(kSimilarFile), SimilarModule(), std::nullopt);
      if (!done) return done.error();
    }
    const std::string log = RunLog(run, options_.language);
    for (const auto& [name, text] : {std::pair(std::string(kChangeListFile), ChangeListCsv(run)),
                                     std::pair(std::string(kRunLogFile), log)}) {
      if (Result<Done> done = output_->Write(name, text, std::nullopt); !done) return done.error();
    }
    Result<Done> done =
        WriteUnsupportedXlsx(run, output_->PathUntilCommit(std::string(kUnsupportedFile)));
    if (!done) return done.error();
    done = output_->Commit();
    if (!done) return done.error();
    return std::nullopt;
  }

  std::optional<Error> ReplaceInput() {
    std::erase_if(replacements_, [](const Replacement& r) { return r.path.empty(); });
    if (replacements_.empty()) return std::nullopt;
    Result<UndoJournal> journal = UndoJournal::Begin(project_.root);
    if (!journal) return journal.error();
    for (const Replacement& file : replacements_) {
      Result<Done> saved = journal->Save(file.path, file.before, file.after);
      if (!saved) return saved.error();
    }
    if (Result<Done> sealed = journal->Seal(); !sealed) return sealed.error();
    for (const Replacement& file : replacements_) {
      Result<Done> done = AtomicReplace(project_.root + "/" + file.path, file.after);
      if (done) continue;
      // All or nothing: what was replaced so far goes back.
      const Result<UndoJournal::Restored> restored = UndoJournal::Restore(project_.root);
      if (!restored) return restored.error();
      return done.error();
    }
    return std::nullopt;
  }

  const MigrationOptions& options_;
  const Framework framework_;
  const TensorflowVersions tensorflow_;
  const Engine engine_;
  const ProjectFiles project_;
  const ProjectIndex index_;
  std::optional<OutputTree> output_;
  std::vector<FileMigration> results_;
  std::vector<Replacement> replacements_;
  std::mutex mutex_;  // of the members below
  size_t done_ = 0;
  std::map<std::string, bool> serving_folders_;  // by the first folder of paths
  std::optional<Error> error_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Result<MigrationResult> Migrate(const MigrationOptions& options) {
  Result<ProjectFiles> project = FindProjectFiles(options.input, options.files);
  ProjectFramework framework{options.framework.value_or(Framework::kPytorch)};
  const bool asks_files = !options.framework || *options.framework == Framework::kTensorflow;
  if (project && asks_files) {
    const Result<ProjectFramework> found = DetectFramework(*project);
    if (!found && !options.framework) return found.error();
    if (found) framework.usual_tensorflow = found->usual_tensorflow;
    if (!options.framework) framework.framework = found->framework;
  }
  RuleSelection selection;
  selection.target = options.target;
  selection.framework = framework.framework;
  selection.tensorflow = !options.framework && options.target == kTargets[0];
  selection.torch_version = options.torch_version;
  selection.features.insert(selection.features.end(), options.features.begin(),
                            options.features.end());
  Result<RuleSet> rules = LoadRules(options.user_rules, options.builtin_rules, selection);
  if (!rules) return rules.error();
  if (!project) return project.error();
  return Run(options, framework, *rules, *std::move(project)).Execute();
}

TextMigration MigrateText(const std::string& name, std::string text, const RuleSet& rules,
                          const FileMigrationOptions& options) {
  const Engine engine(rules);
  Parser parser;
  TextMigration result;
  result.text = text;
  FileMigration file = MigrateFile(name, std::move(text), engine, nullptr, parser, options);
  if (file.text) result.text = *std::move(file.text);
  result.outcome = std::move(file.outcome);
  result.records = std::move(file.records);
  result.diff = std::move(file.diff);
  SortRecords(result.records);
  return result;
}

}  // namespace transplt
