// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/metrics.h"

#include <algorithm>
#include <cmath>

namespace transplt {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void MergeSide(SideSums& side, uint64_t count, const SideSums& other, uint64_t other_count) {
  side.nans += other.nans;
  side.infinities += other.infinities;
  side.negative_infinities += other.negative_infinities;
  side.min = std::min(side.min, other.min);
  side.max = std::max(side.max, other.max);
  if (other_count == 0) return;
  const auto n = static_cast<double>(count);
  const auto m = static_cast<double>(other_count);
  const double distance = other.mean - side.mean;
  side.m2 += other.m2 + distance * distance * (n * m / (n + m));
  side.mean += distance * (m / (n + m));
}

/// 1 - cos from the distance of the vectors: close vectors keep their digits.
double CosineOf(const PairSums& sums, double norm_x, double norm_y) {
  if (norm_x == 0 && norm_y == 0) return 1;
  if (norm_x == 0 || norm_y == 0) return 0;
  // |x|^2 - |y|^2 = sum of (x-y)(x+y)
  const double gap = (sums.sum_square + 2 * sums.sum_product) / (norm_x + norm_y);
  const double far = (sums.sum_square - gap * gap) / (2 * norm_x * norm_y);
  return std::clamp(1 - far, -1.0, 1.0);
}

}  // namespace

double SideSums::Norm(uint64_t count) const {
  const double scaled = mean / scale;
  return scale * std::sqrt(m2 + static_cast<double>(count) * scaled * scaled);
}

double SideSums::Deviation(uint64_t count) const {
  return count == 0 ? kNone : scale * std::sqrt(m2 / static_cast<double>(count));
}

void PairSums::Merge(const PairSums& other) {
  MergeSide(x, count, other.x, other.count);
  MergeSide(y, count, other.y, other.count);
  count += other.count;
  sum_difference += other.sum_difference;
  max_difference = std::max(max_difference, other.max_difference);
  sum_square += other.sum_square;
  sum_product += other.sum_product;
  sum_relative += other.sum_relative;
  max_relative = std::max(max_relative, other.max_relative);
  sum_relative_all += other.sum_relative_all;
  max_relative_all = std::max(max_relative_all, other.max_relative_all);
  within_1e3 += other.within_1e3;
  within_5e3 += other.within_5e3;
  mismatched += other.mismatched;
}

double ScaleFor(const PairSums& sums) {
  constexpr double kSmallest = 1e-140;
  constexpr double kLargest = 1e140;
  constexpr int kLowest = -1000;  // so that 1 / scale is a number
  if (sums.count == 0) return 1;
  const double size = std::max(
      {std::abs(sums.x.min), std::abs(sums.x.max), std::abs(sums.y.min), std::abs(sums.y.max)});
  if (size == 0 || (size >= kSmallest && size <= kLargest)) return 1;
  return std::exp2(std::max(std::ilogb(size), kLowest));
}

PairSums Rescaled(const PairSums& sums, const PairSums& scaled, double scale) {
  PairSums result = sums;
  const auto side = [scale](SideSums& to, const SideSums& from) {
    to.mean = from.mean * scale;
    to.m2 = from.m2;
    to.scale = scale;
  };
  side(result.x, scaled.x);
  side(result.y, scaled.y);
  result.sum_difference = scaled.sum_difference * scale;
  result.sum_square = scaled.sum_square;
  result.sum_product = scaled.sum_product;
  result.scale = scale;
  return result;
}

Normalisation NormalisationOf(const SideSums& side) {
  const double range = side.max - side.min;
  if (!(range > 0) || !std::isfinite(1 / range) || !std::isfinite(range)) return {0, 1, true};
  return {side.min, 1 / range, false};
}

double DivergenceSums::Value() const {
  if (!(sum_a > 0) || !(sum_b > 0)) return kNone;
  // sum(a/A*log((a/A)/(b/B))) = sum_gain/A - (u - log(1+u)), u = (B-A)/A
  const double u = (sum_b - sum_a) / sum_a;
  // u - log1p(u) loses digits where u is small.
  const double lost =
      std::abs(u) < 1e-4 ? u * u * (0.5 - u * (1.0 / 3 - u / 4)) : u - std::log1p(u);
  return std::max(0.0, sum_gain / sum_a - lost);
}

Metrics MetricsOf(const PairSums& sums) {
  Metrics metrics;
  const auto n = static_cast<double>(sums.count);
  const double norm_x = sums.x.Norm(sums.count) / sums.scale;
  const double norm_y = sums.y.Norm(sums.count) / sums.scale;
  const auto mean = [&sums, n](double sum) { return sums.count == 0 ? kNone : sum / n; };
  const auto whole = [&sums](double value) { return sums.count == 0 ? kNone : value; };
  metrics.cosine = whole(CosineOf(sums, norm_x, norm_y));
  metrics.max_absolute = whole(sums.max_difference);
  metrics.accumulated_relative = whole(sums.sum_relative);
  metrics.euclidean = whole(sums.scale * std::sqrt(sums.sum_square));
  const double infinite = sums.sum_square > 0 ? std::numeric_limits<double>::infinity() : 0;
  metrics.relative_euclidean = whole(norm_y > 0 ? std::sqrt(sums.sum_square) / norm_y : infinite);
  metrics.divergence = kNone;
  metrics.mean_absolute = mean(sums.sum_difference);
  metrics.root_mean_square = sums.scale * std::sqrt(mean(sums.sum_square));
  metrics.max_relative = whole(sums.max_relative);
  metrics.mean_relative = mean(sums.sum_relative);
  metrics.max_relative_all = whole(sums.max_relative_all);
  metrics.mean_relative_all = mean(sums.sum_relative_all);
  metrics.within_1e3 = mean(static_cast<double>(sums.within_1e3));
  metrics.within_5e3 = mean(static_cast<double>(sums.within_5e3));
  return metrics;
}

}  // namespace transplt
