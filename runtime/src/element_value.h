// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hwy/base.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace transplt::capture {

// The value of one element, exactly. Highway 1.0.3 converts single bfloat16, but not float16.

inline double AsDouble(float value) { return value; }
inline double AsDouble(double value) { return value; }
inline double AsDouble(int32_t value) { return value; }
inline double AsDouble(hwy::float16_t value) {
  uint16_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  double result = 0;
  if (exponent == 0x1F) {
    result = mantissa == 0 ? std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    result = std::ldexp(mantissa, -24);
  } else {
    result = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -result : result;
}
inline double AsDouble(hwy::bfloat16_t value) { return hwy::F32FromBF16(value); }

}  // namespace transplt::capture
