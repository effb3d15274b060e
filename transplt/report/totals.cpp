// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/totals.h"

#include <algorithm>

namespace transplt {

Totals Count(const RunResult& run) {
  Totals totals;
  for (Operation operation : kOperations) totals.operations[operation] = 0;
  for (FileOutcome::Status status : kStatuses) totals.statuses[status] = 0;
  for (const ChangeRecord& record : run.records) {
    ++totals.operations[record.operation];
    ++(record.applicability == Applicability::kDisplayOnly ? totals.left_open : totals.edits);
    if (record.applicability == Applicability::kUnsafe) ++totals.unsafe_edits;
  }
  for (const FileOutcome& file : run.files) ++totals.statuses[file.status];
  return totals;
}

bool IsNotLookedAt(const FileOutcome& file) {
  return file.status == FileOutcome::Status::kSkipped ||
         file.status == FileOutcome::Status::kFailed;
}

bool HasUnreadParts(const RunResult& run) {
  return std::any_of(run.files.begin(), run.files.end(), IsNotLookedAt) ||
         std::any_of(run.records.begin(), run.records.end(), [](const ChangeRecord& record) {
           return record.operation == Operation::kUnparsed;
         });
}

std::vector<std::pair<std::string, uint64_t>> TopRules(const RunResult& run, size_t limit) {
  std::map<std::string, uint64_t> counts;
  for (const ChangeRecord& record : run.records) {
    if (!record.rule_id.empty()) ++counts[record.rule_id];
  }
  std::vector<std::pair<std::string, uint64_t>> rules(counts.begin(), counts.end());
  std::stable_sort(rules.begin(), rules.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (rules.size() > limit) rules.resize(limit);
  return rules;
}

}  // namespace transplt
