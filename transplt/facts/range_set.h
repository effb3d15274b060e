// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// Parts of a text, asked for many ranges: the time of an answer grows with the logarithm of their
/// number.
class RangeSet {
 public:
  RangeSet() = default;
  explicit RangeSet(std::vector<TextRange> parts) {
    std::sort(parts.begin(), parts.end(),
              [](TextRange a, TextRange b) { return a.start < b.start; });
    for (TextRange part : parts) {
      if (!merged_.empty() && part.start <= merged_.back().end) {
        merged_.back().end = std::max(merged_.back().end, part.end);
      } else {
        merged_.push_back(part);
      }
    }
  }

  /// True if the parts together hold all of `range`.
  bool Contains(TextRange range) const {
    const auto after =
        std::upper_bound(merged_.begin(), merged_.end(), range.start,
                         [](uint32_t start, TextRange part) { return start < part.start; });
    return after != merged_.begin() && std::prev(after)->Contains(range);
  }

  /// True if a part has a byte of `range`.
  bool Meets(TextRange range) const {
    const auto first =
        std::upper_bound(merged_.begin(), merged_.end(), range.start,
                         [](uint32_t start, TextRange part) { return start < part.end; });
    return first != merged_.end() && first->start < range.end;
  }

 private:
  std::vector<TextRange> merged_;  // sorted, without overlaps
};

}  // namespace transplt
