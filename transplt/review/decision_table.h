// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// A row of an edited change_list.csv.
struct DecisionRow {
  uint32_t line = 0;  ///< of the table's text, or the row of its sheet; from 1
  std::string file;
  std::string start_line;
  std::string column;
  std::string rule_id;
  std::string message;
  std::string before;
  std::string after;
  bool is_edit = false;  ///< false for a row about something that stays as it is
  std::string decision;  ///< kAccept, kReject or empty
};

/// Reads change_list.csv as spreadsheet programs save it: ',', ';' or tab between the fields, with
/// or without quotes and byte order mark, LF or CRLF, UTF-8 or UTF-16 or an 8-bit encoding. An
/// Error (kUsage) names the line of the table: a missing column, an unknown word, an open quote.
/// `name` is what messages call the table.
Result<std::vector<DecisionRow>> ReadDecisionTable(const std::string& name, std::string_view bytes);

/// Reads the file `path`: such a table, or the sheet of an .xlsx file that has its columns.
Result<std::vector<DecisionRow>> ReadDecisionFile(const std::string& path);

/// `text` without blanks and line ends, which spreadsheet programs change.
std::string WithoutBlanks(std::string_view text);

}  // namespace transplt
