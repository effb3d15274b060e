// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "transplt/compare/comparison.h"

namespace transplt {

/// A field: nothing, a number, or text that no spreadsheet takes for a formula.
using ComparisonCell = std::variant<std::monostate, double, std::string>;

struct ComparisonTable {
  std::vector<std::string> columns;
  std::vector<std::vector<ComparisonCell>> rows;
};

enum class ColumnSet {
  kAll,        ///< everything that is known
  kMsaccucmp,  ///< the columns of msaccucmp
  kMsprobe,    ///< the columns of msprobe, with its zero convention
};

ComparisonTable TableOf(const Comparison& comparison, ColumnSet columns);

/// A number as text: the shortest that reads back the same; "nan", "inf", "-inf".
std::string NumberText(double number);

std::string ComparisonCsv(const ComparisonTable& table);
std::string ComparisonJson(const Comparison& comparison);
/// One page without scripts and without anything from elsewhere.
std::string ComparisonHtml(const Comparison& comparison, Language language);
/// The workbook at `path`, which must not be there.
Result<Done> WriteComparisonXlsx(const ComparisonTable& table, const std::string& path);

}  // namespace transplt
