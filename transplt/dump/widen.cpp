// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/widen.h"

#include <bit>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transplt/dump/widen.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target, which includes this file once for each instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace transplt {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Moves the bits of a half into a float32; 2^112 corrects the exponent, also of subnormals.
template <class D>
HWY_INLINE hn::Vec<D> FromHalf(D d, hn::Vec<hn::Rebind<uint32_t, D>> bits) {
  const hn::Rebind<uint32_t, D> du;
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7FFFU)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000U)));
  const auto scaled = hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112F));
  const auto special = hn::BitCast(d, hn::Or(magnitude, hn::Set(du, 0x7F800000U)));
  const auto is_special = hn::Ge(scaled, hn::Set(d, 65536.0F));
  return hn::Or(hn::IfThenElse(is_special, special, scaled), hn::BitCast(d, sign));
}

void HalvesToFloats(const char* from, size_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint32_t, decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from) + i);
    hn::StoreU(FromHalf(d, hn::PromoteTo(du, bits)), d, to + i);
  }
  const hn::CappedTag<float, 1> one;
  const hn::Rebind<uint32_t, decltype(one)> one_bits;
  for (; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, 2);
    to[i] = hn::GetLane(FromHalf(one, hn::Set(one_bits, bits)));
  }
}

void BFloatsToFloats(const char* from, size_t count, float* to) {
  const hn::ScalableTag<uint32_t> du;
  const hn::Rebind<float, decltype(du)> d;
  const hn::Rebind<uint16_t, decltype(du)> d16;
  const size_t lanes = hn::Lanes(du);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from) + i);
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits))), d, to + i);
  }
  for (; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, 2);
    to[i] = std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace transplt
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace transplt {
namespace {

HWY_EXPORT(HalvesToFloats);
HWY_EXPORT(BFloatsToFloats);

}  // namespace

void WidenHalves(const char* from, size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(HalvesToFloats)(from, count, to);
}

void WidenBFloats(const char* from, size_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(BFloatsToFloats)(from, count, to);
}

}  // namespace transplt
#endif  // HWY_ONCE
