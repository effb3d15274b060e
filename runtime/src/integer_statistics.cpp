// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set by foreach_target.h, as block_statistics.cpp is.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/src/block_statistics.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/src/integer_statistics.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace transplt::capture::HWY_NAMESPACE {

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

void AddIntegerBlockImpl(const void* data, size_t count, transplt_type type,
                         RunningStatistics& statistics) {
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

}  // namespace transplt::capture::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace transplt::capture {

HWY_EXPORT(AddIntegerBlockImpl);

void AddIntegerBlock(const void* data, size_t count, transplt_type type,
                     RunningStatistics& statistics) {
  HWY_DYNAMIC_DISPATCH(AddIntegerBlockImpl)(data, count, type, statistics);
}

}  // namespace transplt::capture
#endif
