// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/segment_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

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
  ReadFrames(path);
  return {};
}

bool SegmentReader::FrameAt(uint64_t at, uint64_t sequence, FrameHeader* header) const {
  if (at + sizeof *header > bytes_.size()) return false;
  std::memcpy(header, bytes_.data() + at, sizeof *header);
  if (header->magic != FrameHeader::kMagic || header->sequence < sequence ||
      FrameBytes(header->size) > bytes_.size() - at) {
    return false;
  }
  const std::string_view payload = bytes_.substr(at + sizeof *header, header->size);
  const uint32_t crc = std::exchange(header->crc, 0);
  return Crc32(Crc32(0, header, sizeof *header), payload.data(), payload.size()) == crc;
}

uint64_t SegmentReader::NextFrame(uint64_t at, uint64_t sequence) const {
  FrameHeader header;
  for (at += kFrameAlignment; at < bytes_.size(); at += kFrameAlignment) {
    if (FrameAt(at, sequence, &header)) return at;
  }
  return bytes_.size();
}

bool SegmentReader::IsTornEnd(uint64_t at, uint64_t sequence) const {
  if (bytes_.find_first_not_of('\0', at) == std::string_view::npos) return true;
  FrameHeader header;
  if (at + sizeof header > bytes_.size()) return true;
  std::memcpy(&header, bytes_.data() + at, sizeof header);
  return header.magic == FrameHeader::kMagic && header.sequence == sequence &&
         FrameBytes(header.size) > bytes_.size() - at;
}

void SegmentReader::ReadFrames(const std::string& path) {
  uint64_t sequence = 0;
  for (uint64_t at = 0; at < bytes_.size();) {
    FrameHeader header;
    const bool whole = FrameAt(at, sequence, &header);
    if (!whole || header.sequence != sequence) {
      const uint64_t next = whole ? at : NextFrame(at, sequence);
      if (next == bytes_.size() && IsTornEnd(at, sequence)) return;
      if (damage_.ok()) {
        damage_ = {TRANSPLT_IO, path + ": damaged at byte " + std::to_string(at) +
                                    "; what is whole is read, the rest is lost"};
      }
      open_record_ = 0;
      at = next;
      if (!FrameAt(at, sequence, &header)) return;
    }
    TakeFrame(header, bytes_.substr(at + sizeof header, header.size));
    sequence = header.sequence + 1;
    at += FrameBytes(header.size);
  }
}

void SegmentReader::TakeFrame(const FrameHeader& header, std::string_view payload) {
  switch (header.type) {
    case FrameType::kSegment:
      has_layout_ = Layout::Parse(payload, &layout_);
      break;
    case FrameType::kBegin:
    case FrameType::kData:
    case FrameType::kEnd:
      TakeRecord(header, payload);
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

void SegmentReader::TakeRecord(const FrameHeader& header, std::string_view payload) {
  if (header.type == FrameType::kBegin) {
    open_ = {};
    open_bytes_ = 0;
    open_record_ = RecordMeta::Parse(payload, &open_.meta) ? header.record : 0;
    return;
  }
  if (open_record_ == 0 || header.record != open_record_) return;
  if (header.type == FrameType::kData) {
    open_.pieces.push_back(payload);
    open_bytes_ += payload.size();
    return;
  }
  if (payload == std::string_view("\1") && open_bytes_ == open_.meta.bytes) {
    records_.push_back(std::move(open_));
  }
  open_record_ = 0;
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
