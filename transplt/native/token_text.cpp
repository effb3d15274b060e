// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/token_text.h"

#include <algorithm>
#include <utility>

namespace transplt {
namespace {

bool IsOpen(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool IsClose(std::string_view text) { return text == ")" || text == "]" || text == "}"; }

}  // namespace

void TokenText::FindPairs() const {
  has_pairs_ = true;
  others_.assign(size(), kNone);
  directives_.assign(size(), kNone);
  std::vector<uint32_t> open_in_code;  // goes on behind an #if within a call
  std::vector<uint32_t> open_in_directive;
  uint32_t directive = kNone;
  for (uint32_t i = 0; i < size(); ++i) {
    const bool in_directive = tokens_[i].in_directive;
    if (tokens_[i].starts_line) open_in_directive.clear();
    if (in_directive && tokens_[i].starts_line && Is(i, "#")) directive = i;
    if (in_directive) directives_[i] = directive;
    if (tokens_[i].kind != NativeToken::Kind::kPunctuation) continue;
    std::vector<uint32_t>& open = in_directive ? open_in_directive : open_in_code;
    if (IsOpen(Of(i))) {
      open.push_back(i);
    } else if (IsClose(Of(i)) && !open.empty()) {
      others_[open.back()] = i;
      others_[i] = open.back();
      open.pop_back();
    }
  }
}

size_t TokenText::FirstFrom(uint32_t offset) const {
  const auto first = std::ranges::lower_bound(
      tokens_, offset, {}, [](const NativeToken& token) { return token.range.start; });
  return static_cast<size_t>(first - tokens_.begin());
}

std::optional<size_t> TokenText::Close(size_t open) const {
  if (!has_pairs_) FindPairs();
  if (open >= size() || others_[open] == kNone || others_[open] < open) return std::nullopt;
  return others_[open];
}

std::optional<size_t> TokenText::Open(size_t close) const {
  if (!has_pairs_) FindPairs();
  if (close >= size() || others_[close] == kNone || others_[close] > close) return std::nullopt;
  return others_[close];
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

std::optional<size_t> TokenText::HashOf(size_t i) const {
  if (!has_pairs_) FindPairs();
  if (i >= size() || directives_[i] == kNone) return std::nullopt;
  return directives_[i];
}

std::string_view TokenText::DirectiveOf(size_t i) const {
  const std::optional<size_t> hash = HashOf(i);
  return hash ? Of(*hash + 1) : std::string_view();
}

}  // namespace transplt
