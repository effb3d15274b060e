// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/result_lines.h"

#include <algorithm>

namespace transplt {

ResultLines::ResultLines(const RunResult& run) {
  for (const ChangeRecord& record : run.records) {
    const bool is_edit = record.applicability != Applicability::kDisplayOnly;
    if (!is_edit || record.file.ends_with(".ipynb")) continue;
    const auto added = std::ranges::count(record.after, '\n');
    const auto taken = std::ranges::count(record.before, '\n');
    if (added == taken) continue;
    // What is put in front of a line moves the line itself.
    const bool is_before = record.before.empty() && record.column <= 1;
    shifts_[record.file].push_back({is_before ? record.start_line : record.end_line + 1,
                                    static_cast<int64_t>(added) - static_cast<int64_t>(taken)});
  }
}

uint32_t ResultLines::Of(const ChangeRecord& record) const {
  int64_t line = record.start_line;
  const auto shifts = shifts_.find(record.file);
  if (line == 0 || shifts == shifts_.end()) return record.start_line;
  for (const Shift& shift : shifts->second) {
    if (shift.from <= record.start_line) line += shift.lines;
  }
  return static_cast<uint32_t>(line);
}

}  // namespace transplt
