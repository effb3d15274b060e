// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/framework.h"
#include "transplt/base/result.h"
#include "transplt/distributed/multi_card.h"
#include "transplt/engine/engine.h"
#include "transplt/engine/rule_set.h"
#include "transplt/engine/target.h"
#include "transplt/migrate/file_migration.h"
#include "transplt/project/project_files.h"
#include "transplt/rewrite/project_rewrite.h"

namespace transplt {

struct RunRecord;

/// Gives the script that starts the program `main` of the result, which lies in `folder` by then.
using LauncherMaker =
    std::function<Result<std::string>(const std::string& folder, const std::string& main)>;

/// One run of `transplt migrate`.
struct MigrationOptions {
  std::string input;   ///< a file or a folder
  std::string output;  ///< OUT; the result is OUT/<name>_msft. Empty: nothing is written there
  bool in_place = false;
  bool force = false;
  bool with_diffs = false;
  bool with_patches = false;
  std::vector<RuleFile> user_rules;  ///< run before the built-in ones
  bool builtin_rules = true;
  /// What the files import decides if it is not given; a project of another one is refused.
  std::optional<Framework> framework = Framework::kPytorch;
  int tensorflow_version = 0;      ///< TensorflowVersions::installed
  std::string torch_version = {};  ///< empty: what the project pins, else the newest
  std::string torch_npu = {};      ///< a release; empty: the newest for this torch
  std::string target = DefaultTarget().name;
  std::vector<std::string> features;       ///< of KnownFeatures(): what is done besides the usual
  std::vector<std::string> disabled = {};  ///< ids of reports: see CheckReportIds
  /// The result holds what `transplt review` needs, which names the way to the project: results
  /// that are to be the same wherever they are written do without.
  bool with_record = true;
  bool mark = false;           ///< comments around what is edited
  bool extend_served = false;  ///< FileMigrationOptions::extend_served
  bool edit_docs = false;      ///< FileMigrationOptions::edit_docs
  /// The program that becomes one for several cards; its result is OUT/<name>_msft_multi.
  std::optional<MultiCardRequest> multi_card = {};
  LauncherMaker make_launcher = {};  ///< empty: no script is written
  bool guard_imports = false;        ///< files can be imported where torch_npu is missing
  FileSelection files;
  int jobs = 0;  ///< threads; 0: one per processor
  FileBudget budget;
  bool prefilter = true;
  Language language = Language::kEnglish;
  /// A run whose result `output` is written again, under the name `result_name` and with the
  /// decisions of this record. Refused if other files or edits are found than then. May be null.
  const RunRecord* again = nullptr;
  std::string result_name = {};
  /// What a person has decided about edits, for a run that writes nothing. May be null.
  const FixDecisions* decisions = nullptr;
  bool with_values = false;  ///< FixesOf shall know which edits belong together
  bool with_edits = false;   ///< RewriteResult::edits is wanted
  /// Called now and then with the number of files that are done, never from two threads at once.
  std::function<void(size_t done, size_t total)> progress;
  /// Ends the run when it becomes true; what was written so far is removed. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

using MigrationResult = RewriteResult;

/// Migrates a file or a project. Trouble with one file stays in that file's outcome; an Error
/// means that the run could not be carried out, and then nothing was written.
Result<MigrationResult> Migrate(const MigrationOptions& options);

/// Migrates one text that comes from nowhere: standard input, a rule's example.
struct TextMigration {
  FileOutcome outcome;
  std::vector<ChangeRecord> records;
  std::string text;
  std::string diff;
};
TextMigration MigrateText(const std::string& name, std::string text, const Engine& engine,
                          const FileMigrationOptions& options, const FileBudget& budget = {});

}  // namespace transplt
