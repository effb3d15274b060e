// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/terminal_summary.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/report/wording.h"

namespace transplt {
namespace {

constexpr size_t kSourceColumns = 120;

bool IsProblem(const FileOutcome& file) {
  return file.status == FileOutcome::Status::kSkipped ||
         file.status == FileOutcome::Status::kFailed;
}

std::string FileItem(const FileOutcome& file, Language language) {
  return fmt::format("{}: {}: {}\n", OneLine(file.file), StatusText(file.status).In(language),
                     OneLine(file.reason.In(language)));
}

std::string RecordItem(const ChangeRecord& record, Language language) {
  std::string item = OneLine(record.file);
  if (record.start_line != 0) {
    item += fmt::format(":{}:{}", record.start_line, record.column);
  }
  const std::string& message = record.message.In(language);
  // The message of a rule that is called after its API begins with that name.
  if (!record.rule_id.empty() && !message.starts_with(record.rule_id + ":")) {
    item += ": " + OneLine(record.rule_id);
  }
  item += ": " + OneLine(message);
  const std::string source = FitColumns(OneLine(Trimmed(record.source_line)), kSourceColumns);
  if (!source.empty()) item += ": " + source;
  return item + '\n';
}

}  // namespace

std::string OpenItems(const RunResult& run, Language language, size_t limit,
                      std::string_view everything) {
  std::string lines;
  size_t items = 0;
  std::set<std::string_view> problems;
  for (const FileOutcome& file : run.files) {
    if (!IsProblem(file)) continue;
    problems.insert(file.file);
    if (items++ < limit) lines += FileItem(file, language);
  }
  for (const ChangeRecord& record : run.records) {
    if (record.applicability != Applicability::kDisplayOnly) continue;
    // The row that change_list.csv has for such a file would say the same once more.
    const bool about_file =
        record.operation == Operation::kSkipped || record.operation == Operation::kFailed;
    if (about_file && problems.contains(record.file)) continue;
    if (items++ < limit) lines += RecordItem(record, language);
  }
  if (items > limit) {
    lines += Say("... and {} more; all of them: {}\n", "……另有 {} 项; 全部内容见 {}\n",
                 items - limit, everything)
                 .In(language);
  }
  return lines;
}

}  // namespace transplt
