// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/log_errors/error_table.h"

namespace transplt {

/// An error of a log, at all lines that show it.
struct FoundError {
  const KnownError* known = nullptr;  ///< null for what no row knows
  ErrorLevel level = ErrorLevel::kUnknown;
  uint64_t first_line = 0;  ///< from 1
  uint64_t last_line = 0;
  uint64_t times = 0;
  std::string text;          ///< the first line
  std::set<uint32_t> ranks;  ///< that wrote it, as far as the lines say so
};

/// What a log shows. Errors that stand together are one failure; the last failure comes first, and
/// of it what says most about the cause.
struct LogErrors {
  std::string name;  ///< of the file
  uint64_t lines = 0;
  std::vector<FoundError> last;     ///< of the last failure
  std::vector<FoundError> earlier;  ///< before it, the latest first
  std::vector<FoundError> harmless;
};

/// Reads a log piece by piece, in time and memory that do not depend on what it says.
class LogScan {
 public:
  explicit LogScan(std::string name);

  void Add(std::string_view piece);
  LogErrors Finish() &&;

 private:
  using Errors = std::map<std::string, FoundError>;  ///< by id, or by text for the unknown

  void ScanLines(std::string_view text);
  void ScanLine(std::string_view line);
  void Note(const KnownError* known, ErrorLevel level, std::string_view line);
  void CountLines(std::string_view text);
  void KeepActive();
  void EndFailure();

  const ErrorTable& table_;
  LogErrors result_;
  std::string rest_;          ///< of a line whose end has not come yet
  uint64_t line_ = 1;         ///< the line that is read now
  uint64_t last_active_ = 0;  ///< the last line that shows an error
  Errors failure_;
  Errors earlier_;
  Errors harmless_;
  FoundError marked_;  ///< the first line of the failure that only a logger marks
};

}  // namespace transplt
