// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/src/frame.h"
#include "runtime/src/output_file.h"
#include "runtime/src/record_meta.h"
#include "runtime/src/status.h"
#include "runtime/src/tensor_pass.h"

namespace transplt::capture {

/// Bytes of a segment.
struct StoredPiece {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A record of a segment: its elements are the pieces, one after the other.
struct StoredRecord {
  RecordMeta meta;
  std::vector<StoredPiece> pieces;
};

struct StoredText {
  std::string path;
  std::string prefix;
  std::string separator;
  std::string suffix;
  std::vector<std::string> items;
};

/// Reads a segment; only whole records count. A run that was killed leaves a torn end, which is
/// no damage. Behind damage, reading goes on at the next frame that is whole. The file is read and
/// not mapped: of a mapped file, what the disk cannot read would end the process.
class SegmentReader {
 public:
  Status Open(const std::string& path);

  /// OK, or where the first bytes lie that nobody has written so.
  const Status& damage() const { return damage_; }
  /// False if the frame that says where the public files go is not there.
  bool has_layout() const { return has_layout_; }
  const Layout& layout() const { return layout_; }
  std::optional<uint64_t> step() const { return step_; }
  const std::vector<StoredRecord>& records() const { return records_; }
  const std::vector<StoredText>& texts() const { return texts_; }

  /// Writes the elements of a record of this segment to `file`.
  Status CopyTo(const StoredRecord& record, OutputFile* file) const;
  /// The same for one that takes blocks, which it does without an answer.
  Status CopyTo(const StoredRecord& record, BlockSink& sink) const;
  /// All elements of a record in one piece of memory.
  Status Join(const StoredRecord& record, std::string* joined) const;

 private:
  Status EachBlock(const StoredRecord& record,
                   const std::function<Status(std::string_view)>& take) const;
  Status Read(uint64_t at, uint64_t size, char* bytes) const;
  /// These bytes, at most kWindow, valid until the next call; fewer where the file ends, or the
  /// disk fails, which read_error_ tells then.
  std::string_view View(uint64_t at, uint64_t size) const;
  void ReadFrames(const std::string& path);
  /// The frame that begins at `at`, if it is whole and not one of those before `sequence`.
  bool FrameAt(uint64_t at, uint64_t sequence, FrameHeader* header) const;
  /// Where the next such frame begins; the end if there is none.
  uint64_t NextFrame(uint64_t at, uint64_t sequence) const;
  bool IsTornEnd(uint64_t at, uint64_t sequence) const;
  uint32_t CrcOf(const FrameHeader& header, uint64_t payload) const;
  std::string Payload(const FrameHeader& header, uint64_t at) const;
  void TakeFrame(const FrameHeader& header, uint64_t payload);
  void TakeRecord(const FrameHeader& header, uint64_t payload);
  void TakeText(std::string_view payload);
  void TakeTextBegin(std::string_view payload);

  static constexpr uint64_t kWindow = uint64_t{1} << 20;

  std::string path_;
  FileDescriptor file_;
  uint64_t size_ = 0;
  // What was read last.
  mutable std::string window_;
  mutable uint64_t window_start_ = 0;
  mutable Status read_error_;
  Status damage_;
  bool has_layout_ = false;
  Layout layout_;
  std::optional<uint64_t> step_;
  std::vector<StoredRecord> records_;
  // The record whose frames are being read; 0: none.
  StoredRecord open_;
  uint64_t open_record_ = 0;
  uint64_t open_bytes_ = 0;
  std::vector<StoredText> texts_;
};

}  // namespace transplt::capture
