// SPDX-License-Identifier: Apache-2.0
#include "transplt/lsp/text_positions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace transplt {
namespace {

constexpr std::array kNames = {std::pair(PositionEncoding::kUtf8, std::string_view("utf-8")),
                               std::pair(PositionEncoding::kUtf16, std::string_view("utf-16")),
                               std::pair(PositionEncoding::kUtf32, std::string_view("utf-32"))};

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// What the byte adds to the length of the text in units: the first byte of a character counts for
/// all of it.
uint32_t UnitsOf(char byte, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf8) return 1;
  if (!StartsCharacter(byte)) return 0;
  constexpr unsigned char kFourBytes = 0xF0;  // in UTF-16 a pair
  const bool is_pair =
      encoding == PositionEncoding::kUtf16 && static_cast<unsigned char>(byte) >= kFourBytes;
  return is_pair ? 2 : 1;
}

}  // namespace

std::string_view Name(PositionEncoding encoding) {
  return std::ranges::find(kNames, encoding, [](const auto& row) { return row.first; })->second;
}

std::optional<PositionEncoding> PositionEncodingNamed(std::string_view name) {
  const auto row = std::ranges::find(kNames, name, [](const auto& r) { return r.second; });
  if (row == kNames.end()) return std::nullopt;
  return row->first;
}

uint32_t UnitsIn(std::string_view text, PositionEncoding encoding) {
  uint32_t units = 0;
  for (const char byte : text) units += UnitsOf(byte, encoding);
  return units;
}

TextPositions::TextPositions(std::string_view text) : text_(text), line_starts_{0} {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !is_pair)) line_starts_.push_back(i + 1);
  }
}

Position TextPositions::PositionOf(size_t offset, PositionEncoding encoding) const {
  offset = std::min(offset, text_.size());
  const auto behind = std::ranges::upper_bound(line_starts_, offset);
  const size_t start = *std::prev(behind);
  return {static_cast<uint32_t>(behind - line_starts_.begin() - 1),
          UnitsIn(text_.substr(start, offset - start), encoding)};
}

size_t TextPositions::OffsetOf(Position position, PositionEncoding encoding) const {
  if (position.line >= line_starts_.size()) return text_.size();
  const size_t end = EndOfLine(position.line);
  uint32_t left = position.character;
  size_t at = line_starts_[position.line];
  while (at < end) {
    size_t next = at + 1;
    while (next < end && !StartsCharacter(text_[next])) ++next;
    const uint32_t units = UnitsIn(text_.substr(at, next - at), encoding);
    if (units > left) break;
    left -= units;
    at = next;
  }
  return at;
}

size_t TextPositions::EndOfLine(uint32_t line) const {
  if (line >= line_starts_.size()) return text_.size();
  size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] : text_.size();
  const size_t start = line_starts_[line];
  while (end > start && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return end;
}

Position PositionIn(const SourceFile& file, uint32_t offset, PositionEncoding encoding) {
  const uint32_t line = file.Locate(offset).line;
  // TextOf leaves the byte order mark out.
  const uint32_t start = file.LineRange(line).start;
  const std::string before = file.TextOf({start, std::max(start, offset)});
  return {line - 1, UnitsIn(before, encoding)};
}

}  // namespace transplt
