// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set by foreach_target.h; HWY_DYNAMIC_DISPATCH picks at run time.
#include "runtime/src/block_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/src/element_value.h"
#include "runtime/src/tensor_type.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/src/block_statistics.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace transplt::capture::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct BlockSums {
  double minimum;
  double maximum;
  double sum;
  double squares;
};

// The target without vectors, and emulations, take AddOneByOne for everything.
#if HWY_TARGET != HWY_SCALAR
template <class D, typename T>
HWY_INLINE hn::Vec<D> Widened(D d, const T* data) {
  if constexpr (sizeof(T) < sizeof(hn::TFromD<D>)) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), data));
  } else {
    return hn::LoadU(d, data);
  }
}

/// As many elements of T as D has lanes, to an aligned place.
template <class D, typename T>
HWY_INLINE void CopyVector(D /*unused*/, const T* from, uint8_t* to) {
  const hn::Repartition<uint8_t, hn::Rebind<T, D>> bytes;
  hn::Stream(hn::LoadU(bytes, reinterpret_cast<const uint8_t*>(from)), bytes, to);
}

/// Half of `v`, which was loaded from `data`, as double. What can be widened on the way from memory
/// is loaded once more: cheaper than to take a vector apart.
template <bool kUpper, class Wide, class D, typename T>
HWY_INLINE hn::Vec<Wide> HalfAsDouble(Wide wide, D d, hn::Vec<D> v, const T* data) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    const hn::Rebind<T, Wide> half;
    return hn::PromoteTo(wide, hn::LoadU(half, kUpper ? data + hn::Lanes(d) / 2 : data));
  } else {
    const hn::Half<D> half;
    return hn::PromoteTo(wide, kUpper ? hn::UpperHalf(half, v) : hn::LowerHalf(half, v));
  }
}

/// Sums of whole vectors of T, widened to double in the loop: exact enough for any length. A
/// bfloat16 is as far from 1 as a float, and its square further: a float takes neither sum.
template <typename T, bool kCopies>
struct WideLoop {
  static BlockSums Run(const T* data, size_t count, uint8_t* to) {
    const hn::ScalableTag<std::conditional_t<sizeof(T) == 2, float, T>> d;
    const hn::ScalableTag<double> wide;
    const size_t lanes = hn::Lanes(d);
    // What the processor's own prefetcher does not reach across pages.
    constexpr size_t kAhead = 2048 / sizeof(T);
    auto low = Widened(d, data);
    auto high = low;
    auto sum0 = hn::Zero(wide);
    auto sum1 = sum0;
    auto squares0 = sum0;
    auto squares1 = sum0;
    for (size_t i = 0; i + lanes <= count; i += lanes) {
      hwy::Prefetch(data + i + kAhead);
      const auto v = Widened(d, data + i);
      if constexpr (kCopies) CopyVector(d, data + i, to + i * sizeof(T));
      low = hn::Min(low, v);
      high = hn::Max(high, v);
      const auto v0 = HalfAsDouble<false>(wide, d, v, data + i);
      const auto v1 = HalfAsDouble<true>(wide, d, v, data + i);
      sum0 = hn::Add(sum0, v0);
      sum1 = hn::Add(sum1, v1);
      squares0 = hn::MulAdd(v0, v0, squares0);
      squares1 = hn::MulAdd(v1, v1, squares1);
    }
    return {static_cast<double>(hn::GetLane(hn::MinOfLanes(d, low))),
            static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, high))),
            hn::GetLane(hn::SumOfLanes(wide, hn::Add(sum0, sum1))),
            hn::GetLane(hn::SumOfLanes(wide, hn::Add(squares0, squares1)))};
  }
};

template <bool kCopies>
struct WideLoop<double, kCopies> {
  static BlockSums Run(const double* data, size_t count, uint8_t* to) {
    const hn::ScalableTag<double> d;
    const size_t lanes = hn::Lanes(d);
    auto low = hn::Set(d, data[0]);
    auto high = low;
    auto sum = hn::Zero(d);
    auto squares = sum;
    for (size_t i = 0; i + lanes <= count; i += lanes) {
      const auto v = hn::LoadU(d, data + i);
      if constexpr (kCopies) CopyVector(d, data + i, to + i * sizeof(double));
      low = hn::Min(low, v);
      high = hn::Max(high, v);
      sum = hn::Add(sum, v);
      squares = hn::MulAdd(v, v, squares);
    }
    return {hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high)),
            hn::GetLane(hn::SumOfLanes(d, sum)), hn::GetLane(hn::SumOfLanes(d, squares))};
  }
};

/// float16: widened to float, added up as float over few vectors and then as double. The
/// product of two halves is exact in a float, so little is lost.
template <typename T, bool kCopies>
BlockSums NarrowLoop(const T* data, size_t count, uint8_t* to) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const hn::ScalableTag<double> wide;
  const hn::Half<decltype(d)> half;
  auto low = Widened(d, data);
  auto high = low;
  auto total = hn::Zero(wide);
  auto total_squares = total;
  constexpr size_t kRun = 8;
  constexpr size_t kAhead = 2048 / sizeof(T);
  for (size_t i = 0; i + lanes <= count;) {
    auto sum = hn::Zero(d);
    auto squares = sum;
    for (size_t k = 0; k < kRun && i + lanes <= count; ++k, i += lanes) {
      hwy::Prefetch(data + i + kAhead);
      const auto v = Widened(d, data + i);
      if constexpr (kCopies) CopyVector(d, data + i, to + i * sizeof(T));
      low = hn::Min(low, v);
      high = hn::Max(high, v);
      sum = hn::Add(sum, v);
      squares = hn::MulAdd(v, v, squares);
    }
    total = hn::Add(total, hn::Add(hn::PromoteTo(wide, hn::LowerHalf(half, sum)),
                                   hn::PromoteTo(wide, hn::UpperHalf(half, sum))));
    total_squares =
        hn::Add(total_squares, hn::Add(hn::PromoteTo(wide, hn::LowerHalf(half, squares)),
                                       hn::PromoteTo(wide, hn::UpperHalf(half, squares))));
  }
  return {hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high)),
          hn::GetLane(hn::SumOfLanes(wide, total)),
          hn::GetLane(hn::SumOfLanes(wide, total_squares))};
}

/// Whole vectors of which the sum of squares is not finite. False if every element is.
template <typename T>
bool AddNotFinite(const T* data, size_t count, RunningStatistics& statistics) {
  const hn::ScalableTag<std::conditional_t<sizeof(T) == 2, float, T>> d;
  const size_t lanes = hn::Lanes(d);
  const auto infinity = hn::Inf(d);
  auto low = infinity;
  auto high = hn::Neg(infinity);
  uint64_t nans = 0;
  uint64_t positive = 0;
  uint64_t negative = 0;
  for (size_t i = 0; i + lanes <= count; i += lanes) {
    const auto v = Widened(d, data + i);
    const auto is_nan = hn::IsNaN(v);
    nans += hn::CountTrue(d, is_nan);
    positive += hn::CountTrue(d, hn::Eq(v, infinity));
    negative += hn::CountTrue(d, hn::Eq(v, hn::Neg(infinity)));
    low = hn::Min(low, hn::IfThenElse(is_nan, infinity, v));
    high = hn::Max(high, hn::IfThenElse(is_nan, hn::Neg(infinity), v));
  }
  if (nans + positive + negative == 0) return false;
  statistics.nan_count += nans;
  statistics.positive_infinities += positive;
  statistics.negative_infinities += negative;
  const auto lowest = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, low)));
  const auto highest = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, high)));
  statistics.minimum = std::min(statistics.minimum, lowest);
  statistics.maximum = std::max(statistics.maximum, highest);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (positive > 0) statistics.sum += kInfinity;
  if (negative > 0) statistics.sum -= kInfinity;
  if (nans > 0) statistics.sum += std::numeric_limits<double>::quiet_NaN();
  statistics.squares += nans > 0 ? std::numeric_limits<double>::quiet_NaN() : kInfinity;
  return true;
}

#endif

/// Element by element: the rest of a block, and blocks whose sums leave the range of a double.
template <typename T>
void AddOneByOne(const T* data, size_t count, RunningStatistics& statistics) {
  for (size_t i = 0; i < count; ++i) {
    const double value = AsDouble(data[i]);
    if (std::isnan(value)) {
      ++statistics.nan_count;
    } else {
      if (std::isinf(value)) {
        ++(value > 0 ? statistics.positive_infinities : statistics.negative_infinities);
      }
      if (value < statistics.minimum) statistics.minimum = value;
      if (value > statistics.maximum) statistics.maximum = value;
    }
    statistics.sum += value;
    statistics.squares += static_cast<long double>(value) * value;
  }
}

/// With `kCopies`, also to `to`, which is aligned for whole vectors.
template <typename T, bool kCopies>
void AddFloats(const void* bytes, size_t count, RunningStatistics& statistics,
               [[maybe_unused]] uint8_t* to) {
  const T* data = static_cast<const T*>(bytes);
  size_t whole = 0;
#if HWY_TARGET != HWY_SCALAR
  const size_t lanes = hn::Lanes(hn::ScalableTag<std::conditional_t<sizeof(T) == 2, float, T>>());
  whole = count - count % lanes;
  if (whole > 0) {
    BlockSums sums;
    if constexpr (std::is_same_v<T, hwy::float16_t>) {
      sums = NarrowLoop<T, kCopies>(data, whole, to);
    } else {
      sums = WideLoop<T, kCopies>::Run(data, whole, to);
    }
    // The sum of squares is finite only if every element is, so nothing has to be counted where
    // all is well.
    if (std::isfinite(sums.squares)) {
      statistics.minimum = std::min(statistics.minimum, sums.minimum);
      statistics.maximum = std::max(statistics.maximum, sums.maximum);
      statistics.sum += sums.sum;
      statistics.squares += sums.squares;
    } else if constexpr (!std::is_integral_v<T>) {
      if (!AddNotFinite(data, whole, statistics)) AddOneByOne(data, whole, statistics);
    }
  }
#endif
  const size_t rest = count - whole;
  AddOneByOne(data + whole, rest, statistics);
  if constexpr (kCopies) std::memcpy(to + whole * sizeof(T), data + whole, rest * sizeof(T));
}

/// The types whose vectors are added up here. False for others.
template <bool kCopies>
bool AddVectors(const void* data, size_t count, transplt_type type, RunningStatistics& statistics,
                uint8_t* to) {
  switch (type) {
    case TRANSPLT_FLOAT32:
      AddFloats<float, kCopies>(data, count, statistics, to);
      return true;
    case TRANSPLT_FLOAT16:
      AddFloats<hwy::float16_t, kCopies>(data, count, statistics, to);
      return true;
    case TRANSPLT_BFLOAT16:
      AddFloats<hwy::bfloat16_t, kCopies>(data, count, statistics, to);
      return true;
    case TRANSPLT_FLOAT64:
      AddFloats<double, kCopies>(data, count, statistics, to);
      return true;
    case TRANSPLT_INT32:
      AddFloats<int32_t, kCopies>(data, count, statistics, to);
      return true;
    default:
      return false;
  }
}

bool AddBlockImpl(const void* data, size_t count, transplt_type type,
                  RunningStatistics& statistics) {
  return AddVectors<false>(data, count, type, statistics, nullptr);
}

void CopyImpl(void* to, const void* from, size_t size) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  if (reinterpret_cast<uintptr_t>(out) % lanes != 0 || size < 4096) {
    std::memcpy(to, from, size);
    return;
  }
  size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, in + i);
    const auto v1 = hn::LoadU(d, in + i + lanes);
    const auto v2 = hn::LoadU(d, in + i + 2 * lanes);
    const auto v3 = hn::LoadU(d, in + i + 3 * lanes);
    hn::Stream(v0, d, out + i);
    hn::Stream(v1, d, out + i + lanes);
    hn::Stream(v2, d, out + i + 2 * lanes);
    hn::Stream(v3, d, out + i + 3 * lanes);
  }
  std::memcpy(out + i, in + i, size - i);
}

/// False where the type has no pass that copies, or the place is not aligned for it.
bool AddAndCopyImpl(const void* data, size_t count, transplt_type type,
                    RunningStatistics& statistics, void* to) {
  if (reinterpret_cast<uintptr_t>(to) % hn::Lanes(hn::ScalableTag<uint8_t>()) != 0) return false;
  return AddVectors<true>(data, count, type, statistics, static_cast<uint8_t*>(to));
}

const char* TargetNameImpl() { return hwy::TargetName(HWY_TARGET); }

}  // namespace transplt::capture::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace transplt::capture {

HWY_EXPORT(AddBlockImpl);
HWY_EXPORT(CopyImpl);
HWY_EXPORT(AddAndCopyImpl);
HWY_EXPORT(TargetNameImpl);

void AddBlock(const void* data, size_t count, transplt_type type, RunningStatistics& statistics) {
  if (HWY_DYNAMIC_DISPATCH(AddBlockImpl)(data, count, type, statistics)) return;
  AddIntegerBlock(data, count, type, statistics);
}

void CopyAroundCache(void* to, const void* from, size_t size) {
  HWY_DYNAMIC_DISPATCH(CopyImpl)(to, from, size);
}

void AddAndCopyBlock(const void* data, size_t count, transplt_type type,
                     RunningStatistics& statistics, void* to) {
  if (HWY_DYNAMIC_DISPATCH(AddAndCopyImpl)(data, count, type, statistics, to)) return;
  AddBlock(data, count, type, statistics);
  CopyAroundCache(to, data, count * NamesOf(type)->size);
}

void FinishCopies() { hwy::FlushStream(); }

const char* TargetName() { return HWY_DYNAMIC_DISPATCH(TargetNameImpl)(); }

}  // namespace transplt::capture
#endif
