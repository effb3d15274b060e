// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/probe_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>

#include "transplt/compare/comparison_cells.h"
#include "transplt/dump/tensor_name.h"

namespace transplt {
namespace {

using Cell = ComparisonCell;
using Row = std::vector<Cell>;

constexpr const char* kNotThere = "N/A";

/// As the dump spells it: "torch.float32".
Cell ProbeTypeCell(const DumpedTensor* tensor) {
  if (tensor == nullptr) return {};
  return CellWith(tensor->type_name.empty() ? NameOf(tensor->type) : tensor->type_name);
}

/// "[2, 3]".
Cell ProbeShapeCell(const DumpedTensor* tensor) {
  if (tensor == nullptr) return {};
  return CellWith(fmt::format("[{}]", fmt::join(tensor->shape, ", ")));
}

/// What the dump says of the values of a tensor, which the library has computed in float64; else
/// what was computed from them.
std::optional<TensorStatistics> ToldStatistics(const ComparedTensor& row, const DumpedTensor* side,
                                               const TensorStatistics& computed) {
  if (side != nullptr && side->statistics) return side->statistics;
  if (row.has_values || row.has_statistics) return computed;
  return std::nullopt;
}

void AppendProbeStatistics(const ComparedTensor& row, Row& cells) {
  const auto append = [&](const DumpedTensor* side, const TensorStatistics& computed) {
    const std::optional<TensorStatistics> told = ToldStatistics(row, side, computed);
    const TensorStatistics all = told.value_or(computed);
    for (const double number : {all.max, all.min, all.mean, all.norm}) {
      cells.push_back(told ? Cell(number) : Cell());
    }
  };
  append(row.a, row.statistics_a);
  append(row.b, row.statistics_b);
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

/// The numbers of msprobe, which puts 0 for what is NaN or infinite in both tensors, and gives
/// no direction to a tensor of zeros.
std::array<Cell, 6> ProbeNumbers(const ComparedTensor& row) {
  constexpr double kZero = std::numeric_limits<double>::epsilon();
  const PairSums& sums = row.sums;
  const auto zeros = static_cast<double>(sums.x.nans + sums.x.infinities);
  const auto count = static_cast<double>(sums.count) + zeros;
  if (sums.count == 0) return {1.0, 0.0, 0.0, 0.0, 1.0, 1.0};
  const Metrics& m = row.metrics;
  const auto share = [&](uint64_t within) { return (static_cast<double>(within) + zeros) / count; };
  const bool x_is_zero = sums.x.Norm(sums.count) <= kZero;
  const bool y_is_zero = sums.y.Norm(sums.count) <= kZero;
  const Cell cosine = x_is_zero && y_is_zero   ? Cell(1.0)
                      : x_is_zero || y_is_zero ? Cell("Nan")
                                               : Cell(m.cosine);
  return {cosine,
          m.euclidean,
          m.max_absolute,
          m.max_relative_all,
          share(sums.within_1e3),
          share(sums.within_5e3)};
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
  if (row.sums.mismatched > 0) return all(kNotThere);
  std::array<Cell, 6> cells = ProbeNumbers(row);
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
  const auto told_a = ToldStatistics(row, row.a, row.statistics_a);
  const auto told_b = ToldStatistics(row, row.b, row.statistics_b);
  if (!told_a || !told_b) {
    cells.insert(cells.end(), 8, Cell());
    return;
  }
  const std::array<std::array<Cell, 2>, 4> pairs = {
      ProbeDifference(told_a->max, told_b->max), ProbeDifference(told_a->min, told_b->min),
      ProbeDifference(told_a->mean, told_b->mean), ProbeDifference(told_a->norm, told_b->norm)};
  for (const size_t part : {0, 1}) {
    for (const std::array<Cell, 2>& pair : pairs) cells.push_back(pair[part]);
  }
}

Cell ChecksumCell(const DumpedTensor* tensor) {
  return tensor == nullptr ? Cell() : CellWith(tensor->checksum);
}

Row TensorRow(const ComparedTensor& row, const ProbeColumns& columns) {
  Row cells = {NameCell(row.a),      NameCell(row.b),       ProbeTypeCell(row.a),
               ProbeTypeCell(row.b), ProbeShapeCell(row.a), ProbeShapeCell(row.b),
               GradientCell(row.a),  GradientCell(row.b)};
  AppendProbeNumbers(row, columns, cells);
  if (columns.checksums) {
    cells.push_back(ChecksumCell(row.a));
    cells.push_back(ChecksumCell(row.b));
  }
  if (columns.statistics) AppendProbeStatistics(row, cells);
  const bool both = row.a != nullptr && row.b != nullptr && row.a->requires_grad.has_value() &&
                    row.b->requires_grad.has_value();
  const bool equal = both && row.a->requires_grad == row.b->requires_grad;
  cells.push_back(both ? CellWith(equal ? "True" : "False") : Cell());
  cells.push_back(CellWith(ProbeResult(row)));
  cells.push_back(CellWith(row.message.en));
  return cells;
}

/// What stands as each of the four statistics of an argument.
Cell ValueCell(const DumpedArgument& argument) {
  // msprobe writes their sizes, as shape.
  if (argument.type == "slice" || argument.type == "torch.Size") return Cell("None");
  const bool is_number = argument.type == "<class 'int'>" || argument.type == "<class 'float'>";
  double number = 0;
  const char* end = argument.value.data() + argument.value.size();
  const auto [rest, error] = std::from_chars(argument.value.data(), end, number);
  constexpr double kExact = 0x1p53;
  const bool is_exact = !std::isfinite(number) || std::abs(number) < kExact;
  if (is_number && error == std::errc() && rest == end && is_exact) return number;
  return CellWith(argument.value);
}

/// The difference of a statistic of two arguments, and its share.
std::array<Cell, 2> ArgumentDifference(const ComparedArgument& pair) {
  if (pair.a == nullptr || pair.b == nullptr) return {Cell(kNotThere), Cell(kNotThere)};
  const Cell a = ValueCell(*pair.a);
  const Cell b = ValueCell(*pair.b);
  if (a == b) return {Cell(0.0), Cell(0.0)};
  if (pair.a->is_device && pair.b->is_device) return {Cell(kNotThere), Cell(kNotThere)};
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return {Cell("Diff"), Cell("Diff")};
  return ProbeDifference(*x, *y);
}

Row ArgumentRow(const ComparedArgument& pair, const ProbeColumns& columns) {
  Row cells;
  const auto each = [&](const auto& cell_of) {
    for (const DumpedArgument* side : {pair.a, pair.b}) {
      cells.push_back(side == nullptr ? Cell(kNotThere) : cell_of(*side));
    }
  };
  each([](const DumpedArgument& side) { return CellWith(side.name); });
  each([](const DumpedArgument& side) { return CellWith(side.type); });
  each([](const DumpedArgument& side) { return CellWith(side.shape); });
  each([](const DumpedArgument&) { return Cell(kNotThere); });
  if (columns.values) {
    cells.insert(cells.end(), 6, Cell("unsupported"));
  } else if (columns.statistics) {
    for (const Cell& part : ArgumentDifference(pair)) cells.insert(cells.end(), 4, part);
  }
  if (columns.checksums) cells.insert(cells.end(), 2, Cell());
  if (columns.statistics) {
    for (const DumpedArgument* side : {pair.a, pair.b}) {
      cells.insert(cells.end(), 4, side == nullptr ? Cell(kNotThere) : ValueCell(*side));
    }
  }
  const bool both = pair.a != nullptr && pair.b != nullptr;
  cells.push_back(CellWith("True"));  // neither has a gradient
  cells.push_back(CellWith(!both ? "warning" : pair.Differs() ? "error" : "pass"));
  cells.push_back(CellWith(pair.a == nullptr   ? "missing in A"
                           : pair.b == nullptr ? "missing in B"
                           : pair.Differs()    ? "the argument differs"
                                               : ""));
  return cells;
}

/// The arguments of each operation, which come before what it gives.
class ArgumentRows {
 public:
  ArgumentRows(const Comparison& comparison, const ProbeColumns& columns) : columns_(columns) {
    for (const ComparedArgument& pair : comparison.arguments) {
      pairs_[KeyOf(pair.either().folder, pair.either().name)].push_back(&pair);
    }
  }

  void AppendBefore(const ComparedTensor& row, ComparisonTable& table) {
    if (SplitTensorName(row.either().name).role == TensorRole::kInput) return;
    const auto found = pairs_.find(KeyOf(row.either().folder, row.either().name));
    if (found == pairs_.end()) return;
    Append(found->second, table);
    pairs_.erase(found);
  }

  /// Those of operations that have no tensors.
  void AppendRest(ComparisonTable& table) const {
    for (const auto& [key, pairs] : pairs_) Append(pairs, table);
  }

 private:
  static std::string KeyOf(const std::string& folder, const std::string& name) {
    return folder + "|" + SplitTensorName(name).op;
  }

  void Append(const std::vector<const ComparedArgument*>& pairs, ComparisonTable& table) const {
    for (const ComparedArgument* pair : pairs) table.rows.push_back(ArgumentRow(*pair, columns_));
  }

  const ProbeColumns& columns_;
  std::map<std::string, std::vector<const ComparedArgument*>> pairs_;
};

}  // namespace

ComparisonTable ProbeTable(const Comparison& comparison) {
  const ProbeColumns columns = ProbeColumnsOf(comparison);
  ComparisonTable table;
  table.columns = ProbeNames(columns);
  ArgumentRows arguments(comparison, columns);
  for (const ComparedTensor& row : comparison.rows) {
    arguments.AppendBefore(row, table);
    table.rows.push_back(TensorRow(row, columns));
  }
  arguments.AppendRest(table);
  return table;
}

}  // namespace transplt
