// SPDX-License-Identifier: Apache-2.0
// CRC-32 (reflected polynomial 0xEDB88320, as zlib) by folding with carry-less products: a long
// text is replaced by a short one of the same remainder, which tables then finish.
#include <array>
#include <cstring>

#include "runtime/src/block_statistics.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/src/crc32.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#ifndef TRANSPLT_CRC32_TABLES
#define TRANSPLT_CRC32_TABLES
namespace transplt::capture {

using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables MakeTables() {
  CrcTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
    tables[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (size_t k = 1; k < 8; ++k) {
      tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xFF];
    }
  }
  return tables;
}
inline constexpr CrcTables kTables = MakeTables();

/// Without the inversions at both ends.
inline uint32_t CrcByTables(uint32_t crc, const uint8_t* data, size_t size) {
  for (; size >= 8; size -= 8, data += 8) {
    uint32_t low = 0;
    uint32_t high = 0;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + 4, 4);
    low ^= crc;
    crc = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^ kTables[5][(low >> 16) & 0xFF] ^
          kTables[4][low >> 24] ^ kTables[3][high & 0xFF] ^ kTables[2][(high >> 8) & 0xFF] ^
          kTables[1][(high >> 16) & 0xFF] ^ kTables[0][high >> 24];
  }
  for (; size > 0; --size, ++data) crc = (crc >> 8) ^ kTables[0][(crc ^ *data) & 0xFF];
  return crc;
}

/// x^power modulo the polynomial, as a reflected 33-bit number for products of reflected numbers.
inline uint64_t PowerOfX(uint32_t power) {
  // Bit 31 is x^0 in the reflected form.
  uint32_t value = 0x80000000U;
  for (uint32_t i = 0; i < power; ++i) {
    value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
  }
  // A product of two reflected numbers is shifted by one bit, which this evens out.
  return static_cast<uint64_t>(value) << 1;
}

}  // namespace transplt::capture
#endif

HWY_BEFORE_NAMESPACE();
namespace transplt::capture::HWY_NAMESPACE {
/// Folds whole strides of 4 vectors and tells how many bytes that were; `crc` is the remainder.
HWY_ATTR size_t FoldImpl(uint32_t& crc, const uint8_t* data, size_t size) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || !HWY_HAVE_INTEGER64
  (void)crc, (void)data, (void)size;
  return 0;
#else
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr size_t kVectors = 4;
  const hn::ScalableTag<uint64_t> d;
  const hn::Repartition<uint8_t, decltype(d)> bytes;
  const size_t width = hn::Lanes(bytes);
  const size_t stride = kVectors * width;
  if (size < 2 * stride || width > 256) return 0;
  // An accumulator is carried over `stride` bytes: its low half, the earlier powers, by 64 bits
  // more than its high half.
  const uint32_t bits = static_cast<uint32_t>(stride * 8);
  static const uint64_t low_factor = PowerOfX(bits + 64 - 32);
  static const uint64_t high_factor = PowerOfX(bits - 32);
  const auto factor = hn::OddEven(hn::Set(d, high_factor), hn::Set(d, low_factor));
  const auto load = [&](const uint8_t* at)
                        HWY_ATTR { return hn::BitCast(d, hn::LoadU(bytes, at)); };
  auto a0 = load(data);
  auto a1 = load(data + width);
  auto a2 = load(data + 2 * width);
  auto a3 = load(data + 3 * width);
  a0 = hn::Xor(a0, hn::InsertLane(hn::Zero(d), 0, uint64_t{crc}));
  size_t done = stride;
  for (; done + stride <= size; done += stride) {
    const auto fold = [&](auto a, const uint8_t* at) HWY_ATTR {
      return hn::Xor(hn::Xor(hn::CLMulLower(a, factor), hn::CLMulUpper(a, factor)), load(at));
    };
    a0 = fold(a0, data + done);
    a1 = fold(a1, data + done + width);
    a2 = fold(a2, data + done + 2 * width);
    a3 = fold(a3, data + done + 3 * width);
  }
  alignas(64) std::array<uint8_t, kVectors * 256> rest;
  hn::StoreU(hn::BitCast(bytes, a0), bytes, rest.data());
  hn::StoreU(hn::BitCast(bytes, a1), bytes, rest.data() + width);
  hn::StoreU(hn::BitCast(bytes, a2), bytes, rest.data() + 2 * width);
  hn::StoreU(hn::BitCast(bytes, a3), bytes, rest.data() + 3 * width);
  crc = CrcByTables(0, rest.data(), stride);
  return done;
#endif
}

}  // namespace transplt::capture::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace transplt::capture {

HWY_EXPORT(FoldImpl);

uint32_t Crc32(uint32_t before, const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  uint32_t crc = ~before;
  size_t done = 0;
  if (size >= 1024) done = HWY_DYNAMIC_DISPATCH(FoldImpl)(crc, bytes, size);
  return ~CrcByTables(crc, bytes + done, size - done);
}

}  // namespace transplt::capture
#endif
