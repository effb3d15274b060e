// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/change_record.h"

#include <algorithm>
#include <tuple>

namespace transplt {

std::string_view Name(ProgramOutcome::Verdict verdict) {
  switch (verdict) {
    case ProgramOutcome::Verdict::kStarts:
      return "starts";
    case ProgramOutcome::Verdict::kStops:
      return "stops";
    case ProgramOutcome::Verdict::kUnknown:
      return "unknown";
    case ProgramOutcome::Verdict::kLeftOut:
      return "left-out";
  }
  return "";
}

std::string_view Name(FileOutcome::Status status) {
  switch (status) {
    case FileOutcome::Status::kMigrated:
      return "migrated";
    case FileOutcome::Status::kUnchanged:
      return "unchanged";
    case FileOutcome::Status::kCopied:
      return "copied";
    case FileOutcome::Status::kSkipped:
      return "skipped";
    case FileOutcome::Status::kFailed:
      return "failed";
  }
  return "";
}

void SortRecords(std::vector<ChangeRecord>& records) {
  std::sort(records.begin(), records.end(), [](const ChangeRecord& a, const ChangeRecord& b) {
    auto key = [](const ChangeRecord& r) {
      return std::tie(r.file, r.start_line, r.column, r.end_line, r.rule_id, r.before, r.after,
                      r.message.en);
    };
    return key(a) < key(b);
  });
}

std::vector<ChangeRecord> RecordsWithRejected(const RunResult& run) {
  std::vector<ChangeRecord> all = run.records;
  all.insert(all.end(), run.rejected.begin(), run.rejected.end());
  SortRecords(all);
  return all;
}

}  // namespace transplt
