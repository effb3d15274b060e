// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

  std::vector<Bracket> brackets;   ///< in the order of the text
  std::optional<uint32_t> string;  ///< the triple quote that is never closed, as far as can be told
  std::vector<Begin> begins;       ///< of each line
};

/// A bracket is proven to be unclosed by a line at or left of its own line that starts like a
/// statement, or by a closing bracket of another sort. With a triple quote too many or too few all
/// later strings are turned inside out: the first string that holds what looks like code is then
/// taken for the one that does not close.
OpenEnds FindOpenEnds(std::string_view text, const SourceLines& lines);

}  // namespace transplt
