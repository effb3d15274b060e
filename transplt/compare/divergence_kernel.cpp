// SPDX-License-Identifier: Apache-2.0
// The second pass of compare: DivergencePass of pair_kernel.h.
#include <algorithm>
#include <cmath>
#include <vector>

#include "transplt/compare/finite_pairs.h"
#include "transplt/compare/pair_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transplt/compare/divergence_kernel.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target, which includes this file once for each instruction set.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#ifndef TRANSPLT_DIVERGENCE_KERNEL_ONCE
#define TRANSPLT_DIVERGENCE_KERNEL_ONCE
namespace transplt {

constexpr double kFloor = 1.1920928955078125e-07;  // of normalised values

}  // namespace transplt
#endif

HWY_BEFORE_NAMESPACE();
namespace transplt {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace HWY_NAMESPACE
}  // namespace transplt
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace transplt {
namespace {

HWY_EXPORT(DivergeFloats);
HWY_EXPORT(DivergeDoubles);

constexpr size_t kPieceOfDivergence = 8192;

}  // namespace

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
  for (size_t i = 0; i < count; i += kPieceOfDivergence) {
    HWY_DYNAMIC_DISPATCH(DivergeFloats)
    (x + i, y + i, std::min(kPieceOfDivergence, count - i), x_.offset, x_.scale, y_.offset,
     y_.scale, sums_);
  }
}

void DivergencePass::Add(const double* x, const double* y, size_t count) {
  std::vector<double> a;
  std::vector<double> b;
  for (size_t i = 0; i < count; i += kPieceOfDivergence) {
    const size_t piece = std::min(kPieceOfDivergence, count - i);
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

}  // namespace transplt
#endif  // HWY_ONCE
