// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/embedded_python.h"

#include <algorithm>
#include <utility>

namespace transplt {
namespace {

/// True if the whole part was read, and a shell reads no edit in another way.
bool Fits(const FileMigration& part) {
  const bool is_python = std::ranges::none_of(part.records, [](const ChangeRecord& record) {
    return record.operation == Operation::kUnparsed || record.operation == Operation::kSkipped ||
           record.operation == Operation::kFailed;
  });
  return is_python && std::ranges::all_of(part.edits, [](const Edit& edit) {
           return edit.text.find_first_of("'\"$`\\") == std::string::npos;
         });
}

void PlaceInText(ChangeRecord& record, const SourceFile& script, TextRange part) {
  const LineColumn start = script.Locate(part.start);
  if (record.start_line == 1) record.column += start.column - 1;
  record.start_line += start.line - 1;
  record.end_line += start.line - 1;
}

}  // namespace

void MigrateEmbeddedPython(const SourceFile& script, const std::vector<TextRange>& parts,
                           const Engine& engine, const ProjectIndex* project, Parser& parser,
                           const FileMigrationOptions& options, FileMigration& result) {
  FileMigrationOptions of_part = options;
  of_part.with_diff = false;
  of_part.with_edits = true;
  for (TextRange range : parts) {
    const std::string text(range.In(script.bytes()));
    FileMigration part = MigrateFile(script.path(), text, engine, project, parser, of_part);
    if (!Fits(part)) continue;
    for (ChangeRecord& record : part.records) {
      PlaceInText(record, script, range);
      result.records.push_back(std::move(record));
    }
    for (Edit& edit : part.edits) {
      edit.range.start += range.start;
      edit.range.end += range.start;
      result.edits.push_back(std::move(edit));
    }
    result.outcome.edits += part.outcome.edits;
    result.outcome.left_open += part.outcome.left_open;
  }
}

}  // namespace transplt
