// SPDX-License-Identifier: Apache-2.0
// What the memory allows: a copy around the cache that looks at nothing, for ./dev bench runtime.
#include <cstddef>

#include "runtime/src/block_statistics.h"

extern "C" __attribute__((visibility("default"))) void BareCopy(void* to, const void* from,
                                                                size_t size) {
  transplt::capture::CopyAroundCache(to, from, size);
  transplt::capture::FinishCopies();
}
