// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/include/transplt/capture.h"

namespace transplt::capture {

/// What is known of a tensor so far. Sums are long double so that squares of float64 fit.
struct RunningStatistics {
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  long double sum = 0;
  long double squares = 0;
  uint64_t nan_count = 0;
  uint64_t positive_infinities = 0;
  uint64_t negative_infinities = 0;
};

/// A block is small enough to stay in the first-level cache while it is looked at, summed and
/// copied, so that memory is read once.
inline constexpr size_t kBlockBytes = 16384;

/// Adds `count` elements at `data`, aligned or not, to `statistics`; at most kBlockBytes.
/// The instruction set is chosen at run time.
void AddBlock(const void* data, size_t count, transplt_type type, RunningStatistics& statistics);

/// AddBlock() for integers and booleans but int32, which is added up like a float.
void AddIntegerBlock(const void* data, size_t count, transplt_type type,
                     RunningStatistics& statistics);

/// Continues the CRC-32 of zlib.
uint32_t Crc32(uint32_t before, const void* data, size_t size);

/// Copies around the cache: what is written is next read by the writer, not by this core.
/// FinishCopies() comes before the writer is told of it.
void CopyAroundCache(void* to, const void* from, size_t size);

/// AddBlock() and CopyAroundCache() in one pass, which takes hardly longer than the copy.
void AddAndCopyBlock(const void* data, size_t count, transplt_type type,
                     RunningStatistics& statistics, void* to);

void FinishCopies();

/// "AVX3", "NEON" ...
const char* TargetName();

}  // namespace transplt::capture
