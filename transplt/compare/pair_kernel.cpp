// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/pair_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transplt/compare/pair_kernel.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target, which includes this file once for each instruction set.
#include <hwy/contrib/math/math-inl.h>
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
constexpr double kFloor = 1.1920928955078125e-07;  // of normalised values

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

/// (1+r)*log(1+r) - r, for any r > -1.
template <class D, class V>
HWY_INLINE V Gain(D d, V r) {
  return hn::Sub(hn::Mul(hn::Add(r, hn::Set(d, 1.0)), hn::Log1p(d, r)), r);
}

/// Two vectors of doubles from floats (widened) or from doubles.
template <class D>
HWY_INLINE hn::Vec<D> LoadWide(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}
template <class D>
HWY_INLINE hn::Vec<D> LoadWide(D d, const double* from) {
  return hn::LoadU(d, from);
}

struct Affine {
  double offset;
  double scale;
};

template <typename T>
void DivergeAny(const T* x, const T* y, size_t count, const Affine& ax, const Affine& ay,
                DivergenceSums& sums) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const V offset_x = hn::Set(d, ax.offset);
  const V scale_x = hn::Set(d, ax.scale);
  const V offset_y = hn::Set(d, ay.offset);
  const V scale_y = hn::Set(d, ay.scale);
  const V floor = hn::Set(d, kFloor);
  const auto near = hn::Set(df, 1.0F / 64);
  V sum_a = hn::Zero(d);
  V sum_b = hn::Zero(d);
  V wide_gain = hn::Zero(d);
  auto gain = hn::Zero(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V a = hn::Max(hn::Mul(hn::Sub(LoadWide(d, x + i), offset_x), scale_x), floor);
    const V b = hn::Max(hn::Mul(hn::Sub(LoadWide(d, y + i), offset_y), scale_y), floor);
    const V difference = hn::Sub(a, b);
    sum_a = hn::Add(sum_a, a);
    sum_b = hn::Add(sum_b, b);
    // Seven digits are enough from here on: first order has cancelled.
    const auto narrow_b = hn::DemoteTo(df, b);
    const auto narrow_difference = hn::DemoteTo(df, difference);
    const auto r = hn::Div(narrow_difference, narrow_b);
    if (HWY_LIKELY(hn::AllTrue(df, hn::Lt(hn::Abs(r), near)))) {
      auto series = hn::MulAdd(r, hn::Set(df, -1.0F / 20), hn::Set(df, 1.0F / 12));
      series = hn::MulAdd(r, series, hn::Set(df, -1.0F / 6));
      series = hn::MulAdd(r, series, hn::Set(df, 0.5F));
      gain = hn::MulAdd(hn::Mul(narrow_difference, r), series, gain);  // b*r*r*series
    } else {
      wide_gain = hn::MulAdd(b, Gain(d, hn::Div(difference, b)), wide_gain);
    }
  }
  wide_gain = hn::Add(wide_gain, hn::PromoteTo(d, gain));
  sums.sum_a += hn::GetLane(hn::SumOfLanes(d, sum_a));
  sums.sum_b += hn::GetLane(hn::SumOfLanes(d, sum_b));
  sums.sum_gain += hn::GetLane(hn::SumOfLanes(d, wide_gain));
  for (; i < count; ++i) {
    const double a = std::max((static_cast<double>(x[i]) - ax.offset) * ax.scale, kFloor);
    const double b = std::max((static_cast<double>(y[i]) - ay.offset) * ay.scale, kFloor);
    const double r = (a - b) / b;
    sums.sum_a += a;
    sums.sum_b += b;
    const double small = r * r * (0.5 - r * (1.0 / 6 - r * (1.0 / 12 - r / 20)));
    sums.sum_gain += b * (std::abs(r) < 1e-3 ? small : (1 + r) * std::log1p(r) - r);
  }
}

void DivergeFloats(const float* x, const float* y, size_t count, double offset_x, double scale_x,
                   double offset_y, double scale_y, DivergenceSums& sums) {
  DivergeAny(x, y, count, {offset_x, scale_x}, {offset_y, scale_y}, sums);
}
void DivergeDoubles(const double* x, const double* y, size_t count, double offset_x, double scale_x,
                    double offset_y, double scale_y, DivergenceSums& sums) {
  DivergeAny(x, y, count, {offset_x, scale_x}, {offset_y, scale_y}, sums);
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
HWY_EXPORT(DivergeFloats);
HWY_EXPORT(DivergeDoubles);
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

/// Counts the pairs that are not finite and keeps the others, in `a` and `b`.
void KeepFinite(const double* x, const double* y, size_t count, PairSums* sums,
                std::vector<double>& a, std::vector<double>& b) {
  for (size_t i = 0; i < count; ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      a.push_back(x[i]);
      b.push_back(y[i]);
    } else if (sums != nullptr) {
      sums->x.nans += std::isnan(x[i]) ? 1 : 0;
      sums->y.nans += std::isnan(y[i]) ? 1 : 0;
      sums->x.infinities += std::isinf(x[i]) ? 1 : 0;
      sums->y.infinities += std::isinf(y[i]) ? 1 : 0;
      const bool same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
      sums->mismatched += same ? 0 : 1;
    }
  }
}

}  // namespace

template <typename T>
void PairPass::AddPiece(const T* x, const T* y, size_t count) {
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
  if (!fine) {
    std::vector<double> wide(2 * count);
    std::copy(x, x + count, wide.begin());
    std::copy(y, y + count, wide.begin() + static_cast<std::ptrdiff_t>(count));
    return AddUnusual(wide.data(), wide.data() + count, count);
  }
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

DivergencePass::DivergencePass(const PairSums& sums)
    : x_(NormalisationOf(sums.x)),
      y_(NormalisationOf(sums.y)),
      all_finite_(sums.x.nans + sums.x.infinities + sums.y.nans + sums.y.infinities == 0) {}

void DivergencePass::Add(const float* x, const float* y, size_t count) {
  // Values that are taken as they are can be larger than float32 keeps exactly.
  if (!all_finite_ || x_.is_plain || y_.is_plain) {
    std::vector<double> a(x, x + count);
    const std::vector<double> b(y, y + count);
    return Add(a.data(), b.data(), count);
  }
  for (size_t i = 0; i < count; i += kPiece) {
    HWY_DYNAMIC_DISPATCH(DivergeFloats)
    (x + i, y + i, std::min(kPiece, count - i), x_.offset, x_.scale, y_.offset, y_.scale, sums_);
  }
}

void DivergencePass::Add(const double* x, const double* y, size_t count) {
  std::vector<double> a;
  std::vector<double> b;
  for (size_t i = 0; i < count; i += kPiece) {
    const size_t piece = std::min(kPiece, count - i);
    if (all_finite_) {
      HWY_DYNAMIC_DISPATCH(DivergeDoubles)
      (x + i, y + i, piece, x_.offset, x_.scale, y_.offset, y_.scale, sums_);
      continue;
    }
    a.clear();
    b.clear();
    KeepFinite(x + i, y + i, piece, nullptr, a, b);
    HWY_DYNAMIC_DISPATCH(DivergeDoubles)
    (a.data(), b.data(), a.size(), x_.offset, x_.scale, y_.offset, y_.scale, sums_);
  }
}

const char* PairKernelTarget() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace transplt
#endif  // HWY_ONCE
