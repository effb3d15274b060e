// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/analysis/analyzed_project.h"
#include "transplt/migrate/migration.h"
#include "transplt/migrate/run_record.h"

namespace transplt {

/// A project of which an editor has files open: what `migrate` and `explain` say of it as it is in
/// the editor. Every answer is about the texts and files of the last Update.
class OpenProject {
 public:
  /// `input` is the folder of the project, or its only file; absolute, without links. `conversion`:
  /// the options of `migrate` that say how files are converted.
  OpenProject(std::string input, MigrationOptions conversion);

  /// Migrates the project, without writing. An Error, too, if `cancelled` (may be null) has ended
  /// it; then nothing is told.
  std::optional<Error> Update(std::shared_ptr<const OpenTexts> texts,
                              const std::atomic<bool>* cancelled);

  /// A row of a report, and the group of its edit; 0: it edits nothing.
  struct Row {
    ChangeRecord record;
    uint32_t group = 0;
  };
  /// The rows about the file at this absolute path, in the order of the reports. Edits that are
  /// only there because others need them are left out.
  std::vector<const Row*> RowsOf(const std::string& path) const;
  /// The edits of a group: they are made together or not at all.
  std::vector<const Row*> RowsOf(uint32_t group) const;

  /// What it takes to make just the edits of these groups, by the absolute paths of the files:
  /// also the imports that they need.
  Result<std::map<std::string, std::vector<Edit>>> EditsOf(const std::set<uint32_t>& groups) const;

  /// What `explain` says of the text at an offset of a file.
  Result<Text> EvidenceAt(const std::string& path, uint32_t offset);

  std::string PathOf(std::string_view file) const { return root_ + "/" + std::string(file); }

 private:
  /// The path in the project; empty for a file that is not below its folder.
  std::string Relative(const std::string& path) const;

  std::string root_;  // the folder
  MigrationOptions options_;
  std::vector<Row> rows_;
  std::vector<RecordedFix> fixes_;
  std::unique_ptr<const AnalyzedProject> analyzed_;  // made by the first question about evidence
};

}  // namespace transplt
