// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "transplt/compare/metrics.h"

namespace transplt {

/// Which sums are wanted: without ranges and counts a pass is nearly as fast as memory.
enum class PassKind {
  kNine,  ///< msaccucmp's metrics without the divergence
  kFull,  ///< also ranges, the zero convention of msprobe and its counts
};

/// Adds up pairs in pieces, with SIMD chosen at run time. float32 is added up in float32 within a
/// piece where that keeps the digits, and in float64 where it does not.
class PairPass {
 public:
  /// `zero_epsilon` is what msprobe takes for y = 0. Values are divided by `scale`, a power of two,
  /// before anything else.
  PairPass(PassKind kind, double zero_epsilon, double scale = 1)
      : kind_(kind), zero_epsilon_(zero_epsilon), scale_(scale) {}

  void Add(const float* x, const float* y, size_t count);
  void Add(const double* x, const double* y, size_t count);
  const PairSums& sums() const { return sums_; }

 private:
  template <typename T>
  void AddPiece(const T* x, const T* y, size_t count);
  template <typename T>
  void AddWide(const T* x, const T* y, size_t count);
  void AddUnusual(const double* x, const double* y, size_t count);

  PassKind kind_;
  double zero_epsilon_;
  double scale_;
  PairSums sums_;
  // What is taken off before squaring, so that a small deviation of large numbers is not lost.
  double shift_x_ = 0;
  double shift_y_ = 0;
  bool has_shift_ = false;
};

/// The second pass, for the divergence. Pairs that are not finite are left out.
class DivergencePass {
 public:
  DivergencePass(const PairSums& sums);  // NOLINT: the sums of the first pass
  void Add(const float* x, const float* y, size_t count);
  void Add(const double* x, const double* y, size_t count);
  const DivergenceSums& sums() const { return sums_; }

 private:
  Normalisation x_;
  Normalisation y_;
  bool all_finite_;
  DivergenceSums sums_;
};

/// The instruction sets that this machine's passes use: "AVX3", "AVX2" ...
const char* PairKernelTarget();

}  // namespace transplt
