// SPDX-License-Identifier: Apache-2.0
#include "transplt/rewrite/project_rewrite.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "transplt/base/cancelled.h"
#include "transplt/frontends/file_type.h"
#include "transplt/project/file_content.h"
#include "transplt/project/folder_lock.h"
#include "transplt/project/undo.h"
#include "transplt/project/undo_journal.h"

namespace transplt {
namespace {

/// A file that waits for all others before the input may be changed.
struct Replacement {
  std::string path;
  std::string before;
  std::string after;
};

/// One run over the files of a project.
class Run {
 public:
  Run(const RewriteOptions& options, const ProjectFiles& project, const RewriteSteps& steps)
      : options_(options),
        steps_(steps),
        project_(project),
        index_(
            PythonFiles(),
            [this](const std::string& path) { return ReadProjectFile(project_, path); },
            options.budget, options.cancelled, project_.is_file ? "" : project_.name,
            TextsOfStarts(project_.entries)),
        outcomes_(project_.entries.size()),
        records_(project_.entries.size()),
        diffs_(project_.entries.size()),
        edits_(project_.entries.size()),
        replacements_(options.in_place ? project_.entries.size() : 0) {}

  Result<RewriteResult> Execute() {
    if (!options_.output.empty()) {
      Result<OutputTree> output =
          OutputTree::Create(options_.output, options_.result_name, options_.input, options_.force,
                             options_.cancelled);
      if (!output) return output.error();
      output_.emplace(*std::move(output));
    }
    if (options_.in_place) {
      Result<FolderLock> lock = FolderLock::Take(project_.root);
      if (!lock) return lock.error();
      lock_.emplace(*std::move(lock));
    }
    // More threads than processors are taken only where this allows them.
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<size_t>(Threads()));
    if (steps_.look_ahead) {
      ReadAhead();
      if (std::optional<Error> error = steps_.look_ahead(index_)) return *error;
    }
    RewriteAll();
    if (error_) return *error_;
    if (Cancelled()) return CancelledError();
    if (steps_.look_back) {
      if (std::optional<Error> error = steps_.look_back(index_)) return *error;
    }
    RewriteResult result = Collect();
    if (Cancelled()) return CancelledError();
    if (options_.in_place) {
      if (std::optional<Error> error = ReplaceInput(result.run)) return *error;
    }
    AddTexts(result);
    if (output_) {
      if (std::optional<Error> error = WriteOutput(result)) return *error;
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

  int Threads() const {
    if (options_.jobs > 0) return options_.jobs;
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }

  void ReadAhead() {
    tbb::task_arena arena(Threads());
    arena.execute([&] {
      tbb::parallel_for(size_t{0}, index_.paths().size(), [&](size_t i) {
        if (!Cancelled()) index_.ReadAhead(index_.paths()[i]);
      });
    });
  }

  /// The largest files first: else one thread may be left with one of them at the end.
  std::vector<size_t> OrderOfWork() const {
    std::vector<size_t> order(project_.entries.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t i) { return project_.entries[i].size; });
    return order;
  }

  void RewriteAll() {
    tbb::task_arena arena(Threads());
    tbb::enumerable_thread_specific<Parser> parsers;
    const std::vector<size_t> order = OrderOfWork();
    std::atomic<size_t> next = 0;
    arena.execute([&] {
      tbb::parallel_for(0, Threads(), [&](int) {
        for (size_t at = next++; at < order.size() && !failed_ && !Cancelled(); at = next++) {
          Keep(order[at], Handle(order[at], parsers.local()));
          Progress(order.size());
        }
      });
    });
  }

  bool Cancelled() const { return IsCancelled(options_.cancelled); }

  void Progress(size_t total) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    options_.progress(++done_, total);
  }

  FileResult Handle(size_t i, Parser& parser) {
    const ProjectEntry& entry = project_.entries[i];
    switch (entry.kind) {
      case ProjectEntry::Kind::kMigratable:
        return HandleText(i, parser);
      case ProjectEntry::Kind::kOther:
        if (steps_.is_of_interest(entry)) return HandleText(i, parser);
        break;
      case ProjectEntry::Kind::kLink:
        break;
      case ProjectEntry::Kind::kSkipped:
        return SkippedFile(entry.path, entry.reason);
    }
    FileResult result;
    result.outcome = {entry.path, FileOutcome::Status::kCopied, {}, 0, 0};
    Copy(entry, result);
    return result;
  }

  FileResult HandleText(size_t i, Parser& parser) {
    const ProjectEntry& entry = project_.entries[i];
    Result<std::string> bytes = ReadProjectFile(project_, entry);
    if (!bytes) return SkippedFile(entry.path, bytes.error().what);
    Remember(entry, *bytes);
    BudgetMeter meter(options_.budget, options_.cancelled);
    std::string before = options_.in_place ? *bytes : std::string();
    FileResult result;
    if (!meter.IsSpentByBytes(bytes->size())) {
      parser.SetMeter(&meter);
      result = steps_.rewrite(entry, *std::move(bytes), index_, parser);
      parser.SetMeter(nullptr);
    }
    if (meter.spent()) result = SkippedFile(entry.path, meter.Reason());
    if (meter.is_cancelled()) return result;
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
    return result;
  }

  /// So that it can be told later whether the file is still the same.
  void Remember(const ProjectEntry& entry, std::string_view bytes) {
    if (!output_) return;
    const std::lock_guard lock(mutex_);
    originals_[entry.path] = ContentOf(bytes).hash;
  }

  /// What the reports need of a file: the run must not hold all texts.
  void Keep(size_t i, FileResult result) {
    outcomes_[i] = std::move(result.outcome);
    outcomes_[i].file = {};  // the entry has it
    records_[i] = std::move(result.records);
    records_[i].shrink_to_fit();
    diffs_[i] = std::move(result.diff);
    edits_[i] = std::move(result.edits);
  }

  void Copy(const ProjectEntry& entry, FileResult& result) {
    if (!output_ || options_.copy == CopyMode::kChanged) return;
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

  RewriteResult Collect() {
    RewriteResult result;
    RunResult& run = result.run;
    run.tool_version = TRANSPLT_VERSION;
    run.input = options_.input;
    run.output = output_ ? output_->path() : "";
    run.ignored_files = project_.ignored_files;
    run.ignored_folders = project_.ignored_folders;
    run.files = std::move(outcomes_);
    for (size_t i = 0; i < run.files.size(); ++i) run.files[i].file = project_.entries[i].path;
    size_t records = 0;
    for (const std::vector<ChangeRecord>& of_file : records_) records += of_file.size();
    run.records.reserve(records);
    for (std::vector<ChangeRecord>& of_file : records_) {
      std::move(of_file.begin(), of_file.end(), std::back_inserter(run.records));
      of_file = {};
    }
    const auto rejected =
        std::stable_partition(run.records.begin(), run.records.end(),
                              [](const ChangeRecord& r) { return r.decision != kReject; });
    std::move(rejected, run.records.end(), std::back_inserter(run.rejected));
    run.records.erase(rejected, run.records.end());
    SortRecords(run.records);
    SortRecords(run.rejected);
    result.originals = std::move(originals_);
    run.notes = project_.notes;
    steps_.finish(result);
    return result;
  }

  void AddTexts(RewriteResult& result) {
    for (std::string& diff : diffs_) {
      if (!diff.empty()) result.diffs.push_back(std::move(diff));
    }
    for (size_t i = 0; i < edits_.size(); ++i) {
      if (!edits_[i].empty()) result.edits[project_.entries[i].path] = std::move(edits_[i]);
    }
  }

  std::optional<Error> WriteOutput(RewriteResult& result) {
    if (options_.copy != CopyMode::kChanged) {
      for (const std::string& folder : project_.folders) {
        if (Result<Done> done = output_->MakeFolder(folder); !done) return done.error();
      }
    }
    const Result<bool> wanted = steps_.write_reports(result.run, *output_);
    if (!wanted) return wanted.error();
    if (Cancelled()) return CancelledError();
    if (!*wanted) return std::nullopt;
    if (Result<Done> done = output_->Commit(); !done) return done.error();
    for (Text& note : output_->Notes()) result.run.notes.push_back(std::move(note));
    return std::nullopt;
  }

  /// Changes the input, which nothing ends halfway: all that takes long is done before. A file that
  /// somebody changed meanwhile stays, and its outcome says so.
  std::optional<Error> ReplaceInput(RunResult& run) {
    std::erase_if(replacements_, [](const Replacement& r) { return r.path.empty(); });
    if (replacements_.empty()) return std::nullopt;
    Result<UndoJournal> journal = UndoJournal::Begin(project_.root, *lock_);
    if (!journal) return journal.error();
    for (const Replacement& file : replacements_) {
      if (Cancelled()) return CancelledError();
      Result<std::optional<Text>> left = journal->Save(file.path, file.before, file.after);
      if (!left) return left.error();
      if (*left) Leave({file.path, **std::move(left)}, run);
    }
    if (journal->empty()) return std::nullopt;
    if (Result<Done> sealed = journal->Seal(); !sealed) return sealed.error();
    const Result<std::vector<LeftFile>> left = journal->Replace();
    if (!left) return PutBack(left.error());
    for (const LeftFile& file : *left) Leave(file, run);
    std::ranges::move(journal->Notes(), std::back_inserter(run.notes));
    return std::nullopt;
  }

  /// All or nothing: what was replaced so far goes back.
  Error PutBack(Error error) const {
    const Result<UndoResult> undone = Undo(project_.root, false, *lock_);
    const auto add = [&error](const std::string& path, const Text& reason) {
      error.what.en += fmt::format("\n{}: {}", path, reason.en);
      error.what.zh += fmt::format("\n{}: {}", path, reason.zh);
    };
    if (!undone) add(undone.error().where, undone.error().what);
    if (!undone) return error;
    for (const LeftFile& file : undone->refusals) add(file.path, file.reason);
    return error;
  }

  /// The file is as the user has it, so nothing that was to be done to it is reported as done.
  void Leave(const LeftFile& file, RunResult& run) {
    const auto i = static_cast<size_t>(FindEntry(project_, file.path) - project_.entries.data());
    diffs_[i].clear();
    edits_[i].clear();
    const auto is_of_file = [&](const ChangeRecord& record) { return record.file == file.path; };
    std::erase_if(run.records, is_of_file);
    std::erase_if(run.rejected, is_of_file);
    FileResult skipped = SkippedFile(file.path, file.reason);
    run.files[i] = std::move(skipped.outcome);
    std::ranges::move(skipped.records, std::back_inserter(run.records));
    SortRecords(run.records);
  }

  const RewriteOptions& options_;
  const RewriteSteps& steps_;
  const ProjectFiles& project_;
  const ProjectIndex index_;
  std::optional<OutputTree> output_;
  std::optional<FolderLock> lock_;  // of the input, if it is to be changed
  // By the number of the entry.
  std::vector<FileOutcome> outcomes_;
  std::vector<std::vector<ChangeRecord>> records_;
  std::vector<std::string> diffs_;
  std::vector<std::vector<Edit>> edits_;
  std::vector<Replacement> replacements_;  // empty unless the input is to be changed
  std::mutex mutex_;                       // of the members below
  size_t done_ = 0;
  std::map<std::string, std::string> originals_;
  std::optional<Error> error_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Result<RewriteResult> RewriteProject(const RewriteOptions& options, const ProjectFiles& project,
                                     const RewriteSteps& steps) {
  return Run(options, project, steps).Execute();
}

}  // namespace transplt
