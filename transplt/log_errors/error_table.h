// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/log_errors/literal_finder.h"
#include "transplt/log_errors/log_line.h"
#include "transplt/log_errors/log_pattern.h"

namespace transplt {

/// How much an error says about why a training ended; the first says most.
enum class ErrorLevel {
  kCause,        ///< what went wrong
  kUnknown,      ///< an error that no row knows
  kWarned,       ///< a cause that its line only warns of
  kGeneral,      ///< something failed; other lines say what
  kConsequence,  ///< it comes from an error elsewhere, mostly on another card
  kWrapper,      ///< it only passes on that something failed
  kHarmless,     ///< nothing is wrong
};
std::string_view NameOf(ErrorLevel level);

/// A row of rules/log_errors.json.
struct KnownError {
  std::string id;
  ErrorLevel level = ErrorLevel::kCause;
  bool is_fallback = false;  ///< counts only for lines that no other row knows
  Text meaning;
  Text remedy;
  std::string help;  ///< a command of transplt; may be empty
  std::string source;
  std::vector<std::string> examples;  ///< lines that show it
  std::vector<std::string> beside;    ///< the other rows that its examples show
};

/// The errors that are known, and what finds them in a line.
class ErrorTable {
 public:
  static const ErrorTable& BuiltIn();

  const std::vector<KnownError>& rows() const { return rows_; }
  /// The rows that `line` shows, in the order of the table.
  std::vector<const KnownError*> Find(std::string_view line) const;
  const LogSigns& signs() const { return signs_; }
  /// Finds what a line must have to show a row, or any other error.
  const LiteralFinder& finder() const { return finder_; }

 private:
  struct RowPattern {
    uint32_t row = 0;
    LogPattern pattern;
  };
  ErrorTable(LogSigns signs, std::vector<KnownError> rows, std::vector<RowPattern> patterns);
  static ErrorTable Read();

  LogSigns signs_;
  std::vector<KnownError> rows_;
  std::vector<RowPattern> patterns_;
  LiteralFinder finder_;
};

}  // namespace transplt
