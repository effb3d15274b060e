// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/file_budget.h"
#include "transplt/base/result.h"
#include "transplt/project/output_tree.h"
#include "transplt/project/project_files.h"
#include "transplt/python/project_index.h"
#include "transplt/rewrite/file_result.h"

namespace transplt {

/// Where the files of a run come from, and where the result goes.
struct RewriteOptions {
  std::string input;        ///< a file or a folder
  std::string output;       ///< OUT; the result is OUT/<result_name>. Empty: none is written there
  std::string result_name;  ///< the folder below `output`
  bool in_place = false;
  bool force = false;
  CopyMode copy = CopyMode::kProject;
  int jobs = 0;  ///< threads; 0: one per processor
  FileBudget budget;
  /// Called now and then with the number of files that are done, never from two threads at once.
  std::function<void(size_t done, size_t total)> progress;
  /// Ends the run when it becomes true; what was written so far is removed. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

struct RewriteResult {
  RunResult run;
  std::vector<std::string> diffs;  ///< one per changed file, in the order of the files
  /// What makes the new text of each changed file, if it was asked for; by its path.
  std::map<std::string, std::vector<Edit>> edits;
  /// If an output is written: the hash (FileContent) of each file that was read, by its path.
  std::map<std::string, std::string> originals;
  /// The edits as mails for `git am`, by their file names, if they were asked for.
  std::vector<std::pair<std::string, std::string>> patches;
};

/// What a command does with the files of a project; called from several threads but for `finish`.
struct RewriteSteps {
  /// True for files that are not Python and that `rewrite` shall see.
  std::function<bool(const ProjectEntry&)> is_of_interest;
  std::function<FileResult(const ProjectEntry&, std::string bytes, const ProjectIndex&, Parser&)>
      rewrite;
  /// Looks at the project as a whole before the first file; an Error ends the run. May be empty.
  std::function<std::optional<Error>(const ProjectIndex&)> look_ahead = {};
  /// Looks at the project as a whole once all files are done, before any is changed; an Error ends
  /// the run. May be empty.
  std::function<std::optional<Error>(const ProjectIndex&)> look_back = {};
  /// Completes the result.
  std::function<void(RewriteResult&)> finish;
  /// Writes reports beside the files; false: nothing of the result is to be kept.
  std::function<Result<bool>(const RunResult&, OutputTree&)> write_reports;
};

/// Carries out `steps` for all files, and writes what came of it. Trouble with one file stays in
/// that file's outcome; an Error means that the run could not be carried out, and then nothing was
/// written.
Result<RewriteResult> RewriteProject(const RewriteOptions& options, const ProjectFiles& project,
                                     const RewriteSteps& steps);

}  // namespace transplt
