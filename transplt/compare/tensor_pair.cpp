// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/tensor_pair.h"

#include <algorithm>
#include <cmath>

#include "transplt/compare/pair_kernel.h"
#include "transplt/dump/tensor_values.h"

namespace transplt {
namespace {

constexpr size_t kChunk = size_t{1} << 16;  // values that are read at a time

/// What msprobe adds to both sides where the golden value is zero.
double ZeroEpsilon(NumberType type) {
  switch (type) {
    case NumberType::kFloat16:
      return 0x1p-10;
    case NumberType::kBFloat16:
    case NumberType::kFloat32:
    case NumberType::kComplex64:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

void Unreadable(ComparedTensor& row, const Error& error) {
  row.verdict = PairVerdict::kUnreadable;
  row.message = {error.where + ": " + error.what.en, error.where + ": " + error.what.zh};
}

/// Hands both tensors to `take`, a piece of each at a time; false if one cannot be read.
template <typename Take>
bool ForEachPiece(TensorValues& a, TensorValues& b, const Take& take) {
  for (uint64_t start = 0; start < a.count(); start += kChunk) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(kChunk, a.count() - start));
    if (a.fits_float() && b.fits_float()) {
      const float* x = a.Floats(start, size);
      const float* y = b.Floats(start, size);
      if (x == nullptr || y == nullptr) return false;
      take(x, y, size);
    } else {
      const double* x = a.Doubles(start, size);
      const double* y = b.Doubles(start, size);
      if (x == nullptr || y == nullptr) return false;
      take(x, y, size);
    }
  }
  return true;
}

TensorStatistics StatisticsOf(const SideSums& side, uint64_t count) {
  if (count == 0) return {NAN, NAN, NAN, NAN};
  return {side.max, side.min, side.mean, side.Norm(count)};
}

/// PairVerdict and message for sums of all values.
void Judge(const Tolerance& tolerance, ComparedTensor& row) {
  const PairSums& sums = row.sums;
  const bool is_empty = sums.count == 0;
  if (sums.mismatched > 0) {
    row.verdict = PairVerdict::kDiffers;
    row.message = Say("{} places are NaN or infinite in one tensor and not the same in the other",
                      "有 {} 处在一个张量中为 NaN 或无穷而在另一个中不同", sums.mismatched);
  } else if (is_empty || sums.max_difference == 0) {
    row.verdict = PairVerdict::kSame;
  } else {
    row.verdict = tolerance.Allows(row.metrics, row.a->type, row.b->type) ? PairVerdict::kClose
                                                                          : PairVerdict::kDiffers;
  }
  if (row.message.empty() && row.a->type != row.b->type) {
    row.message = Say("types differ: {} and {}", "类型不同：{} 与 {}", NameOf(row.a->type),
                      NameOf(row.b->type));
  }
}

void CompareValues(const CompareOptions& options, ComparedTensor& row) {
  Result<TensorValues> a = TensorValues::Open(*row.a);
  if (!a) return Unreadable(row, a.error());
  Result<TensorValues> b = TensorValues::Open(*row.b);
  if (!b) return Unreadable(row, b.error());
  if (a->count() != b->count()) {  // complex against real
    row.verdict = PairVerdict::kShape;
    row.message = Say("complex and real numbers are not compared", "不比较复数与实数");
    return;
  }
  PairPass pass(PassKind::kFull, ZeroEpsilon(row.b->type));
  bool was_read = ForEachPiece(
      *a, *b, [&pass](const auto* x, const auto* y, size_t size) { pass.Add(x, y, size); });
  row.sums = pass.sums();
  row.metrics = MetricsOf(row.sums);
  if (was_read && options.divergence && row.sums.count > 0) {
    DivergencePass second(row.sums);
    was_read = ForEachPiece(
        *a, *b, [&second](const auto* x, const auto* y, size_t size) { second.Add(x, y, size); });
    row.metrics.divergence = second.sums().Value();
  }
  if (!was_read) {
    return Unreadable(row, {Error::Code::kIo, row.a->place.file,
                            Say("values are missing here or in {}", "此文件或 {} 的数据不完整",
                                row.b->place.file)});
  }
  row.has_values = true;
  row.statistics_a = StatisticsOf(row.sums.x, row.sums.count);
  row.statistics_b = StatisticsOf(row.sums.y, row.sums.count);
  Judge(options.tolerance, row);
}

/// The statistics that the dump gives, or those of its values.
std::optional<TensorStatistics> AnyStatistics(const DumpedTensor& tensor) {
  if (tensor.statistics || tensor.place.file.empty()) return tensor.statistics;
  Result<TensorValues> values = TensorValues::Open(tensor);
  Result<TensorValues> again = TensorValues::Open(tensor);
  if (!values || !again) return std::nullopt;
  PairPass pass(PassKind::kFull, ZeroEpsilon(tensor.type));
  const bool was_read =
      ForEachPiece(*values, *again,
                   [&pass](const auto* x, const auto* y, size_t size) { pass.Add(x, y, size); });
  if (!was_read) return std::nullopt;
  return StatisticsOf(pass.sums().x, pass.sums().count);
}

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void CompareStatistics(const CompareOptions& options, ComparedTensor& row) {
  const TensorStatistics& a = row.statistics_a;
  const TensorStatistics& b = row.statistics_b;
  const double relative = options.tolerance.RelativeOf(row.a->type, row.b->type);
  const double absolute = options.tolerance.AbsoluteOf(row.a->type, row.b->type);
  const auto close = [relative, absolute](double x, double y, double scale) {
    if (SameNumber(x, y)) return true;
    return std::abs(x - y) <= std::max(absolute, relative * scale);
  };
  const double reach = std::max(std::abs(b.max), std::abs(b.min));
  row.has_statistics = true;
  const bool same = SameNumber(a.max, b.max) && SameNumber(a.min, b.min) &&
                    SameNumber(a.mean, b.mean) && SameNumber(a.norm, b.norm);
  const bool is_close = close(a.max, b.max, reach) && close(a.min, b.min, reach) &&
                        close(a.mean, b.mean, reach) && close(a.norm, b.norm, std::abs(b.norm));
  row.verdict = same ? PairVerdict::kSame : is_close ? PairVerdict::kClose : PairVerdict::kDiffers;
  row.message = Say("only the statistics were compared", "仅比较了统计值");
}

}  // namespace

void CompareTensors(const CompareOptions& options, ComparedTensor& row) {
  if (row.a->shape != row.b->shape) {
    row.verdict = PairVerdict::kShape;
    row.message = Say("shapes differ: {} and {}", "形状不同：{} 与 {}", ShapeText(row.a->shape),
                      ShapeText(row.b->shape));
    return;
  }
  if (!row.a->place.file.empty() && !row.b->place.file.empty()) return CompareValues(options, row);
  const std::optional<TensorStatistics> a = AnyStatistics(*row.a);
  const std::optional<TensorStatistics> b = AnyStatistics(*row.b);
  if (a && b) {
    row.statistics_a = *a;
    row.statistics_b = *b;
    CompareStatistics(options, row);
  } else if (!row.a->checksum.empty() && !row.b->checksum.empty()) {
    row.verdict = row.a->checksum == row.b->checksum ? PairVerdict::kSame : PairVerdict::kDiffers;
    row.message = Say("only the checksums were compared", "仅比较了校验值");
  } else {
    row.verdict = PairVerdict::kUnreadable;
    row.message = Say("one of the dumps has neither values nor statistics of it",
                      "其中一个 dump 既无数据也无统计值");
  }
}

Histogram HistogramOf(const ComparedTensor& row, size_t parts) {
  Histogram histogram;
  Result<TensorValues> a = TensorValues::Open(*row.a);
  Result<TensorValues> b = TensorValues::Open(*row.b);
  if (!a || !b || !row.has_values || row.sums.count == 0) return histogram;
  histogram.low = std::min(row.sums.x.min, row.sums.y.min);
  histogram.high = std::max(row.sums.x.max, row.sums.y.max);
  histogram.a.assign(parts, 0);
  histogram.b.assign(parts, 0);
  const double width = histogram.high - histogram.low;
  const double scale = width > 0 ? static_cast<double>(parts) / width : 0;
  const auto add = [&](std::vector<uint64_t>& counts, double value) {
    if (!std::isfinite(value)) return;
    const double part =
        std::clamp((value - histogram.low) * scale, 0.0, static_cast<double>(parts - 1));
    ++counts[static_cast<size_t>(part)];
  };
  ForEachPiece(*a, *b, [&](const auto* x, const auto* y, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      add(histogram.a, static_cast<double>(x[i]));
      add(histogram.b, static_cast<double>(y[i]));
    }
  });
  return histogram;
}

}  // namespace transplt
