// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/source_lines.h"

#include <algorithm>
#include <array>

#include "transplt/base/ascii.h"
#include "transplt/base/one_of.h"

namespace transplt {
namespace {

std::string_view FirstWord(std::string_view code) {
  size_t end = 0;
  while (end < code.size() && IsWordByte(code[end])) ++end;
  return code.substr(0, end);
}

/// What follows the first word, without blanks on either side.
std::string_view AfterFirstWord(std::string_view code) {
  code.remove_prefix(FirstWord(code).size());
  const size_t first = std::min(code.find_first_not_of(" \t"), code.size());
  code.remove_prefix(first);
  while (!code.empty() && (code.back() == ' ' || code.back() == '\t')) code.remove_suffix(1);
  return code;
}

/// `a.b as c, d`, as it follows `import`; no word of prose is followed by another one.
bool IsListOfModules(std::string_view text) {
  bool after_word = false;
  while (!text.empty()) {
    const std::string_view word = FirstWord(text);
    if (!word.empty()) {
      if (after_word && word != "as") return false;
      after_word = word != "as";
      text.remove_prefix(word.size());
    } else if (text.front() == ' ') {
      text.remove_prefix(1);
    } else if (text.front() == ',' || text.front() == '.') {
      after_word = false;
      text.remove_prefix(1);
    } else {
      return text.front() == '#';
    }
  }
  return true;
}

}  // namespace

SourceLines::SourceLines(std::string_view text) : text_(text) {
  const auto size = static_cast<uint32_t>(text.size());
  for (uint32_t start = 0; start <= size;) {
    const size_t newline = text.find('\n', start);
    uint32_t end = newline == std::string_view::npos ? size : static_cast<uint32_t>(newline);
    const uint32_t next = end + 1;
    if (end > start && text[end - 1] == '\r') --end;
    uint32_t first = start;
    while (first < end && (text[first] == ' ' || text[first] == '\t' || text[first] == '\f')) {
      ++first;
    }
    lines_.push_back({start, end, first - start, first == end || text[first] == '#'});
    start = next;
  }
}

size_t SourceLines::LineOf(uint32_t offset) const {
  auto after = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                [](uint32_t o, const Line& line) { return o < line.start; });
  return static_cast<size_t>(after - lines_.begin()) - 1;
}

std::string_view SourceLines::Code(size_t index) const {
  const Line& line = lines_[index];
  return text_.substr(line.start + line.indent, line.end - line.start - line.indent);
}

bool SourceLines::IsFunction(size_t index) const {
  const std::string_view code = Code(index);
  const std::string_view word = FirstWord(code);
  return word == "def" || (word == "async" && FirstWord(AfterFirstWord(code)) == "def");
}

bool SourceLines::IsDecorator(size_t index) const { return Code(index).starts_with('@'); }

bool SourceLines::HoldsStatements(size_t index) const {
  static constexpr std::array<std::string_view, 8> kHeads = {"class", "def",   "async", "if",
                                                             "for",   "while", "with",  "try"};
  return IsOneOf(FirstWord(Code(index)), kHeads);
}

bool SourceLines::StartsStatement(size_t index) const {
  static constexpr std::array<std::string_view, 16> kKeywords = {
      "def",  "class",  "import", "return", "with",     "while",  "raise",    "del",
      "pass", "assert", "break",  "elif",   "continue", "global", "nonlocal", "try"};
  return IsOneOf(FirstWord(Code(index)), kKeywords) || IsDecorator(index);
}

bool SourceLines::ContinuesStatement(size_t index) const {
  static constexpr std::array<std::string_view, 4> kClauses = {"else", "elif", "except", "finally"};
  const std::string_view code = Code(index);
  if (code.empty()) return false;
  return std::string_view(")]}").find(code.front()) != std::string_view::npos ||
         IsOneOf(FirstWord(code), kClauses);
}

bool SourceLines::LooksLikeCode(size_t index) const {
  static constexpr std::array<std::string_view, 9> kHeads = {
      "if", "for", "while", "with", "try", "else", "elif", "except", "class"};
  const std::string_view code = Code(index);
  const std::string_view word = FirstWord(code);
  const std::string_view rest = AfterFirstWord(code);
  if (IsFunction(index)) return rest.find('(') != std::string_view::npos;
  if (word == "import") return !rest.empty() && IsListOfModules(rest);
  if (word == "from") return rest.find(" import ") != std::string_view::npos;
  if (IsOneOf(word, kHeads)) return rest.ends_with(':');
  return code.size() > 1 && code[0] == '@' && IsWordByte(code[1]);
}

bool SourceLines::IsForeign(size_t index) const {
  const std::string_view code = Code(index);
  if (code.size() < 2) return false;
  if (code[0] == '!') return true;
  if (code[0] == '%') return code[1] == '%' || (IsWordByte(code[1]) && (code[1] & 0x80) == 0);
  return code.starts_with("{%") || code.starts_with("{#");
}

}  // namespace transplt
