// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/base/result.h"

namespace transplt {

inline constexpr std::string_view kUnsupportedFile = "unsupported_op.xlsx";

/// A sheet of a workbook holds 1,048,576 rows, the first of which is the header.
inline constexpr size_t kSheetRows = 1'048'575;

/// Writes the workbook with the sheets Summary, Changes, Unsupported, Unknown and Files to `path`.
/// "Changes" repeats change_list.csv; what does not fit into a sheet of `rows_per_sheet` rows
/// continues in "Changes 2" and so on. Equal runs give equal bytes. Fails with kIo; what
/// `path` then holds is not complete.
Result<Done> WriteUnsupportedXlsx(const RunResult& run, const std::string& path,
                                  size_t rows_per_sheet = kSheetRows);

}  // namespace transplt
