// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/src/record_meta.h"

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

/// Reads a segment up to its end or to the first frame that is torn; only whole records count.
class SegmentReader {
 public:
  Status Open(const std::string& path);

  const Layout& layout() const { return layout_; }
  std::optional<uint64_t> step() const { return step_; }
  const std::vector<StoredRecord>& records() const { return records_; }
  const std::vector<StoredText>& texts() const { return texts_; }

 private:
  struct Unmap {
    size_t size;
    void operator()(char* memory) const;
  };

  void ReadFrames();
  void TakeText(std::string_view payload);
  void TakeTextBegin(std::string_view payload);

  std::unique_ptr<char, Unmap> memory_{nullptr, Unmap{0}};
  std::string_view bytes_;
  Layout layout_;
  std::optional<uint64_t> step_;
  std::vector<StoredRecord> records_;
  std::vector<StoredText> texts_;
};

}  // namespace transplt::capture
