// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/token_text.h"

#include <utility>

namespace transplt {
namespace {

bool IsOpen(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool IsClose(std::string_view text) { return text == ")" || text == "]" || text == "}"; }

}  // namespace

std::optional<size_t> TokenText::Close(size_t open) const {
  if (!IsOpen(Of(open))) return std::nullopt;
  size_t depth = 0;
  const bool in_directive = open < size() && tokens_[open].in_directive;
  for (size_t i = open; i < size(); ++i) {
    const bool is_other_line = tokens_[i].starts_line && (in_directive || tokens_[i].in_directive);
    if (i > open && in_directive && is_other_line) return std::nullopt;
    if (!in_directive && tokens_[i].in_directive) continue;  // an #if within a call
    if (tokens_[i].kind != NativeToken::Kind::kPunctuation) continue;
    if (IsOpen(Of(i))) ++depth;
    if (IsClose(Of(i)) && --depth == 0) return i;
  }
  return std::nullopt;
}

std::optional<size_t> TokenText::CloseAngle(size_t open) const {
  size_t depth = 0;
  for (size_t i = open; i < size() && i < open + 200; ++i) {
    const std::string_view text = Of(i);
    if (text == "<") {
      ++depth;
    } else if (text == ">" || text == ">>" || text == ">>>") {
      if (text.size() > depth) return std::nullopt;
      depth -= text.size();
      if (depth == 0) return i;
    } else if (IsOpen(text)) {
      const std::optional<size_t> close = Close(i);
      if (!close || text == "{") return std::nullopt;
      i = *close;
    } else if (IsClose(text) || text == ";" || text == "&&" || text == "||") {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<std::pair<size_t, size_t>> TokenText::Arguments(size_t open, size_t close) const {
  std::vector<std::pair<size_t, size_t>> arguments;
  size_t start = open + 1;
  for (size_t i = start; i < close; ++i) {
    const std::string_view text = Of(i);
    if (IsOpen(text)) {
      i = Close(i).value_or(close);
    } else if (text == "<" && IsName(i - 1)) {
      // `a < b, c > (d)` is taken for a template only where it cannot be two comparisons.
      const std::optional<size_t> end = CloseAngle(i);
      if (!end || *end >= close) continue;
      const std::string_view next = Of(*end + 1);
      if (next == "(" || next == "::" || next == "{" || next == ")" || next == ",") i = *end;
    } else if (text == ",") {
      arguments.emplace_back(start, i);
      start = i + 1;
    }
  }
  if (start < close || !arguments.empty()) arguments.emplace_back(start, close);
  return arguments;
}

std::string_view TokenText::DirectiveOf(size_t i) const {
  if (i >= size() || !tokens_[i].in_directive) return {};
  while (i > 0 && !(tokens_[i].starts_line && Is(i, "#"))) --i;
  return Of(i + 1);
}

}  // namespace transplt
