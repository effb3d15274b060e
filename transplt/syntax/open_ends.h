// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transplt/syntax/source_lines.h"

namespace transplt {

/// Brackets and quotes that do not close, and how each line begins: found without a parser.
struct OpenEnds {
  struct Bracket {
    uint32_t offset;  ///< of the bracket
    uint32_t proof;   ///< of what cannot stand inside of it, or the end of the text
  };
  enum class Begin : uint8_t { kStatement, kInBracket, kInString };

  std::vector<Bracket> brackets;  ///< opened and not closed, in the order of the text
  std::vector<uint32_t> closing;  ///< closed and not opened
  std::vector<uint32_t> quotes;   ///< triple quotes that may be without partner
  size_t doubtful = 0;            ///< bytes in the strings that start there
  std::vector<Begin> begins;      ///< of each line
};

/// A bracket is proven to be unclosed by a line at or left of its own line that starts like a
/// statement, or by a closing bracket of another sort. A triple quote too many or too few turns all
/// later strings inside out, so those that hold what looks like code are suspects.
OpenEnds FindOpenEnds(std::string_view text, const SourceLines& lines);

}  // namespace transplt
