// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/compare/comparison_table.h"

namespace transplt {

/// Text that no spreadsheet takes for a formula.
ComparisonCell CellWith(std::string_view text);
/// Nothing if there is no such tensor.
ComparisonCell NameCell(const DumpedTensor* tensor);

}  // namespace transplt
