// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transplt/base/result.h"

namespace transplt {

/// How the bytes of an encoding form characters. All of them extend ASCII.
enum class CharacterLayout : uint8_t {
  kSingleByte,
  kUtf8,
  kEuc,    ///< pairs of high bytes
  kEucJp,  ///< the same, and the prefixes 8E (one more byte) and 8F (two more)
  kGbk,    ///< from here on a later byte of a character may look like ASCII
  kGb18030,
  kBig5,
  kShiftJis,
  kUhc,
};

/// An encoding of source files: its canonical name, as iconv knows it, and its layout.
struct Encoding {
  std::string name = "UTF-8";
  CharacterLayout layout = CharacterLayout::kUtf8;
};

inline constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";

/// The encoding of a Python file: that of its BOM, else of its PEP 263 cookie, else UTF-8; a
/// guess where the bytes are not valid in that. SourceFile::FromBytes says what is refused; the
/// Error has no place yet.
Result<Encoding> DetectEncoding(std::string_view bytes);

/// The first position from `at` that holds a byte above 7F, or the size of the text.
size_t NextNonAscii(std::string_view text, size_t at);

/// The size of the character that starts a text with a byte above 7F; 0 if it is not one.
uint32_t CharacterSize(std::string_view text, CharacterLayout layout);

bool IsValid(std::string_view text, CharacterLayout layout);

/// The text as UTF-8; what does not decode becomes U+FFFD.
std::string DecodeToUtf8(std::string_view text, const Encoding& encoding);

}  // namespace transplt
