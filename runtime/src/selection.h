// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/src/status.h"

namespace transplt::capture {

/// A set of steps or ranks in the grammar `0|3-5|10`; the empty text is all numbers.
class Selection {
 public:
  static Status Parse(std::string_view text, Selection* selection);

  bool Contains(uint64_t number) const;

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  ///< both ends included
};

}  // namespace transplt::capture
