// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// A line of a table, or the row of a sheet.
struct TableLine {
  uint32_t number = 0;  ///< from 1
  std::vector<std::string> cells;
};

/// Reads a table line by line, as RFC 4180 and spreadsheet programs write it: cells in quotes hold
/// separators, line ends and doubled quotes; line ends are LF or CR LF. `name`, which messages call
/// the table, and `text`, in UTF-8 without byte order mark, must outlive the reader.
class CsvReader {
 public:
  CsvReader(const std::string& name, std::string_view text, char separator)
      : name_(name), text_(text), separator_(separator) {}

  /// The next line that is not empty; nothing behind the last one. An Error (kUsage) for a quote
  /// that is never closed, at the line where it opens.
  Result<std::optional<TableLine>> Next();

 private:
  bool Skip(char c);
  bool Ends() const;
  Result<std::string> Cell();

  const std::string& name_;
  const std::string_view text_;
  const char separator_;
  size_t at_ = 0;
  uint32_t number_ = 1;
};

}  // namespace transplt
