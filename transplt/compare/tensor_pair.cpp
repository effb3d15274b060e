// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/tensor_pair.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

/// Hands both tensors to `take`, a piece of each at a time; false if one cannot be read. A tensor
/// by itself is read once and handed over as both.
template <typename Take>
bool ForEachPiece(TensorValues& a, TensorValues* b, const Take& take) {
  const bool as_floats = a.fits_float() && (b == nullptr || b->fits_float());
  for (uint64_t start = 0; start < a.count(); start += kChunk) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(kChunk, a.count() - start));
    if (as_floats) {
      const float* x = a.Floats(start, size);
      const float* y = b == nullptr ? x : b->Floats(start, size);
      if (x == nullptr || y == nullptr) return false;
      take(x, y, size);
    } else {
      const double* x = a.Doubles(start, size);
      const double* y = b == nullptr ? x : b->Doubles(start, size);
      if (x == nullptr || y == nullptr) return false;
      take(x, y, size);
    }
  }
  return true;
}

/// The sums of both tensors, or of one as both; false if one cannot be read.
bool Add(TensorValues& a, TensorValues* b, double epsilon, PairSums& sums) {
  PairPass pass(PassKind::kFull, epsilon);
  const auto add = [&pass](const auto* x, const auto* y, size_t size) { pass.Add(x, y, size); };
  if (!ForEachPiece(a, b, add)) return false;
  sums = pass.sums();
  const double scale = ScaleFor(sums);
  if (scale == 1) return true;
  PairPass again(PassKind::kFull, epsilon, scale);
  const auto add_scaled = [&again](const auto* x, const auto* y, size_t size) {
    again.Add(x, y, size);
  };
  if (!ForEachPiece(a, b, add_scaled)) return false;
  sums = Rescaled(sums, again.sums(), scale);
  return true;
}

/// float64 holds integers up to 2^53: beyond them the differences are taken from the integers.
template <typename Integer>
bool AddIntegers(TensorValues& a, TensorValues& b, PairSums& sums) {
  PairSums exact = sums;
  exact.sum_difference = exact.max_difference = exact.sum_square = exact.sum_product = 0;
  for (uint64_t start = 0; start < a.count(); start += kChunk) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(kChunk, a.count() - start));
    const char* x = a.Raw(start, size);
    const char* y = b.Raw(start, size);
    if (x == nullptr || y == nullptr) return false;
    for (size_t i = 0; i < size; ++i) {
      Integer p = 0;
      Integer q = 0;
      std::memcpy(&p, x + i * sizeof(p), sizeof(p));
      std::memcpy(&q, y + i * sizeof(q), sizeof(q));
      const uint64_t distance = p > q ? static_cast<uint64_t>(p) - static_cast<uint64_t>(q)
                                      : static_cast<uint64_t>(q) - static_cast<uint64_t>(p);
      const auto d = static_cast<double>(distance);
      exact.sum_difference += d;
      exact.max_difference = std::max(exact.max_difference, d);
      exact.sum_square += d * d;
      exact.sum_product += (p > q ? d : -d) * static_cast<double>(q);
    }
  }
  sums = exact;
  return true;
}

bool ReadSums(const ComparedTensor& row, TensorValues& a, TensorValues& b, PairSums& sums) {
  constexpr double kExact = 0x1p53;
  if (!Add(a, &b, ZeroEpsilon(row.b->type), sums)) return false;
  const bool is_large = std::max({sums.x.max, sums.y.max, -sums.x.min, -sums.y.min}) >= kExact;
  if (row.a->type != row.b->type || !is_large) return true;
  if (row.a->type == NumberType::kInt64) return AddIntegers<int64_t>(a, b, sums);
  if (row.a->type == NumberType::kUInt64) return AddIntegers<uint64_t>(a, b, sums);
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
  bool was_read = ReadSums(row, *a, *b, row.sums);
  row.metrics = MetricsOf(row.sums);
  if (was_read && options.divergence && row.sums.count > 0) {
    DivergencePass second(row.sums);
    was_read = ForEachPiece(
        *a, &*b, [&second](const auto* x, const auto* y, size_t size) { second.Add(x, y, size); });
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

/// The statistics of `side` as IEEE arithmetic gives them, and so the tools that dump them: NaN
/// and infinite values are not left out.
TensorStatistics PlainStatisticsOf(const SideSums& side, uint64_t count) {
  if (side.nans > 0) return {NAN, NAN, NAN, NAN};
  TensorStatistics statistics = StatisticsOf(side, count);
  const uint64_t positive = side.infinities - side.negative_infinities;
  if (positive > 0) statistics.max = INFINITY;
  if (side.negative_infinities > 0) statistics.min = -INFINITY;
  if (side.infinities == 0) return statistics;
  if (count == 0) {  // nothing but infinite values
    statistics.max = positive > 0 ? INFINITY : -INFINITY;
    statistics.min = side.negative_infinities > 0 ? -INFINITY : INFINITY;
  }
  statistics.norm = INFINITY;
  statistics.mean = statistics.max + statistics.min;  // NaN of both, else infinite
  return statistics;
}

/// The statistics that the dump gives, or those of its values.
std::optional<TensorStatistics> AnyStatistics(const DumpedTensor& tensor) {
  if (tensor.statistics || tensor.place.file.empty()) return tensor.statistics;
  Result<TensorValues> values = TensorValues::Open(tensor);
  PairSums sums;
  if (!values || !Add(*values, nullptr, ZeroEpsilon(tensor.type), sums)) return std::nullopt;
  return PlainStatisticsOf(sums.x, sums.count);
}

/// Checksums tell only where both are of the same kind and of the same bytes.
bool HaveChecksums(const ComparedTensor& row) {
  return !row.a->checksum.empty() && row.a->checksum.size() == row.b->checksum.size() &&
         row.a->type == row.b->type;
}

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double FiniteSize(double number) { return std::isfinite(number) ? std::abs(number) : 0; }

void CompareStatistics(const CompareOptions& options, ComparedTensor& row) {
  const TensorStatistics& a = row.statistics_a;
  const TensorStatistics& b = row.statistics_b;
  const double relative = options.tolerance.RelativeOf(row.a->type, row.b->type);
  const double absolute = options.tolerance.AbsoluteOf(row.a->type, row.b->type);
  const auto close = [relative, absolute](double x, double y, double scale) {
    if (SameNumber(x, y)) return true;
    if (!std::isfinite(x) || !std::isfinite(y)) return false;
    return std::abs(x - y) <= std::max(absolute, relative * scale);
  };
  const double reach = std::max(FiniteSize(b.max), FiniteSize(b.min));
  row.has_statistics = true;
  const bool same = SameNumber(a.max, b.max) && SameNumber(a.min, b.min) &&
                    SameNumber(a.mean, b.mean) && SameNumber(a.norm, b.norm);
  const bool is_close = close(a.max, b.max, reach) && close(a.min, b.min, reach) &&
                        close(a.mean, b.mean, reach) && close(a.norm, b.norm, std::abs(b.norm));
  row.verdict = same ? PairVerdict::kSame : is_close ? PairVerdict::kClose : PairVerdict::kDiffers;
  row.message = Say("only the statistics were compared", "仅比较了统计值");
  if (!HaveChecksums(row)) return;
  if (row.a->checksum == row.b->checksum) {
    row.verdict = PairVerdict::kSame;
    row.message = Say("only the statistics and checksums were compared", "仅比较了统计值与校验值");
    return;
  }
  const bool allows_some = relative > 0 || absolute > 0;
  if (row.verdict == PairVerdict::kSame) {
    row.verdict = allows_some ? PairVerdict::kClose : PairVerdict::kDiffers;
  }
  row.message =
      Say("only the statistics were compared; the checksums differ", "仅比较了统计值；校验值不同");
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
  } else if (HaveChecksums(row)) {
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
  ForEachPiece(*a, &*b, [&](const auto* x, const auto* y, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      add(histogram.a, static_cast<double>(x[i]));
      add(histogram.b, static_cast<double>(y[i]));
    }
  });
  return histogram;
}

}  // namespace transplt
