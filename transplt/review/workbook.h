// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/csv_reader.h"
#include "transplt/base/result.h"

namespace transplt {

/// True for the bytes of a spreadsheet program's own file, .xlsx or another one, which is no CSV.
bool IsSpreadsheetFile(std::string_view bytes);

/// The sheets of the .xlsx file `path`, each as its lines with text, in their order; `name` is
/// what messages call it. Numbers are given as they stand in the file. An Error (kUsage) for what
/// is no .xlsx file, and for one with a password.
Result<std::vector<std::vector<TableLine>>> ReadWorkbook(const std::string& name,
                                                         const std::string& path);

}  // namespace transplt
