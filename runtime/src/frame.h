// SPDX-License-Identifier: Apache-2.0
// The segment log: a file of frames, each with its length and a CRC, so that the end of a file
// that was torn by a crash is recognised. A record is a kBegin, its kData in order, and a kEnd;
// a record without a kEnd that says "complete" does not count. A record that goes straight to its
// file is a kFileBegin, its kFileData and a kFileEnd; of its kFileData the log has the headers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace transplt::capture {

static_assert(std::endian::native == std::endian::little, "all formats here are little-endian");

enum class FrameType : uint32_t {
  kSegment = 1,    ///< the first frame: what the public files are called and where they go
  kBegin = 2,      ///< a record's name, type and shape
  kData = 3,       ///< a piece of its elements
  kEnd = 4,        ///< one byte: 1 if all pieces are there
  kTextBegin = 5,  ///< path, prefix, separator, suffix of a text file
  kText = 6,       ///< path and item
  kPad = 7,        ///< fills up to a block of the disk
  kStep = 8,       ///< the number of the step that ended
  kFileBegin = 9,  ///< as kBegin, kData and kEnd, of a record that has a file of its own
  kFileData = 10,  ///< its payload is in that file, and neither in the log nor in the checksum
  kFileEnd = 11,
};

/// In front of every frame; padded so that payloads are aligned for streaming stores.
struct alignas(64) FrameHeader {
  uint32_t magic = kMagic;
  FrameType type = FrameType::kPad;
  uint32_t size = 0;      ///< of the payload, without padding
  uint32_t crc = 0;       ///< of the header with this field zero, and the payload
  uint64_t sequence = 0;  ///< of the frame within its file
  uint64_t record = 0;    ///< of the record it belongs to

  static constexpr uint32_t kMagic = 0x54524331;  // "1CRT"
};
static_assert(sizeof(FrameHeader) == 64);

inline constexpr size_t kFrameAlignment = 64;
inline constexpr size_t kDiskBlock = 4096;
inline constexpr size_t kDataFrame = size_t{256} * 1024;

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
constexpr uint64_t FrameBytes(uint64_t payload) {
  return sizeof(FrameHeader) + RoundUp(payload, kFrameAlignment);
}
/// In the log, which has not the payload of every frame.
constexpr uint64_t LoggedBytes(const FrameHeader& header) {
  return header.type == FrameType::kFileData ? sizeof(FrameHeader) : FrameBytes(header.size);
}

}  // namespace transplt::capture
