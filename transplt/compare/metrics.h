// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace transplt {

/// Moments and range of one side.
struct SideSums {
  double mean = 0;
  double m2 = 0;     ///< sum of the squared distances from the mean, in units of scale^2
  double scale = 1;  ///< a power of two, where squares leave what float64 can hold
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  uint64_t nans = 0;
  uint64_t infinities = 0;
  uint64_t negative_infinities = 0;  ///< of these

  /// Square root of the sum of squares.
  double Norm(uint64_t count) const;
  double Deviation(uint64_t count) const;
};

/// What one pass over a pair of tensors adds up: x is the tested one, y the golden one. Pairs in
/// which one number is not finite are counted and left out of everything else.
struct PairSums {
  uint64_t count = 0;  ///< pairs that are finite
  SideSums x;
  SideSums y;
  double sum_difference = 0;  ///< of |x-y|
  double max_difference = 0;
  double sum_square = 0;   ///< of (x-y)^2, in units of scale^2
  double sum_product = 0;  ///< of (x-y)*y, in units of scale^2
  double scale = 1;
  /// |x-y|/|y| of the pairs that are not left out: those with |y| <= 2.2e-16 are (msaccucmp).
  double sum_relative = 0;
  double max_relative = 0;
  /// The same of all, with a small number instead of y = 0 (msprobe).
  double sum_relative_all = 0;
  double max_relative_all = 0;
  uint64_t within_1e3 = 0;  ///< pairs whose relative error is below 1/1000, as msprobe counts
  uint64_t within_5e3 = 0;  ///< below 5/1000
  uint64_t mismatched = 0;  ///< pairs that are not finite and not the same

  void Merge(const PairSums& other);
};

/// What numbers of the size of `sums` have to be divided by before they are squared: 1, unless
/// their squares leave what float64 can hold.
double ScaleFor(const PairSums& sums);
/// `scaled` are the sums of the same pairs divided by `scale`. What squares have no part in stays
/// as it is in `sums`.
PairSums Rescaled(const PairSums& sums, const PairSums& scaled, double scale);

/// How the values of a side become a distribution: max((x - offset) * scale, eps), over its sum.
struct Normalisation {
  double offset = 0;
  double scale = 1;
  bool is_plain = false;  ///< all values are the same, and are taken as they are
};
Normalisation NormalisationOf(const SideSums& side);

/// What a second pass adds up for the divergence. With a and b the normalised values, `sum_gain`
/// is the sum of b*((1+r)*log(1+r) - r) where r = (a-b)/b.
struct DivergenceSums {
  double sum_a = 0;
  double sum_b = 0;
  double sum_gain = 0;

  /// The Kullback-Leibler divergence of x from y. The terms of first order have cancelled before
  /// anything was added up, so that close tensors keep their digits.
  double Value() const;
};

/// The ten metrics of msaccucmp, with the counts of msprobe. NaN where a metric has no value.
struct Metrics {
  double cosine = 0;
  double max_absolute = 0;
  double accumulated_relative = 0;
  double relative_euclidean = 0;
  double divergence = 0;
  double mean_absolute = 0;
  double root_mean_square = 0;
  double max_relative = 0;
  double mean_relative = 0;
  double euclidean = 0;
  double max_relative_all = 0;   ///< with the zero convention of msprobe
  double mean_relative_all = 0;  ///< the same
  double within_1e3 = 0;         ///< part of the pairs
  double within_5e3 = 0;
};
Metrics MetricsOf(const PairSums& sums);

}  // namespace transplt
