// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace transplt {

/// A half-open range of bytes [start, end) of a file's original content.
struct TextRange {
  uint32_t start = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - start; }
  bool empty() const { return start == end; }
  bool Contains(TextRange other) const { return start <= other.start && other.end <= end; }
  /// True if the two share a byte.
  bool Overlaps(TextRange other) const { return start < other.end && other.start < end; }
  std::string_view In(std::string_view text) const { return text.substr(start, size()); }

  friend bool operator==(TextRange, TextRange) = default;
};

}  // namespace transplt
