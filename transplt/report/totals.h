// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/change_record.h"

namespace transplt {

/// Every operation and every status, in the order in which reports list them.
inline constexpr std::array kOperations = {
    Operation::kInsert,      Operation::kModify,  Operation::kDelete,
    Operation::kUnsupported, Operation::kUnknown, Operation::kSuggestion,
    Operation::kUnparsed,    Operation::kSkipped, Operation::kFailed};
inline constexpr std::array kStatuses = {
    FileOutcome::Status::kMigrated, FileOutcome::Status::kUnchanged, FileOutcome::Status::kCopied,
    FileOutcome::Status::kSkipped, FileOutcome::Status::kFailed};

/// What every report counts, counted in one place so that no two can differ.
struct Totals {
  std::map<Operation, uint64_t> operations;          ///< every operation has an entry
  std::map<FileOutcome::Status, uint64_t> statuses;  ///< every status has an entry
  uint64_t edits = 0;                                ///< records that were applied
  uint64_t unsafe_edits = 0;                         ///< those of them that are worth a look
  uint64_t left_open = 0;                            ///< records that are left for a person
};

Totals Count(const RunResult& run);

/// True if the file was skipped, or its migration went wrong.
bool IsNotLookedAt(const FileOutcome& file);

/// True if a file could not be migrated, or a part of one could not be read: then `migrate` exits
/// with 1.
bool HasUnreadParts(const RunResult& run);

/// The `limit` rules with the most records, the most frequent first, then by id.
std::vector<std::pair<std::string, uint64_t>> TopRules(const RunResult& run, size_t limit);

}  // namespace transplt
