// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/pair_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "transplt/compare/finite_pairs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transplt/compare/pair_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
// Behind foreach_target, which includes this file once for each instruction set.
#include <hwy/highway.h>

#ifndef TRANSPLT_PAIR_KERNEL_ONCE
#define TRANSPLT_PAIR_KERNEL_ONCE
namespace transplt {

/// Sums of one piece, about `shift`.
struct PieceSums {
  double ex = 0, ey = 0, exx = 0, eyy = 0;
  double abs = 0, max_abs = 0, square = 0, product = 0;
  double rel = 0, max_rel = 0, rel_all = 0, max_rel_all = 0, low = 0, middle = 0;
  double min_x = 0, max_x = 0, min_y = 0, max_y = 0;
};

constexpr double kTiny = 2.220446049250313e-16;  // below it msaccucmp takes a golden value for zero
constexpr double kLowError = 1e-3;
constexpr double kMiddleError = 5e-3;

}  // namespace transplt
#endif

HWY_BEFORE_NAMESPACE();
namespace transplt {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The pairs that fill no vector.
template <bool kFull, typename T>
void AddRest(const T* x, const T* y, size_t count, T shift_x, T shift_y, double epsilon,
             PieceSums& sums) {
  for (size_t i = 0; i < count; ++i) {
    const double a = x[i];
    const double b = y[i];
    const double d = a - b;
    const double e = a - shift_x;
    const double f = b - shift_y;
    sums.ex += e;
    sums.ey += f;
    sums.exx += e * e;
    sums.eyy += f * f;
    sums.abs += std::abs(d);
    sums.max_abs = std::max(sums.max_abs, std::abs(d));
    sums.square += d * d;
    sums.product += d * b;
    const double r = std::abs(d) / (b == 0 ? epsilon : std::abs(b));
    if (std::abs(b) > kTiny) {
      sums.rel += r;
      sums.max_rel = std::max(sums.max_rel, r);
    }
    if (kFull) {
      sums.rel_all += r;
      sums.max_rel_all = std::max(sums.max_rel_all, r);
      sums.low += r < kLowError ? 1 : 0;
      sums.middle += r < kMiddleError ? 1 : 0;
      sums.min_x = std::min(sums.min_x, a);
      sums.max_x = std::max(sums.max_x, a);
      sums.min_y = std::min(sums.min_y, b);
      sums.max_y = std::max(sums.max_y, b);
    }
  }
}

/// The accumulators of one piece, a vector each.
template <class D>
struct Vectors {
  using V = hn::Vec<D>;
  V ex, ey, exx, eyy, abs, max_abs, square, product, rel, max_rel;
  V rel_all, max_rel_all, low, middle, min_x, max_x, min_y, max_y;
};

template <bool kFull, class D, class V>
HWY_INLINE void AddVector(D d, V x, V y, V shift_x, V shift_y, V epsilon, Vectors<D>& s) {
  using T = hn::TFromD<D>;
  const V difference = hn::Sub(x, y);
  const V e = hn::Sub(x, shift_x);
  const V f = hn::Sub(y, shift_y);
  const V abs = hn::Abs(difference);
  const V abs_y = hn::Abs(y);
  s.ex = hn::Add(s.ex, e);
  s.ey = hn::Add(s.ey, f);
  s.exx = hn::MulAdd(e, e, s.exx);
  s.eyy = hn::MulAdd(f, f, s.eyy);
  s.abs = hn::Add(s.abs, abs);
  s.max_abs = hn::Max(s.max_abs, abs);
  s.square = hn::MulAdd(difference, difference, s.square);
  s.product = hn::MulAdd(difference, y, s.product);
  const auto counts = hn::Gt(abs_y, hn::Set(d, static_cast<T>(kTiny)));
  if constexpr (kFull) {
    const auto is_zero = hn::Eq(y, hn::Zero(d));
    const V r = hn::Div(abs, hn::IfThenElse(is_zero, epsilon, abs_y));
    const V counted = hn::IfThenElseZero(counts, r);
    s.rel = hn::Add(s.rel, counted);
    s.max_rel = hn::Max(s.max_rel, counted);
    s.rel_all = hn::Add(s.rel_all, r);
    s.max_rel_all = hn::Max(s.max_rel_all, r);
    const V one = hn::Set(d, T{1});
    const V low = hn::Set(d, static_cast<T>(kLowError));
    const V middle = hn::Set(d, static_cast<T>(kMiddleError));
    s.low = hn::Add(s.low, hn::IfThenElseZero(hn::Lt(r, low), one));
    s.middle = hn::Add(s.middle, hn::IfThenElseZero(hn::Lt(r, middle), one));
    s.min_x = hn::Min(s.min_x, x);
    s.max_x = hn::Max(s.max_x, x);
    s.min_y = hn::Min(s.min_y, y);
    s.max_y = hn::Max(s.max_y, y);
  } else {
    const V counted = hn::IfThenElseZero(counts, hn::Div(abs, abs_y));
    s.rel = hn::Add(s.rel, counted);
    s.max_rel = hn::Max(s.max_rel, counted);
  }
}

template <bool kFull, class D>
void Reduce(D d, const Vectors<D>& s, PieceSums& sums) {
  const auto sum = [d](hn::Vec<D> v) {
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, v)));
  };
  const auto max = [d](hn::Vec<D> v) {
    return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, v)));
  };
  sums.ex = sum(s.ex);
  sums.ey = sum(s.ey);
  sums.exx = sum(s.exx);
  sums.eyy = sum(s.eyy);
  sums.abs = sum(s.abs);
  sums.max_abs = max(s.max_abs);
  sums.square = sum(s.square);
  sums.product = sum(s.product);
  sums.rel = sum(s.rel);
  sums.max_rel = max(s.max_rel);
  if (kFull) {
    sums.rel_all = sum(s.rel_all);
    sums.max_rel_all = max(s.max_rel_all);
    sums.low = sum(s.low);
    sums.middle = sum(s.middle);
    sums.max_x = max(s.max_x);
    sums.max_y = max(s.max_y);
    sums.min_x = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, s.min_x)));
    sums.min_y = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, s.min_y)));
  }
}

template <bool kFull, typename T>
void SumPiece(const T* x, const T* y, size_t count, T shift_x, T shift_y, T epsilon,
              PieceSums& sums) {
  const hn::ScalableTag<T> d;
  // The processor by itself does not read two streams ahead as fast as memory gives them.
  constexpr size_t kAhead = 2048 / sizeof(T);
  using D = decltype(d);
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto first_x = hn::Set(d, x[0]);
  const auto first_y = hn::Set(d, y[0]);
  Vectors<std::remove_const_t<D>> s{zero, zero, zero,    zero,    zero,    zero,
                                    zero, zero, zero,    zero,    zero,    zero,
                                    zero, zero, first_x, first_x, first_y, first_y};
  const auto shifts_x = hn::Set(d, shift_x);
  const auto shifts_y = hn::Set(d, shift_y);
  const auto epsilons = hn::Set(d, epsilon);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hwy::Prefetch(x + i + kAhead);
    hwy::Prefetch(y + i + kAhead);
    AddVector<kFull>(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i), shifts_x, shifts_y, epsilons, s);
  }
  Reduce<kFull>(d, s, sums);
  AddRest<kFull>(x + i, y + i, count - i, shift_x, shift_y, static_cast<double>(epsilon), sums);
}

void SumFloatsNine(const float* x, const float* y, size_t count, float shift_x, float shift_y,
                   float epsilon, PieceSums& sums) {
  SumPiece<false>(x, y, count, shift_x, shift_y, epsilon, sums);
}
void SumFloatsFull(const float* x, const float* y, size_t count, float shift_x, float shift_y,
                   float epsilon, PieceSums& sums) {
  SumPiece<true>(x, y, count, shift_x, shift_y, epsilon, sums);
}
void SumDoublesNine(const double* x, const double* y, size_t count, double shift_x, double shift_y,
                    double epsilon, PieceSums& sums) {
  SumPiece<false>(x, y, count, shift_x, shift_y, epsilon, sums);
}
void SumDoublesFull(const double* x, const double* y, size_t count, double shift_x, double shift_y,
                    double epsilon, PieceSums& sums) {
  SumPiece<true>(x, y, count, shift_x, shift_y, epsilon, sums);
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace transplt
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace transplt {
namespace {

HWY_EXPORT(SumFloatsNine);
HWY_EXPORT(SumFloatsFull);
HWY_EXPORT(SumDoublesNine);
HWY_EXPORT(SumDoublesFull);
HWY_EXPORT(TargetName);

constexpr size_t kPiece = 8192;
// Outside these, squares of float32 or their sums lose digits.
constexpr double kSmallest = 1e-14;
constexpr double kLargest = 1e14;

PieceSums Sum(PassKind kind, const float* x, const float* y, size_t count, double shift_x,
              double shift_y, double epsilon) {
  PieceSums sums;
  const auto function = kind == PassKind::kFull ? HWY_DYNAMIC_DISPATCH(SumFloatsFull)
                                                : HWY_DYNAMIC_DISPATCH(SumFloatsNine);
  function(x, y, count, static_cast<float>(shift_x), static_cast<float>(shift_y),
           static_cast<float>(epsilon), sums);
  return sums;
}

PieceSums Sum(PassKind kind, const double* x, const double* y, size_t count, double shift_x,
              double shift_y, double epsilon) {
  PieceSums sums;
  const auto function = kind == PassKind::kFull ? HWY_DYNAMIC_DISPATCH(SumDoublesFull)
                                                : HWY_DYNAMIC_DISPATCH(SumDoublesNine);
  function(x, y, count, shift_x, shift_y, epsilon, sums);
  return sums;
}

bool IsFinite(const PieceSums& sums) {
  return std::isfinite(sums.exx) && std::isfinite(sums.eyy) && std::isfinite(sums.square) &&
         std::isfinite(sums.product) && std::isfinite(sums.rel) && std::isfinite(sums.rel_all);
}

/// True if adding up `count` squares about the shift in float32 has kept the digits.
bool KeepsDigits(double sum, double squares, double count) {
  const double root = std::sqrt(squares / count);
  return root > kSmallest && root < kLargest && squares - sum * sum / count > 1e-3 * squares;
}

bool KeepsDigits(const PieceSums& sums, size_t count) {
  const auto n = static_cast<double>(count);
  return KeepsDigits(sums.ex, sums.exx, n) && KeepsDigits(sums.ey, sums.eyy, n) &&
         (sums.max_abs == 0 || sums.max_abs > kSmallest);
}

SideSums SideOf(double shift, double sum, double squares, double min, double max, size_t count) {
  const auto n = static_cast<double>(count);
  SideSums side;
  side.mean = shift + sum / n;
  side.m2 = std::max(0.0, squares - sum * sum / n);
  side.min = min;
  side.max = max;
  return side;
}

PairSums PairSumsOf(const PieceSums& piece, double shift_x, double shift_y, size_t count,
                    PassKind kind) {
  PairSums sums;
  sums.count = count;
  sums.x = SideOf(shift_x, piece.ex, piece.exx, piece.min_x, piece.max_x, count);
  sums.y = SideOf(shift_y, piece.ey, piece.eyy, piece.min_y, piece.max_y, count);
  if (kind == PassKind::kNine) {
    sums.x.min = sums.y.min = std::numeric_limits<double>::infinity();
    sums.x.max = sums.y.max = -std::numeric_limits<double>::infinity();
  }
  sums.sum_difference = piece.abs;
  sums.max_difference = piece.max_abs;
  sums.sum_square = piece.square;
  sums.sum_product = piece.product;
  sums.sum_relative = piece.rel;
  sums.max_relative = piece.max_rel;
  sums.sum_relative_all = piece.rel_all;
  sums.max_relative_all = piece.max_rel_all;
  sums.within_1e3 = static_cast<uint64_t>(piece.low);
  sums.within_5e3 = static_cast<uint64_t>(piece.middle);
  return sums;
}

}  // namespace

template <typename T>
void PairPass::AddWide(const T* x, const T* y, size_t count) {
  std::vector<double> wide(2 * count);
  const auto scaled = [this](T value) { return static_cast<double>(value) / scale_; };
  std::transform(x, x + count, wide.begin(), scaled);
  std::transform(y, y + count, wide.begin() + static_cast<std::ptrdiff_t>(count), scaled);
  AddUnusual(wide.data(), wide.data() + count, count);
}

template <typename T>
void PairPass::AddPiece(const T* x, const T* y, size_t count) {
  if (scale_ != 1) return AddWide(x, y, count);
  if (!has_shift_) {
    const size_t some = std::min<size_t>(count, 64);
    for (size_t i = 0; i < some; ++i) {
      shift_x_ += static_cast<double>(x[i]) / static_cast<double>(some);
      shift_y_ += static_cast<double>(y[i]) / static_cast<double>(some);
    }
    has_shift_ = true;
  }
  if (!std::isfinite(shift_x_)) shift_x_ = 0;
  if (!std::isfinite(shift_y_)) shift_y_ = 0;
  shift_x_ = static_cast<T>(shift_x_);
  shift_y_ = static_cast<T>(shift_y_);
  const PieceSums piece = Sum(kind_, x, y, count, shift_x_, shift_y_, zero_epsilon_);
  const bool fine = IsFinite(piece) && (sizeof(T) == sizeof(double) || KeepsDigits(piece, count));
  if (!fine) return AddWide(x, y, count);
  const PairSums sums = PairSumsOf(piece, shift_x_, shift_y_, count, kind_);
  sums_.Merge(sums);
  shift_x_ = sums.x.mean;
  shift_y_ = sums.y.mean;
}

void PairPass::AddUnusual(const double* x, const double* y, size_t count) {
  std::vector<double> a;
  std::vector<double> b;
  PairSums counts;
  KeepFinite(x, y, count, &counts, a, b);
  sums_.Merge(counts);
  if (a.empty()) return;
  const auto n = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  const PieceSums piece = Sum(kind_, a.data(), b.data(), a.size(), mean_a, mean_b, zero_epsilon_);
  sums_.Merge(PairSumsOf(piece, mean_a, mean_b, a.size(), kind_));
  shift_x_ = mean_a;
  shift_y_ = mean_b;
}

void PairPass::Add(const float* x, const float* y, size_t count) {
  for (size_t i = 0; i < count; i += kPiece) AddPiece(x + i, y + i, std::min(kPiece, count - i));
}

void PairPass::Add(const double* x, const double* y, size_t count) {
  for (size_t i = 0; i < count; i += kPiece) AddPiece(x + i, y + i, std::min(kPiece, count - i));
}

const char* PairKernelTarget() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace transplt
#endif  // HWY_ONCE
