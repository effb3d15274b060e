// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/segment_copy.h"

#include "runtime/src/block_statistics.h"
#include "runtime/src/byte_string.h"
#include "runtime/src/frame.h"
#include "runtime/src/output_file.h"

namespace transplt::capture {
namespace {

/// Writes frames one after the other. The first error stays.
class FrameFile {
 public:
  explicit FrameFile(const std::string& path) { status_ = file_.Create(path); }

  void Add(FrameType type, std::string_view payload) {
    FrameHeader header;
    header.type = type;
    header.size = static_cast<uint32_t>(payload.size());
    header.sequence = end_.frames++;
    header.crc = Crc32(Crc32(0, &header, sizeof header), payload.data(), payload.size());
    Write({reinterpret_cast<const char*>(&header), sizeof header});
    Write(payload);
    Write(std::string(FrameBytes(payload.size()) - sizeof header - payload.size(), '\0'));
    end_.bytes += FrameBytes(payload.size());
  }

  Status Finish(SegmentEnd* end) {
    // The log goes on at a block of the disk.
    const uint64_t rest = RoundUp(end_.bytes, kDiskBlock) - end_.bytes;
    if (rest > 0) Add(FrameType::kPad, std::string(rest - sizeof(FrameHeader), '\0'));
    if (status_.ok()) status_ = file_.Finish();
    if (status_.ok()) *end = end_;
    return status_;
  }

 private:
  void Write(std::string_view bytes) {
    if (status_.ok()) status_ = file_.Write(bytes);
  }

  OutputFile file_;
  Status status_;
  SegmentEnd end_;
};

}  // namespace

Status ReplaceByTexts(const SegmentReader& segment, const std::string& path, SegmentEnd* end) {
  FrameFile file(path);
  file.Add(FrameType::kSegment, segment.layout().Serialise());
  for (const StoredText& text : segment.texts()) {
    ByteWriter begin;
    for (const std::string* part : {&text.path, &text.prefix, &text.separator, &text.suffix}) {
      begin.Text(*part);
    }
    file.Add(FrameType::kTextBegin, begin.bytes());
    for (const std::string& item : text.items) {
      ByteWriter out;
      out.Text(text.path);
      out.Text(item);
      file.Add(FrameType::kText, out.bytes());
    }
  }
  return file.Finish(end);
}

}  // namespace transplt::capture
