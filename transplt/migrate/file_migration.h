// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/engine/engine.h"
#include "transplt/migrate/selection.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// What became of one file.
struct FileMigration {
  FileOutcome outcome;
  std::vector<ChangeRecord> records;
  std::optional<std::string> text;  ///< the new bytes; nothing if the file stays as it is
  std::string diff;                 ///< if it was asked for
  std::vector<Edit> edits;          ///< that make `text`, if they were asked for
};

struct FileMigrationOptions {
  Framework framework = Framework::kPytorch;
  TensorflowVersions tensorflow;
  bool insert_npu_import = true;
  /// Report what speaks of CUDA in files that are not Python and that no rule is about.
  bool report_rest = true;
  bool mark = false;           ///< comments around what is edited
  bool guard_imports = false;  ///< the file can be imported where torch_npu is missing
  bool with_diff = false;
  bool with_edits = false;
  /// Skip the parser for files that cannot hold anything. Never changes a result; off to measure.
  bool prefilter = true;
};

/// What became of a file of which this was selected, and then written as `edits`. `is_broken` is
/// asked about the new text: where it says so, the original stays and the outcome is kFailed.
FileMigration ResultOf(const Selection& selection, const EditList& edits, const SourceFile& source,
                       const FileMigrationOptions& options,
                       const std::function<bool(std::string)>& is_broken);

/// Migrates one Python file: finds, selects, edits, and reads the result back. If that shows an
/// error which the original did not have, the original stays and the outcome is kFailed.
FileMigration MigrateFile(const std::string& path, std::string bytes, const Engine& engine,
                          const ProjectIndex* project, Parser& parser,
                          const FileMigrationOptions& options);

/// The record and outcome of a file that could not be looked at.
FileMigration SkippedFile(const std::string& path, Text reason);

}  // namespace transplt
