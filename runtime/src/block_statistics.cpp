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
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
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
      const hn::Half<decltype(d)> half;
      const auto v0 = hn::PromoteTo(wide, hn::LowerHalf(half, v));
      const auto v1 = hn::PromoteTo(wide, hn::UpperHalf(half, v));
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
template <bool kCopies, typename T>
BlockSums NarrowLoop(const T* data, size_t count, uint8_t* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<T, decltype(d)> narrow;
  const size_t lanes = hn::Lanes(d);
  const hn::ScalableTag<double> wide;
  const hn::Half<decltype(d)> half;
  auto low = hn::PromoteTo(d, hn::LoadU(narrow, data));
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
      const auto v = hn::PromoteTo(d, hn::LoadU(narrow, data + i));
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

#endif

/// Element by element: the rest of a block, and blocks in which something is not finite.
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
  constexpr bool kNarrow = sizeof(T) == 2;
  const size_t lanes = hn::Lanes(hn::ScalableTag<std::conditional_t<kNarrow, float, T>>());
  whole = count - count % lanes;
  if (whole > 0) {
    BlockSums sums;
    if constexpr (std::is_same_v<T, hwy::float16_t>) {
      sums = NarrowLoop<kCopies>(data, whole, to);
    } else {
      sums = WideLoop<T, kCopies>::Run(data, whole, to);
    }
    // The sum of squares is finite only if every element is, so nothing has to be counted where
    // all is well. (Large float64 also end up here, and are added with more range.)
    if (std::isfinite(sums.squares)) {
      statistics.minimum = std::min(statistics.minimum, sums.minimum);
      statistics.maximum = std::max(statistics.maximum, sums.maximum);
      statistics.sum += sums.sum;
      statistics.squares += sums.squares;
    } else {
      AddOneByOne(data, whole, statistics);
    }
  }
#endif
  const size_t rest = count - whole;
  AddOneByOne(data + whole, rest, statistics);
  if constexpr (kCopies) std::memcpy(to + whole * sizeof(T), data + whole, rest * sizeof(T));
}

/// Plain loops: the compiler makes vectors of them for each target.
template <typename T>
void AddIntegers(const void* bytes, size_t count, RunningStatistics& statistics) {
  const T* data = static_cast<const T*>(bytes);
  T low = std::numeric_limits<T>::max();
  T high = std::numeric_limits<T>::lowest();
  double squares = 0;
  double sum = 0;
  if constexpr (sizeof(T) <= 2) {
    // No sum over one block leaves these: 16384 squares of bytes, 8192 numbers of 16 bits.
    using Squares = std::conditional_t<sizeof(T) == 1, uint32_t, uint64_t>;
    int32_t exact = 0;
    Squares exact_squares = 0;
    for (size_t i = 0; i < count; ++i) {
      low = std::min(low, data[i]);
      high = std::max(high, data[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto value = static_cast<int32_t>(data[i]);  // NOLINT: bytes are numbers here
      exact += value;
      exact_squares += static_cast<uint32_t>(value) * static_cast<uint32_t>(value);
    }
    sum = static_cast<double>(exact);
    squares = static_cast<double>(exact_squares);
  } else {
    std::array<double, 8> sums{};
    std::array<double, 8> parts{};
    size_t i = 0;
    for (; i + sums.size() <= count; i += sums.size()) {
      for (size_t k = 0; k < sums.size(); ++k) {
        const double value = static_cast<double>(data[i + k]);
        low = std::min(low, data[i + k]);
        high = std::max(high, data[i + k]);
        sums[k] += value;
        parts[k] += value * value;
      }
    }
    for (; i < count; ++i) {
      const double value = static_cast<double>(data[i]);
      low = std::min(low, data[i]);
      high = std::max(high, data[i]);
      sums[0] += value;
      parts[0] += value * value;
    }
    for (size_t k = 0; k < sums.size(); ++k) {
      sum += sums[k];
      squares += parts[k];
    }
  }
  if (count == 0) return;
  statistics.minimum = std::min(statistics.minimum, static_cast<double>(low));
  statistics.maximum = std::max(statistics.maximum, static_cast<double>(high));
  statistics.sum += sum;
  statistics.squares += squares;
}

void AddBooleans(const void* bytes, size_t count, RunningStatistics& statistics) {
  const auto* data = static_cast<const uint8_t*>(bytes);
  uint32_t ones = 0;
  for (size_t i = 0; i < count; ++i) ones += data[i] != 0 ? 1U : 0U;
  if (count == 0) return;
  statistics.minimum = std::min(statistics.minimum, ones == count ? 1.0 : 0.0);
  statistics.maximum = std::max(statistics.maximum, ones == 0 ? 0.0 : 1.0);
  statistics.sum += static_cast<double>(ones);
  statistics.squares += static_cast<double>(ones);
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

void AddBlockImpl(const void* data, size_t count, transplt_type type,
                  RunningStatistics& statistics) {
  if (AddVectors<false>(data, count, type, statistics, nullptr)) return;
  switch (type) {
    case TRANSPLT_INT8:
      return AddIntegers<int8_t>(data, count, statistics);
    case TRANSPLT_INT16:
      return AddIntegers<int16_t>(data, count, statistics);
    case TRANSPLT_INT64:
      return AddIntegers<int64_t>(data, count, statistics);
    case TRANSPLT_UINT8:
      return AddIntegers<uint8_t>(data, count, statistics);
    case TRANSPLT_UINT16:
      return AddIntegers<uint16_t>(data, count, statistics);
    case TRANSPLT_UINT32:
      return AddIntegers<uint32_t>(data, count, statistics);
    case TRANSPLT_UINT64:
      return AddIntegers<uint64_t>(data, count, statistics);
    case TRANSPLT_BOOL:
      return AddBooleans(data, count, statistics);
    default:
      return;  // complex numbers have no order
  }
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
  HWY_DYNAMIC_DISPATCH(AddBlockImpl)(data, count, type, statistics);
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
