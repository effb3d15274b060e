// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace transplt {

/// Two bytes each become a float32, with SIMD chosen at run time. `from` need not be aligned.
void WidenHalves(const char* from, size_t count, float* to);
void WidenBFloats(const char* from, size_t count, float* to);

}  // namespace transplt
