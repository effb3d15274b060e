// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/broken_part.h"

#include <algorithm>
#include <array>

namespace transplt {
namespace {

bool StartsWithWord(std::string_view line, std::string_view word) {
  return line.starts_with(word) &&
         (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
}

}  // namespace

BrokenParts::BrokenParts(std::string_view text) : text_(text) {}

void BrokenParts::ReadLines() {
  if (!lines_.empty()) return;
  uint32_t start = 0;
  const auto size = static_cast<uint32_t>(text_.size());
  while (start <= size) {
    size_t newline = text_.find('\n', start);
    uint32_t end = newline == std::string_view::npos ? size : static_cast<uint32_t>(newline);
    const uint32_t next = end + 1;
    if (end > start && text_[end - 1] == '\r') --end;
    uint32_t first = start;
    while (first < end && (text_[first] == ' ' || text_[first] == '\t' || text_[first] == '\f')) {
      ++first;
    }
    lines_.push_back({start, end, first - start, first == end || text_[first] == '#'});
    start = next;
  }
}

size_t BrokenParts::LineOf(uint32_t offset) const {
  auto after = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                [](uint32_t o, const Line& line) { return o < line.start; });
  return static_cast<size_t>(after - lines_.begin()) - 1;
}

std::string_view BrokenParts::Code(const Line& line) const {
  return text_.substr(line.start + line.indent, line.end - line.start - line.indent);
}

bool BrokenParts::IsDefinition(const Line& line) const {
  std::string_view code = Code(line);
  return StartsWithWord(code, "def") || StartsWithWord(code, "class") ||
         StartsWithWord(code, "async");
}

TextRange BrokenParts::StatementAround(TextRange error) {
  ReadLines();
  const Line& first = lines_[LineOf(error.start)];
  const Line& last = lines_[LineOf(std::max(error.start, error.end == 0 ? 0 : error.end - 1))];
  return {first.start + first.indent, std::max(last.end, first.start + first.indent)};
}

std::pair<size_t, size_t> BrokenParts::PartAround(size_t line, uint32_t limit) const {
  // Up to the definition that holds the line, or to the statement itself at the margin.
  size_t first = line;
  while (first > 0 &&
         (lines_[first].blank || lines_[first].indent > limit || IsContinuation(lines_[first]) ||
          (lines_[first].indent > 0 && !IsDefinition(lines_[first])))) {
    --first;
  }
  const uint32_t indent = lines_[first].indent;
  while (first > 0 && lines_[first - 1].indent == indent && Code(lines_[first - 1]).starts_with('@')) {
    --first;
  }
  // Down to the next line that is not part of it.
  size_t last = line + 1;
  while (last < lines_.size() && (lines_[last].blank || lines_[last].indent > indent ||
                                  IsContinuation(lines_[last]))) {
    ++last;
  }
  while (last > line + 1 && lines_[last - 1].blank) --last;
  return {first, last};
}

bool BrokenParts::IsContinuation(const Line& line) const {
  std::string_view code = Code(line);
  if (code.empty()) return false;
  static constexpr std::array<std::string_view, 4> kClauses = {"else", "elif", "except", "finally"};
  return std::string_view(")]}").find(code.front()) != std::string_view::npos ||
         std::any_of(kClauses.begin(), kClauses.end(),
                     [&](std::string_view word) { return code.starts_with(word); });
}

bool BrokenParts::Hide(std::string& masked, const std::vector<TextRange>& errors) {
  ReadLines();
  for (TextRange error : errors) {
    size_t line = LineOf(error.start);
    const size_t last_line = LineOf(error.end > error.start ? error.end - 1 : error.start);
    if (line == last_line) continue;
    if (std::optional<uint32_t> culprit = UnclosedBefore(masked, error)) line = LineOf(*culprit);
    // The part around the line; if that is hidden already, what holds the part; then the margin.
    for (uint32_t limit = lines_[line].indent;;) {
      auto [first, last] = PartAround(line, limit);
      const TextRange range{lines_[first].start, lines_[last - 1].end};
      const bool hidden = std::any_of(hidden_.begin(), hidden_.end(),
                                      [&](TextRange h) { return h.Contains(range); });
      if (!hidden) {
        HideLines(masked, first, last);
        return true;
      }
      if (lines_[first].indent == 0) break;
      limit = lines_[first].indent - 1;
    }
  }
  return false;
}

/// An opening bracket or quote that a later line proves to be unclosed: a line that starts a
/// definition, a class or an import at or left of the line of the bracket cannot stand inside it.
std::optional<uint32_t> BrokenParts::UnclosedBefore(std::string_view text, TextRange error) const {
  struct Open {
    uint32_t offset;
    size_t line;
  };
  std::vector<Open> stack;
  char quote = 0;  // inside a string: its quote
  bool triple = false;
  uint32_t string_start = 0;
  for (size_t n = 0; n < lines_.size(); ++n) {
    const Line& line = lines_[n];
    if (quote == 0 && !stack.empty() && !line.blank && StartsStatement(line) &&
        line.indent <= lines_[stack.back().line].indent) {
      if (line.start > error.start) return stack.front().offset;
      stack.clear();
    }
    for (uint32_t i = line.start; i < line.end; ++i) {
      const char c = text[i];
      if (quote != 0) {
        if (c == '\\') {
          ++i;
        } else if (c == quote && (!triple || text.substr(i, 3) == std::string(3, quote))) {
          i += triple ? 2 : 0;
          quote = 0;
        }
      } else if (c == '#') {
        break;
      } else if (c == '"' || c == '\'') {
        quote = c;
        triple = text.substr(i, 3) == std::string(3, c);
        string_start = i;
        i += triple ? 2 : 0;
      } else if (c == '(' || c == '[' || c == '{') {
        stack.push_back({i, n});
      } else if ((c == ')' || c == ']' || c == '}') && !stack.empty()) {
        stack.pop_back();
      }
    }
    const bool continues = line.end > line.start && text[line.end - 1] == '\\';
    if (quote != 0 && !triple && !continues) quote = 0;
  }
  if (quote != 0) return string_start;
  if (!stack.empty()) return stack.front().offset;
  return std::nullopt;
}

bool BrokenParts::StartsStatement(const Line& line) const {
  std::string_view code = Code(line);
  static constexpr std::array<std::string_view, 9> kWords = {
      "def", "class", "import", "return", "with", "while", "raise", "try:", "@"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return word == "@" ? code.starts_with(word) : StartsWithWord(code, word);
  });
}

void BrokenParts::HideLines(std::string& masked, size_t first, size_t last) {
  const TextRange range{lines_[first].start, lines_[last - 1].end};
  for (uint32_t i = range.start; i < range.end; ++i) {
    if (masked[i] != '\n' && masked[i] != '\r') masked[i] = ' ';
  }
  // A block must not become empty: `pass` takes the place of the first statement.
  const Line& head = lines_[first];
  constexpr std::string_view kPass = "pass";
  if (head.end - head.start - head.indent >= kPass.size()) {
    masked.replace(head.start + head.indent, kPass.size(), kPass);
  }
  std::erase_if(hidden_, [&](TextRange h) { return range.Contains(h); });
  hidden_.insert(std::lower_bound(hidden_.begin(), hidden_.end(), range,
                                  [](TextRange a, TextRange b) { return a.start < b.start; }),
                 {range.start + head.indent, range.end});
}

}  // namespace transplt
