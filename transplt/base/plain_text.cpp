// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace transplt {
namespace {

constexpr std::string_view kEllipsis = "…";

struct CharacterRange {
  char32_t first;
  char32_t last;
  bool Contains(char32_t character) const { return first <= character && character <= last; }
};

template <size_t N>
bool In(const std::array<CharacterRange, N>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](CharacterRange range) { return range.Contains(character); });
}

/// Control characters, line and paragraph separators, and the marks that change the direction of
/// writing: a name that holds them could make a message read as something else.
bool IsControl(char32_t character) {
  constexpr std::array<CharacterRange, 5> kControls = {
      {{0x00, 0x1F}, {0x7F, 0x9F}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}}};
  return In(kControls, character);
}

/// Characters that terminals show two columns wide (East Asian Width W and F).
bool IsWide(char32_t character) {
  constexpr std::array<CharacterRange, 11> kWide = {{{0x1100, 0x115F},
                                                     {0x2E80, 0x303E},
                                                     {0x3041, 0xA4CF},
                                                     {0xAC00, 0xD7A3},
                                                     {0xF900, 0xFAFF},
                                                     {0xFE30, 0xFE6F},
                                                     {0xFF00, 0xFF60},
                                                     {0xFFE0, 0xFFE6},
                                                     {0x1F300, 0x1F64F},
                                                     {0x1F900, 0x1F9FF},
                                                     {0x20000, 0x3FFFD}}};
  return In(kWide, character);
}

/// How many bytes follow a lead byte, and the bits of the character that it carries.
struct Lead {
  size_t following;
  char32_t bits;
  char32_t least;  // a smaller character in so many bytes is an overlong form
};

std::optional<Lead> ReadLead(unsigned char byte) {
  if (byte < 0x80) return Lead{0, byte, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return Lead{1, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte <= 0xEF) return Lead{2, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte <= 0xF4) return Lead{3, byte & 0x07U, 0x10000};
  return std::nullopt;
}

}  // namespace

std::optional<char32_t> NextCharacter(std::string_view text, size_t& position) {
  const size_t start = position++;
  const std::optional<Lead> lead = ReadLead(static_cast<unsigned char>(text[start]));
  if (!lead || text.size() - start <= lead->following) return std::nullopt;
  char32_t character = lead->bits;
  for (size_t i = 1; i <= lead->following; ++i) {
    const auto byte = static_cast<unsigned char>(text[start + i]);
    if ((byte & 0xC0U) != 0x80) return std::nullopt;
    character = (character << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < lead->least || surrogate || character > 0x10FFFF) return std::nullopt;
  position = start + 1 + lead->following;
  return character;
}

uint32_t CharactersIn(std::string_view text) {
  uint32_t count = 0;
  for (size_t position = 0; position < text.size(); ++count) (void)NextCharacter(text, position);
  return count;
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    const std::optional<char32_t> character = NextCharacter(text, position);
    const bool usable = character && *character != 0;
    valid.append(usable ? text.substr(start, position - start) : kReplacement);
  }
  return valid;
}

std::string OneLine(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    const std::optional<char32_t> character = NextCharacter(text, position);
    if (std::string_view("\t\n\r").find(text[start]) != std::string_view::npos) {
      line.push_back(' ');
    } else if (!character || IsControl(*character)) {
      line.append(kReplacement);
    } else {
      line.append(text.substr(start, position - start));
    }
  }
  return line;
}

std::string VisibleText(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    const std::optional<char32_t> character = NextCharacter(text, position);
    const bool ends_line = text[start] == '\n' || text.substr(start).starts_with("\r\n");
    if (!character) {
      visible += fmt::format("<{:02X}>", static_cast<unsigned char>(text[start]));
    } else if (ends_line || *character == '\t' || !IsControl(*character)) {
      visible.append(text.substr(start, position - start));
    } else if (*character < 0x80) {
      visible += {'^', static_cast<char>(*character ^ 0x40U)};  // ESC is ^[, DEL is ^?
    } else {
      visible += fmt::format("<U+{:04X}>", static_cast<uint32_t>(*character));
    }
  }
  return visible;
}

void AppendUtf8(std::string& text, uint32_t c) {
  const auto add = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) add(0xE0 | c >> 12);
    if (c >= 0x10000) add(0xF0 | c >> 18);
    if (c >= 0x10000) add(0x80 | (c >> 12 & 0x3F));
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

std::string MarkdownCell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell.push_back('\\');
    cell.push_back(c == '\n' ? ' ' : c);
  }
  return cell;
}

std::string HtmlText(std::string_view text) {
  std::string result;
  for (const char c : ValidUtf8(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result.push_back(c);
    }
  }
  return result;
}

std::string FitColumns(std::string_view line, size_t columns) {
  size_t used = 0;
  size_t fits = 0;  // bytes that leave room for the ellipsis
  for (size_t position = 0; position < line.size();) {
    const std::optional<char32_t> character = NextCharacter(line, position);
    used += character && IsWide(*character) ? 2 : 1;
    if (used > columns) return std::string(line.substr(0, fits)).append(kEllipsis);
    if (used < columns) fits = position;
  }
  return std::string(line);
}

}  // namespace transplt
