// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// What launchers and loggers put into a line, from rules/log_errors.json.
struct LogSigns {
  std::vector<std::string> ranks;  ///< stand before the number of the rank
  std::vector<std::string> errors;
  std::vector<std::string> warnings;

  /// The rank that wrote the line, where that says so.
  std::optional<uint32_t> RankOf(std::string_view line) const;
  bool MarkAsError(std::string_view line) const;
  bool MarkAsWarning(std::string_view line) const;
};

/// Texts without which a line starts no traceback and names no exception.
std::span<const std::string_view> SignsOfExceptions();
/// True for the first line of a traceback of Python.
bool StartsTraceback(std::string_view line);
/// True for a line that ends a traceback: "ValueError: bad", also behind the prefix of a launcher.
bool NamesException(std::string_view line);

}  // namespace transplt
