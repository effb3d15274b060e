// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transplt/base/change_record.h"

namespace transplt {

/// A field of a table: nothing, a number, or text that no spreadsheet takes for a formula.
using TableCell = std::variant<std::monostate, uint64_t, std::string>;
using TableRow = std::vector<TableCell>;

/// `text` as a cell: valid UTF-8, and with a blank before every character that could make a
/// spreadsheet read a formula: = + - % @, also full-width, at the beginning, behind ';' (which
/// separates fields in some locales) and at the beginning of a line; tab and CR at the beginning.
/// A number stays as it is.
TableCell TextCell(std::string_view text);

/// The columns of change_list.csv, which the sheet "Changes" repeats.
inline constexpr std::array<std::string_view, 13> kChangeColumns = {
    "File",          "Start Line", "End Line", "Operation Type", "Message",  "Column",  "Rule ID",
    "Applicability", "Before",     "After",    "Cause",          "Severity", "Decision"};

/// The fields of `record` in the order of kChangeColumns. A record about a whole file has no
/// lines and no column, an edit no severity. The decision is empty until a person decides.
TableRow ChangeRow(const ChangeRecord& record);

/// `number`, or nothing for the 0 of a record about a whole file.
TableCell PlaceCell(uint32_t number);

}  // namespace transplt
