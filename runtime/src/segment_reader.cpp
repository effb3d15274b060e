// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/segment_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "runtime/src/block_statistics.h"
#include "runtime/src/byte_string.h"
#include "runtime/src/frame.h"
#include "runtime/src/output_file.h"

namespace transplt::capture {

std::string StoredRecord::Joined() const {
  std::string joined;
  joined.reserve(meta.bytes);
  for (std::string_view piece : pieces) joined.append(piece);
  return joined;
}

void SegmentReader::Unmap::operator()(char* memory) const { ::munmap(memory, size); }

Status SegmentReader::Open(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return IoError(path, errno);
  struct stat what {};
  if (::fstat(file.get(), &what) != 0) return IoError(path, errno);
  if (what.st_size == 0) return {};
  const auto size = static_cast<size_t>(what.st_size);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) return IoError(path, errno);
  ::madvise(memory, size, MADV_SEQUENTIAL);
  memory_ = std::unique_ptr<char, Unmap>(static_cast<char*>(memory), Unmap{size});
  bytes_ = {memory_.get(), size};
  ReadFrames();
  return {};
}

void SegmentReader::ReadFrames() {
  StoredRecord open;
  uint64_t open_record = 0;
  uint64_t got = 0;
  uint64_t at = 0;
  for (uint64_t sequence = 0; at + sizeof(FrameHeader) <= bytes_.size(); ++sequence) {
    FrameHeader header;
    std::memcpy(&header, bytes_.data() + at, sizeof header);
    if (header.magic != FrameHeader::kMagic || header.sequence != sequence ||
        FrameBytes(header.size) > bytes_.size() - at) {
      return;
    }
    const std::string_view payload = bytes_.substr(at + sizeof header, header.size);
    const uint32_t crc = std::exchange(header.crc, 0);
    if (Crc32(Crc32(0, &header, sizeof header), payload.data(), payload.size()) != crc) return;
    at += FrameBytes(header.size);
    switch (header.type) {
      case FrameType::kSegment:
        if (!Layout::Parse(payload, &layout_)) return;
        break;
      case FrameType::kBegin:
        open = {};
        got = 0;
        open_record = RecordMeta::Parse(payload, &open.meta) ? header.record : 0;
        break;
      case FrameType::kData:
        if (header.record != open_record) break;
        open.pieces.push_back(payload);
        got += payload.size();
        break;
      case FrameType::kEnd:
        if (header.record == open_record && payload == std::string_view("\1") &&
            got == open.meta.bytes) {
          records_.push_back(std::move(open));
        }
        open = {};
        open_record = 0;
        break;
      case FrameType::kTextBegin:
        TakeTextBegin(payload);
        break;
      case FrameType::kText:
        TakeText(payload);
        break;
      case FrameType::kStep:
        step_ = ByteReader(payload).Number();
        break;
      case FrameType::kPad:
        break;
    }
  }
}

void SegmentReader::TakeTextBegin(std::string_view payload) {
  ByteReader in(payload);
  StoredText text;
  for (std::string* part : {&text.path, &text.prefix, &text.separator, &text.suffix}) {
    *part = in.Text();
  }
  for (const StoredText& other : texts_) {
    if (other.path == text.path) return;
  }
  if (in.ok()) texts_.push_back(std::move(text));
}

void SegmentReader::TakeText(std::string_view payload) {
  ByteReader in(payload);
  const std::string_view path = in.Text();
  const std::string_view item = in.Text();
  if (!in.ok()) return;
  for (StoredText& text : texts_) {
    if (text.path == path) {
      text.items.push_back(item);
      return;
    }
  }
}

}  // namespace transplt::capture
