// SPDX-License-Identifier: Apache-2.0
// Any bytes as a segment of the capture log, as they are and as payloads of frames whose CRC is
// right: a record that counts has all of its bytes, and they lie within the segment. What is read
// becomes public files, and none of them lies out of the folder that they are written into.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "require.h"
#include "runtime/src/block_statistics.h"
#include "runtime/src/exporter.h"
#include "runtime/src/frame.h"
#include "runtime/src/segment_reader.h"

namespace {

using transplt::capture::FrameBytes;
using transplt::capture::FrameHeader;
using transplt::capture::FrameType;

/// A file of memory, removed with its descriptor.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("segment", MFD_CLOEXEC)) {
    REQUIRE(file_ >= 0);
    REQUIRE(write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// A folder deep below an empty one, so that a path with some ".." is still found.
class Cage {
 public:
  Cage() {
    std::string pattern = std::filesystem::temp_directory_path() / "segment-fuzz-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    top_ = pattern;
    root_ = top_ / "1" / "2" / "3" / "4" / "5" / "6" / "7" / "8";
    std::filesystem::create_directories(root_);
  }
  Cage(const Cage&) = delete;
  Cage& operator=(const Cage&) = delete;
  ~Cage() { std::filesystem::remove_all(top_); }

  std::string root() const { return root_; }
  /// Nothing is there but the folders down to the root, whose content goes.
  void RequireEmptyOutside() {
    std::filesystem::remove_all(root_);
    size_t folders = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top_)) {
      REQUIRE(entry.is_directory());
      ++folders;
    }
    REQUIRE(folders == 7);
    std::filesystem::create_directory(root_);
  }

 private:
  std::filesystem::path top_;
  std::filesystem::path root_;
};

void Export(const transplt::capture::SegmentReader& reader) {
  static Cage cage;
  if (reader.records().empty() && reader.texts().empty()) return;
  transplt::capture::Layout layout = reader.layout();
  layout.root = cage.root();
  const transplt::capture::ExportResult result = transplt::capture::Export(
      reader, layout, reader.step().value_or(0), transplt::capture::Existing::kReplace);
  REQUIRE(result.lost_records <= reader.records().size());
  cage.RequireEmptyOutside();
}

void Read(std::string_view segment) {
  const MemoryFile file(segment);
  transplt::capture::SegmentReader reader;
  if (!reader.Open(file.path()).ok()) return;
  for (const transplt::capture::StoredRecord& record : reader.records()) {
    size_t bytes = 0;
    for (const transplt::capture::StoredPiece& piece : record.pieces) bytes += piece.size;
    REQUIRE(bytes == record.meta.bytes);
    REQUIRE(bytes <= segment.size());
    std::string joined;
    REQUIRE(reader.Join(record, &joined).ok());
    REQUIRE(joined.size() == bytes);
  }
  for (const transplt::capture::StoredText& text : reader.texts()) {
    for (const std::string& item : text.items) REQUIRE(item.size() <= segment.size());
  }
  Export(reader);
}

/// Frames of the input's pieces. Each piece: type, record, size, payload.
std::string Framed(std::string_view input) {
  std::string segment;
  for (uint64_t sequence = 0; input.size() >= 3; ++sequence) {
    FrameHeader header;
    header.type = static_cast<FrameType>(input[0] % 10);
    header.record = static_cast<uint8_t>(input[1]) % 4;
    header.sequence = sequence;
    const auto size = static_cast<uint8_t>(input[2]);
    const std::string_view payload = input.substr(3, size);
    input.remove_prefix(3 + payload.size());
    header.size = static_cast<uint32_t>(payload.size());
    header.crc = transplt::capture::Crc32(transplt::capture::Crc32(0, &header, sizeof header),
                                          payload.data(), payload.size());
    const size_t begin = segment.size();
    segment.append(reinterpret_cast<const char*>(&header), sizeof header).append(payload);
    segment.resize(begin + FrameBytes(payload.size()));
  }
  return segment;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Read(input);
  Read(Framed(input));
  return 0;
}
