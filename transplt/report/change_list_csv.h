// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/change_table.h"

namespace transplt {

inline constexpr std::string_view kChangeListFile = "change_list.csv";

/// Appends `text` as a field, quoted only if it must be.
void AppendCsvField(std::string& csv, std::string_view text);

/// Appends a row of any table, with its line end.
void AppendCsvRow(std::string& csv, std::span<const TableCell> row);

/// The content of change_list.csv: UTF-8 without BOM, LF, one row per record in their order.
/// Fields are quoted only when they must be; messages are English.
std::string ChangeListCsv(const RunResult& run);

}  // namespace transplt
