// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/segment_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/src/block_statistics.h"
#include "runtime/src/byte_string.h"
#include "runtime/src/frame.h"

namespace transplt::capture {

Status SegmentReader::Open(const std::string& path) {
  path_ = path;
  file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.is_open()) return IoError(path, errno);
  struct stat what {};
  if (::fstat(file_.get(), &what) != 0) return IoError(path, errno);
  size_ = static_cast<uint64_t>(what.st_size);
  ReadFrames(path);
  window_ = {};
  return read_error_;
}

Status SegmentReader::Read(uint64_t at, uint64_t size, char* bytes) const {
  while (size > 0) {
    const ssize_t count = ::pread(file_.get(), bytes, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoError(path_, errno);
    // Somebody has cut the file meanwhile.
    if (count == 0) return IoError(path_, EIO);
    at += static_cast<uint64_t>(count);
    bytes += count;
    size -= static_cast<uint64_t>(count);
  }
  return {};
}

std::string_view SegmentReader::View(uint64_t at, uint64_t size) const {
  size = std::min(size, size_ - std::min(at, size_));
  if (at < window_start_ || at + size > window_start_ + window_.size()) {
    window_start_ = at;
    window_.resize(std::min(kWindow, size_ - std::min(at, size_)));
    Status status = Read(at, window_.size(), window_.data());
    if (!status.ok()) {
      window_.clear();
      if (read_error_.ok()) read_error_ = std::move(status);
      return {};
    }
  }
  return std::string_view(window_).substr(at - window_start_, size);
}

Status SegmentReader::CopyTo(const StoredRecord& record, OutputFile* file) const {
  return EachBlock(record, [file](std::string_view block) { return file->Write(block); });
}

Status SegmentReader::CopyTo(const StoredRecord& record, BlockSink& sink) const {
  return EachBlock(record, [&sink](std::string_view block) {
    sink.Take(block);
    return Status{};
  });
}

Status SegmentReader::EachBlock(const StoredRecord& record,
                                const std::function<Status(std::string_view)>& take) const {
  std::string buffer(std::min<uint64_t>(kDataFrame, record.meta.bytes), '\0');
  for (const StoredPiece& piece : record.pieces) {
    for (uint64_t done = 0; done < piece.size;) {
      const uint64_t size = std::min<uint64_t>(buffer.size(), piece.size - done);
      if (Status status = Read(piece.offset + done, size, buffer.data()); !status.ok()) {
        return status;
      }
      if (Status status = take({buffer.data(), size}); !status.ok()) return status;
      done += size;
    }
  }
  return {};
}

Status SegmentReader::Join(const StoredRecord& record, std::string* joined) const {
  joined->resize(record.meta.bytes);
  uint64_t filled = 0;
  for (const StoredPiece& piece : record.pieces) {
    if (Status status = Read(piece.offset, piece.size, joined->data() + filled); !status.ok()) {
      return status;
    }
    filled += piece.size;
  }
  return {};
}

uint32_t SegmentReader::CrcOf(const FrameHeader& header, uint64_t payload) const {
  FrameHeader without_crc = header;
  without_crc.crc = 0;
  uint32_t crc = Crc32(0, &without_crc, sizeof without_crc);
  if (header.type == FrameType::kFileData) return crc;
  for (uint64_t left = header.size; left > 0;) {
    const std::string_view part = View(payload, std::min(left, kWindow));
    if (part.empty()) return 0;
    crc = Crc32(crc, part.data(), part.size());
    payload += part.size();
    left -= part.size();
  }
  return crc;
}

bool SegmentReader::FrameAt(uint64_t at, uint64_t sequence, FrameHeader* header) const {
  const std::string_view bytes = View(at, sizeof *header);
  if (bytes.size() < sizeof *header) return false;
  std::memcpy(header, bytes.data(), sizeof *header);
  if (header->magic != FrameHeader::kMagic || header->sequence < sequence ||
      LoggedBytes(*header) > size_ - at) {
    return false;
  }
  return CrcOf(*header, at + sizeof *header) == header->crc && read_error_.ok();
}

uint64_t SegmentReader::NextFrame(uint64_t at, uint64_t sequence) const {
  FrameHeader header;
  for (at += kFrameAlignment; at < size_ && read_error_.ok(); at += kFrameAlignment) {
    if (FrameAt(at, sequence, &header)) return at;
  }
  return size_;
}

bool SegmentReader::IsTornEnd(uint64_t at, uint64_t sequence) const {
  FrameHeader header;
  const std::string_view bytes = View(at, sizeof header);
  if (bytes.size() < sizeof header) return true;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic == FrameHeader::kMagic && header.sequence == sequence &&
      LoggedBytes(header) > size_ - at) {
    return true;
  }
  while (at < size_) {
    const std::string_view part = View(at, kWindow);
    if (part.empty() || part.find_first_not_of('\0') != std::string_view::npos) return false;
    at += part.size();
  }
  return true;
}

void SegmentReader::ReadFrames(const std::string& path) {
  uint64_t sequence = 0;
  for (uint64_t at = 0; at < size_;) {
    FrameHeader header;
    const bool whole = FrameAt(at, sequence, &header);
    if (!whole || header.sequence != sequence) {
      const uint64_t next = whole ? at : NextFrame(at, sequence);
      if (!read_error_.ok() || (next == size_ && IsTornEnd(at, sequence))) return;
      if (damage_.ok()) {
        damage_ = {TRANSPLT_IO, path + ": damaged at byte " + std::to_string(at) +
                                    "; what is whole is read, the rest is lost"};
      }
      open_record_ = 0;
      at = next;
      if (!FrameAt(at, sequence, &header)) return;
    }
    TakeFrame(header, at + sizeof header);
    sequence = header.sequence + 1;
    at += LoggedBytes(header);
  }
}

std::string SegmentReader::Payload(const FrameHeader& header, uint64_t at) const {
  std::string payload(header.size, '\0');
  Status status = Read(at, payload.size(), payload.data());
  if (!status.ok() && read_error_.ok()) read_error_ = std::move(status);
  return payload;
}

void SegmentReader::TakeFrame(const FrameHeader& header, uint64_t payload) {
  switch (header.type) {
    case FrameType::kSegment:
      has_layout_ = Layout::Parse(Payload(header, payload), &layout_);
      break;
    case FrameType::kBegin:
    case FrameType::kData:
    case FrameType::kEnd:
      TakeRecord(header, payload);
      break;
    case FrameType::kTextBegin:
      TakeTextBegin(Payload(header, payload));
      break;
    case FrameType::kText:
      TakeText(Payload(header, payload));
      break;
    case FrameType::kStep:
      step_ = ByteReader(Payload(header, payload)).Number();
      break;
    case FrameType::kPad:
    case FrameType::kFileBegin:
    case FrameType::kFileData:
    case FrameType::kFileEnd:
      break;
  }
}

void SegmentReader::TakeRecord(const FrameHeader& header, uint64_t payload) {
  if (header.type == FrameType::kBegin) {
    open_ = {};
    open_bytes_ = 0;
    open_record_ = RecordMeta::Parse(Payload(header, payload), &open_.meta) ? header.record : 0;
    return;
  }
  if (open_record_ == 0 || header.record != open_record_) return;
  if (header.type == FrameType::kData) {
    open_.pieces.push_back({payload, header.size});
    open_bytes_ += header.size;
    return;
  }
  if (Payload(header, payload) == "\1" && open_bytes_ == open_.meta.bytes) {
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
      text.items.emplace_back(item);
      return;
    }
  }
}

}  // namespace transplt::capture
