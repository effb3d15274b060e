// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/comparison_cells.h"

#include "transplt/report/change_table.h"

namespace transplt {

ComparisonCell CellWith(std::string_view text) {
  const TableCell cell = TextCell(text);
  const auto* safe = std::get_if<std::string>(&cell);
  return safe == nullptr ? ComparisonCell() : ComparisonCell(*safe);
}

ComparisonCell NameCell(const DumpedTensor* tensor) {
  return tensor == nullptr ? ComparisonCell() : CellWith(tensor->name);
}

}  // namespace transplt
