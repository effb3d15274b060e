// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// One token of a C++ or CUDA source. Comments are no tokens.
struct NativeToken {
  enum class Kind : uint8_t {
    kName,    ///< an identifier or a keyword
    kNumber,  ///< 0x1F, 1'000, 1.5e-3f
    kText,    ///< a string or a character, with its prefix
    kHeader,  ///< the name of a header in a directive, with its quotes or brackets
    kPunctuation,
  };
  TextRange range;
  Kind kind = Kind::kPunctuation;
  bool starts_line = false;   ///< nothing but blanks and comments stands before it in its line
  bool in_directive = false;  ///< of #include, of the body of a #define ...
};

/// The tokens of `source` in its order: of all branches of #if and of the bodies of macros. Any
/// bytes will do. Behind the last token of a directive comes a token with starts_line, or the end.
std::vector<NativeToken> TokensOf(std::string_view source);

}  // namespace transplt
