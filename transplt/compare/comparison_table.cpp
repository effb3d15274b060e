// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "transplt/dump/tensor_name.h"
#include "transplt/report/change_list_csv.h"
#include "transplt/report/change_table.h"

namespace transplt {
namespace {

using Cell = ComparisonCell;
using Row = std::vector<Cell>;

Cell CellWith(std::string_view text) {
  const TableCell cell = TextCell(text);
  const auto* safe = std::get_if<std::string>(&cell);
  return safe == nullptr ? Cell() : Cell(*safe);
}

Cell Number(double number, bool is_there = true) { return is_there ? Cell(number) : Cell(); }

Cell NameCell(const DumpedTensor* tensor) {
  return tensor == nullptr ? Cell() : CellWith(tensor->name);
}

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

std::string_view ProbeResult(const ComparedTensor& row) {
  switch (row.verdict) {
    case PairVerdict::kSame:
    case PairVerdict::kClose:
      return "pass";
    case PairVerdict::kNeverDumped:
    case PairVerdict::kOnlyInA:
      return "warning";
    default:
      return "error";
  }
}

Cell GradientCell(const DumpedTensor* tensor) {
  if (tensor == nullptr || !tensor->requires_grad) return {};
  return CellWith(*tensor->requires_grad ? "True" : "False");
}

/// The difference of two statistics and its share of the golden one, as msprobe writes them. Equal
/// ones differ by nothing, also where they are not finite.
std::array<Cell, 2> ProbeDifference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return {Cell(0.0), Cell(0.0)};
  if (std::isnan(a) || std::isnan(b)) return {Cell("Nan"), Cell("Nan")};
  const double difference = a - b;
  if (std::isinf(difference)) return {Cell(difference), Cell(difference)};
  if (b == 0) return {Cell(difference), Cell(INFINITY)};
  return {Cell(difference), Cell(fmt::format("{}%", std::abs(difference / b * 100)))};
}

/// The numbers of a pair of values. msprobe drops dimensions of size 1 first, and has no direction
/// and no share of what is one number then.
std::array<Cell, 6> ProbeMetrics(const ComparedTensor& row) {
  const auto all = [](const char* text) {
    std::array<Cell, 6> cells;
    cells.fill(Cell(text));
    return cells;
  };
  if (row.a != nullptr && row.b != nullptr && row.a->shape != row.b->shape) {
    return all("shape unmatched");
  }
  if (!row.has_values) return {};
  const std::vector<uint64_t>& shape = row.either().shape;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return all("unsupported");
  if (row.sums.mismatched > 0) return all("N/A");
  const Metrics& m = row.metrics;
  std::array<Cell, 6> cells = {Cell(m.cosine),           Cell(m.euclidean),  Cell(m.max_absolute),
                               Cell(m.max_relative_all), Cell(m.within_1e3), Cell(m.within_5e3)};
  if (std::all_of(shape.begin(), shape.end(), [](uint64_t size) { return size == 1; })) {
    for (const size_t i : {0, 1, 4, 5}) cells[i] = Cell("unsupported");
  }
  return cells;
}

/// Which columns a table of msprobe has: values go before statistics, as in its modes.
struct ProbeColumns {
  bool values = false;
  bool statistics = false;
  bool checksums = false;
};

ProbeColumns ProbeColumnsOf(const Comparison& comparison) {
  ProbeColumns columns;
  for (const ComparedTensor& row : comparison.rows) {
    columns.values = columns.values || row.has_values;
    columns.statistics = columns.statistics || row.has_statistics;
    columns.checksums = columns.checksums || (row.a != nullptr && !row.a->checksum.empty()) ||
                        (row.b != nullptr && !row.b->checksum.empty());
  }
  columns.checksums = columns.checksums && !columns.values;
  columns.statistics = columns.values || columns.statistics || !columns.checksums;
  return columns;
}

std::vector<std::string> ProbeNames(const ProbeColumns& columns) {
  std::vector<std::string> names = {"NPU Name",          "Bench Name",         "NPU Dtype",
                                    "Bench Dtype",       "NPU Tensor Shape",   "Bench Tensor Shape",
                                    "NPU Requires_grad", "Bench Requires_grad"};
  const auto add = [&names](std::initializer_list<const char*> more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  if (columns.values) {
    add({"Cosine", "EucDist", "MaxAbsErr", "MaxRelativeErr", "One Thousandth Err Ratio",
         "Five Thousandths Err Ratio"});
  } else if (columns.statistics) {
    add({"Max diff", "Min diff", "Mean diff", "L2norm diff", "MaxRelativeErr", "MinRelativeErr",
         "MeanRelativeErr", "NormRelativeErr"});
  }
  if (columns.checksums) add({"NPU MD5", "BENCH MD5"});
  if (columns.statistics) {
    add({"NPU max", "NPU min", "NPU mean", "NPU l2norm", "Bench max", "Bench min", "Bench mean",
         "Bench l2norm"});
  }
  add({"Requires_grad Consistent", "Result", "Err_message"});
  return names;
}

void AppendProbeNumbers(const ComparedTensor& row, const ProbeColumns& columns, Row& cells) {
  if (columns.values) {
    for (Cell& cell : ProbeMetrics(row)) cells.push_back(std::move(cell));
    return;
  }
  if (!columns.statistics) return;
  const TensorStatistics& a = row.statistics_a;
  const TensorStatistics& b = row.statistics_b;
  const std::array<std::array<Cell, 2>, 4> pairs = {
      ProbeDifference(a.max, b.max), ProbeDifference(a.min, b.min), ProbeDifference(a.mean, b.mean),
      ProbeDifference(a.norm, b.norm)};
  for (const size_t part : {0, 1}) {
    for (const std::array<Cell, 2>& pair : pairs) {
      cells.push_back(row.has_statistics ? pair[part] : Cell());
    }
  }
}

Cell ChecksumCell(const DumpedTensor* tensor) {
  return tensor == nullptr ? Cell() : CellWith(tensor->checksum);
}

ComparisonTable MsprobeColumns(const Comparison& comparison) {
  const ProbeColumns columns = ProbeColumnsOf(comparison);
  ComparisonTable table;
  table.columns = ProbeNames(columns);
  for (const ComparedTensor& row : comparison.rows) {
    Row cells = {NameCell(row.a),  NameCell(row.b),  TypeCell(row.a),     TypeCell(row.b),
                 ShapeCell(row.a), ShapeCell(row.b), GradientCell(row.a), GradientCell(row.b)};
    AppendProbeNumbers(row, columns, cells);
    if (columns.checksums) {
      cells.push_back(ChecksumCell(row.a));
      cells.push_back(ChecksumCell(row.b));
    }
    if (columns.statistics) AppendStatistics(row, cells);
    const bool both = row.a != nullptr && row.b != nullptr && row.a->requires_grad.has_value() &&
                      row.b->requires_grad.has_value();
    const bool equal = both && row.a->requires_grad == row.b->requires_grad;
    cells.push_back(both ? CellWith(equal ? "True" : "False") : Cell());
    cells.push_back(CellWith(ProbeResult(row)));
    cells.push_back(CellWith(row.message.en));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

ComparisonTable TableOf(const Comparison& comparison, ColumnSet columns) {
  if (columns == ColumnSet::kMsaccucmp) return MsaccucmpColumns(comparison);
  if (columns == ColumnSet::kMsprobe) return MsprobeColumns(comparison);
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
