// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/comparison_table.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "transplt/compare/comparison_cells.h"
#include "transplt/compare/probe_table.h"
#include "transplt/dump/tensor_name.h"
#include "transplt/report/change_list_csv.h"

namespace transplt {
namespace {

using Cell = ComparisonCell;
using Row = std::vector<Cell>;

Cell Number(double number, bool is_there = true) { return is_there ? Cell(number) : Cell(); }

Cell TypeCell(const DumpedTensor* tensor) {
  if (tensor == nullptr) return {};
  return CellWith(tensor->type == NumberType::kOther ? tensor->type_name : NameOf(tensor->type));
}

Cell ShapeCell(const DumpedTensor* tensor) {
  return tensor == nullptr ? Cell() : CellWith(ShapeText(tensor->shape));
}

std::string DeviationText(const ComparedTensor& row) {
  if (!row.has_values) return {};
  const auto side = [&row](const SideSums& sums) {
    return fmt::format("({:.6g};{:.6g})", sums.mean, sums.Deviation(row.sums.count));
  };
  return side(row.sums.x) + "," + side(row.sums.y);
}

void AppendStatistics(const ComparedTensor& row, Row& cells) {
  const bool is_there = row.has_values || row.has_statistics;
  for (const TensorStatistics* side : {&row.statistics_a, &row.statistics_b}) {
    for (const double number : {side->max, side->min, side->mean, side->norm}) {
      cells.push_back(Number(number, is_there));
    }
  }
}

constexpr std::array<const char*, 40> kAllColumns = {"Folder",
                                                     "Name A",
                                                     "Name B",
                                                     "Role",
                                                     "Type A",
                                                     "Type B",
                                                     "Shape A",
                                                     "Shape B",
                                                     "Matched By",
                                                     "Result",
                                                     "Cause",
                                                     "Cosine",
                                                     "Max Abs Err",
                                                     "Acc Rel Err",
                                                     "Rel Euclid",
                                                     "KL Divergence",
                                                     "Std Dev",
                                                     "Mean Abs Err",
                                                     "RMSE",
                                                     "Max Rel Err",
                                                     "Mean Rel Err",
                                                     "Euclid",
                                                     "Max Rel Err (msprobe)",
                                                     "Mean Rel Err (msprobe)",
                                                     "Within 1/1000",
                                                     "Within 5/1000",
                                                     "NaN A",
                                                     "NaN B",
                                                     "Inf A",
                                                     "Inf B",
                                                     "Non-finite Mismatch",
                                                     "Max A",
                                                     "Min A",
                                                     "Mean A",
                                                     "Norm A",
                                                     "Max B",
                                                     "Min B",
                                                     "Mean B",
                                                     "Norm B",
                                                     "Message"};

Row AllCells(const ComparedTensor& row) {
  const bool has = row.has_values;
  const Metrics& m = row.metrics;
  Row cells = {CellWith(row.either().folder),
               NameCell(row.a),
               NameCell(row.b),
               CellWith(NameOf(SplitTensorName(row.either().name).role)),
               TypeCell(row.a),
               TypeCell(row.b),
               ShapeCell(row.a),
               ShapeCell(row.b),
               CellWith(NameOf(row.by)),
               CellWith(NameOf(row.verdict)),
               CellWith(NameOf(row.cause))};
  for (const double number :
       {m.cosine, m.max_absolute, m.accumulated_relative, m.relative_euclidean, m.divergence}) {
    cells.push_back(Number(number, has));
  }
  cells.push_back(CellWith(DeviationText(row)));
  for (const double number :
       {m.mean_absolute, m.root_mean_square, m.max_relative, m.mean_relative, m.euclidean,
        m.max_relative_all, m.mean_relative_all, m.within_1e3, m.within_5e3}) {
    cells.push_back(Number(number, has));
  }
  for (const uint64_t count : {row.sums.x.nans, row.sums.y.nans, row.sums.x.infinities,
                               row.sums.y.infinities, row.sums.mismatched}) {
    cells.push_back(Number(static_cast<double>(count), has));
  }
  AppendStatistics(row, cells);
  cells.push_back(CellWith(row.message.en));
  return cells;
}

ComparisonTable AllColumns(const Comparison& comparison) {
  ComparisonTable table;
  table.columns.assign(kAllColumns.begin(), kAllColumns.end());
  for (const ComparedTensor& row : comparison.rows) table.rows.push_back(AllCells(row));
  return table;
}

ComparisonTable MsaccucmpColumns(const Comparison& comparison) {
  ComparisonTable table;
  table.columns = {"Index",
                   "NPUDump",
                   "GroundTruth",
                   "DataType",
                   "Shape",
                   "CosineSimilarity",
                   "MaxAbsoluteError",
                   "AccumulatedRelativeError",
                   "RelativeEuclideanDistance",
                   "KullbackLeiblerDivergence",
                   "StandardDeviation",
                   "MeanAbsoluteError",
                   "RootMeanSquareError",
                   "MaxRelativeError",
                   "MeanRelativeError",
                   "CompareFailReason"};
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedTensor& row = comparison.rows[i];
    const Metrics& m = row.metrics;
    Row cells = {Number(static_cast<double>(i)), NameCell(row.a), NameCell(row.b),
                 TypeCell(&row.either()), ShapeCell(&row.either())};
    for (const double number :
         {m.cosine, m.max_absolute, m.accumulated_relative, m.relative_euclidean, m.divergence}) {
      cells.push_back(Number(number, row.has_values));
    }
    cells.push_back(CellWith(DeviationText(row)));
    for (const double number :
         {m.mean_absolute, m.root_mean_square, m.max_relative, m.mean_relative}) {
      cells.push_back(Number(number, row.has_values));
    }
    cells.push_back(CellWith(row.message.en));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

ComparisonTable TableOf(const Comparison& comparison, ColumnSet columns) {
  if (columns == ColumnSet::kMsaccucmp) return MsaccucmpColumns(comparison);
  if (columns == ColumnSet::kMsprobe) return ProbeTable(comparison);
  return AllColumns(comparison);
}

std::string NumberText(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    return fmt::format("{:.0f}", number == 0 ? 0.0 : number);
  }
  return fmt::format("{}", number);
}

std::string ComparisonCsv(const ComparisonTable& table) {
  std::string csv;
  const auto end = [&csv] {
    csv.back() = '\n';  // in place of the last comma
  };
  for (const std::string& column : table.columns) {
    AppendCsvField(csv, column);
    csv.push_back(',');
  }
  end();
  for (const Row& row : table.rows) {
    for (const Cell& cell : row) {
      if (const auto* number = std::get_if<double>(&cell)) csv += NumberText(*number);
      if (const auto* text = std::get_if<std::string>(&cell)) AppendCsvField(csv, *text);
      csv.push_back(',');
    }
    end();
  }
  return csv;
}

}  // namespace transplt
