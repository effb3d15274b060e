// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/misread.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "transplt/base/ascii.h"

namespace transplt {
namespace {

TextRange LineAround(std::string_view text, uint32_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text.find('\n', offset), text.size());
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

void AddStarsOfDisplays(std::string_view text, TextRange statement, std::vector<TextRange>& parts) {
  char before = 0;
  int depth = 0;
  for (uint32_t i = statement.start; i + 1 < statement.end; ++i) {
    const char c = text[i];
    const char next = text[i + 1];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '*' && depth == 0 && (before == ',' || before == '=') &&
        (next == '[' || next == '(' || next == '{')) {
      parts.push_back({i, i + 1});
    }
    if (!IsBlank(c)) before = c;
  }
}

/// The `=` that fills, in `{x:=^9}`: behind a colon it reads like `:=`, but no expression starts
/// with the sign of an alignment.
void AddFillsOfFormats(std::string_view text, TextRange statement, std::vector<TextRange>& parts) {
  constexpr std::string_view kFill = ":=";
  constexpr std::string_view kAlignments = "<>^=";
  const std::string_view inside = statement.In(text);
  for (size_t at = inside.find(kFill); at != std::string_view::npos;
       at = inside.find(kFill, at + 1)) {
    const size_t next = at + kFill.size();
    if (next >= inside.size() || kAlignments.find(inside[next]) == std::string_view::npos) continue;
    const auto fill = static_cast<uint32_t>(statement.start + at + 1);
    parts.push_back({fill, fill + 1});
  }
}

/// The brackets of `x: tuple[int, int] or int`: beside some other code the parser takes what stands
/// in front of `or` for a type, which cannot go on.
void AddBracketsOfTypes(std::string_view text, TextRange statement, std::vector<TextRange>& parts) {
  const std::string_view inside = statement.In(text);
  for (const std::string_view sign : {"] or ", "] and "}) {
    for (size_t close = inside.find(sign); close != std::string_view::npos;
         close = inside.find(sign, close + 1)) {
      int depth = 0;
      size_t open = close + 1;
      while (open > 0) {
        const char c = inside[--open];
        if (c == ']' || c == ')' || c == '}') ++depth;
        if (c == '[' || c == '(' || c == '{') --depth;
        if (depth == 0) break;
      }
      size_t name = open;
      while (name > 0 && (IsWordByte(inside[name - 1]) || inside[name - 1] == '.')) --name;
      size_t before = name;
      while (before > 0 && IsBlank(inside[before - 1])) --before;
      const bool is_type =
          name < open && before > 0 && (inside[before - 1] == ':' || inside[before - 1] == '>');
      if (depth != 0 || inside[open] != '[' || !is_type) continue;
      parts.push_back({statement.start + static_cast<uint32_t>(open),
                       statement.start + static_cast<uint32_t>(close) + 1});
    }
  }
}

bool StartsTypeParameters(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  static constexpr std::array<std::string_view, 4> kHeads = {"class ", "def ", "async ", "type "};
  return std::any_of(kHeads.begin(), kHeads.end(),
                     [&](std::string_view head) { return line.starts_with(head); });
}

/// From each `=` directly inside of the first square brackets to the comma or bracket behind it.
void AddTypeDefaults(std::string_view text, TextRange line, std::vector<TextRange>& parts) {
  if (!StartsTypeParameters(line.In(text))) return;
  const size_t open = line.In(text).find_first_of("[(:");
  if (open == std::string_view::npos || line.In(text)[open] != '[') return;
  int depth = 0;
  uint32_t start = 0;  // of the default that is being read; 0 if there is none
  for (uint32_t i = line.start + static_cast<uint32_t>(open); i < line.end; ++i) {
    const char c = text[i];
    if (c == ']' || c == ')' || c == '}') --depth;
    const bool ends = depth == 0 || (depth == 1 && c == ',');
    if (start != 0 && ends) {
      parts.push_back({start, i});
      start = 0;
    }
    if (depth == 0 && c == ']') return;
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (start == 0 && depth == 1 && c == '=') start = i;
  }
}

}  // namespace

bool NormalizeMixedTabs(std::string& text) {
  constexpr size_t kTab = 8;
  bool found = false;
  size_t start = 0;  // of the indentation, behind its last form feed
  size_t column = 0;
  bool is_mixed = false;
  bool is_indentation = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\f') {
      is_indentation = c == '\n' || is_indentation;
      start = i + 1;
      column = 0;
      is_mixed = false;
    } else if (is_indentation && c == ' ') {
      ++column;
    } else if (is_indentation && c == '\t') {
      is_mixed = is_mixed || column % kTab != 0;
      column = (column / kTab + 1) * kTab;
    } else {
      if (is_indentation && is_mixed) {
        const size_t tabs = column / kTab;
        const size_t blanks = column % kTab;
        // A form feed puts tree-sitter's count back to zero, so it can fill the front.
        text.replace(start, i - start,
                     std::string(i - start - tabs - blanks, '\f') + std::string(tabs, '\t') +
                         std::string(blanks, ' '));
        found = true;
      }
      is_indentation = false;
    }
  }
  return found;
}

std::vector<TextRange> RefusedParts(std::string_view text, const SyntaxError& error) {
  constexpr uint32_t kLongest = 4096;  // a statement that is data, or an error that is everything
  std::vector<TextRange> parts;
  const TextRange line = LineAround(text, error.range.start);
  const TextRange statement = error.doubt.size() > kLongest ? line : error.doubt;
  AddStarsOfDisplays(text, statement, parts);
  AddFillsOfFormats(text, statement, parts);
  AddBracketsOfTypes(text, statement, parts);
  AddTypeDefaults(text, line, parts);
  return parts;
}

}  // namespace transplt
