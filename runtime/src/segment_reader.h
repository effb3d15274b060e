// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/src/frame.h"
#include "runtime/src/record_meta.h"
#include "runtime/src/status.h"

namespace transplt::capture {

/// A record of a segment: its pieces lie in the mapped file.
struct StoredRecord {
  RecordMeta meta;
  std::vector<std::string_view> pieces;

  /// All elements in one piece of memory.
  std::string Joined() const;
};

struct StoredText {
  std::string path;
  std::string prefix;
  std::string separator;
  std::string suffix;
  std::vector<std::string_view> items;
};

/// Reads a segment; only whole records count. A run that was killed leaves a torn end, which is
/// no damage. Behind damage, reading goes on at the next frame that is whole.
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

 private:
  struct Unmap {
    size_t size;
    void operator()(char* memory) const;
  };

  void ReadFrames(const std::string& path);
  /// The frame that begins at `at`, if it is whole and not one of those before `sequence`.
  bool FrameAt(uint64_t at, uint64_t sequence, FrameHeader* header) const;
  /// Where the next such frame begins; the end if there is none.
  uint64_t NextFrame(uint64_t at, uint64_t sequence) const;
  bool IsTornEnd(uint64_t at, uint64_t sequence) const;
  void TakeFrame(const FrameHeader& header, std::string_view payload);
  void TakeRecord(const FrameHeader& header, std::string_view payload);
  void TakeText(std::string_view payload);
  void TakeTextBegin(std::string_view payload);

  std::unique_ptr<char, Unmap> memory_{nullptr, Unmap{0}};
  std::string_view bytes_;
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
