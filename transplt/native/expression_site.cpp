// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/expression_site.h"

namespace transplt {
namespace {

/// The bracket around the argument that begins with token `first`; nothing at a border of what is
/// written in one piece.
std::optional<size_t> OpenAround(const TokenText& text, size_t first) {
  size_t depth = 0;
  for (size_t i = first; i-- > 0;) {
    if (text[i].in_directive != text[first].in_directive || text.Is(i, ";")) return std::nullopt;
    if (text.Is(i, ")") || text.Is(i, "]") || text.Is(i, "}")) ++depth;
    const bool opens = text.Is(i, "(") || text.Is(i, "[") || text.Is(i, "{");
    if (opens && depth-- == 0) return text.Is(i, "(") ? std::optional<size_t>(i) : std::nullopt;
  }
  return std::nullopt;
}

/// True if an #if stands among the tokens of one call.
bool HasDirective(const TokenText& text, size_t open, size_t close) {
  for (size_t i = open; i < close; ++i) {
    if (text[i].in_directive != text[open].in_directive) return true;
  }
  return false;
}

std::optional<ExpressionSite> SiteOfArgument(const NativeRule& rule, const TokenText& text,
                                             size_t first, size_t close, const IsOneOf& is_one_of) {
  const bool begins = first > 1 && (text.Is(first - 1, "(") || text.Is(first - 1, ","));
  const std::optional<size_t> open = begins ? OpenAround(text, first) : std::nullopt;
  if (!open || *open == 0 || !is_one_of(*open - 1, rule.argument_of)) return std::nullopt;
  const std::optional<size_t> end = text.Close(*open);
  if (!end || HasDirective(text, *open, *end)) return std::nullopt;
  const TextRange whole = {text[first].range.start, text[close].range.end};
  const bool is_first = *open + 1 == first;
  if (!is_first && (close + 1 == *end || text.Is(close + 1, ","))) {
    return ExpressionSite{whole, "", std::nullopt};
  }
  if (!is_first || !text.Is(close + 1, ",")) return std::nullopt;
  return ExpressionSite{{whole.start, text[close + 2].range.start}, "", text[*end - 1].range.end};
}

std::optional<ExpressionSite> SiteBeforeMember(const NativeRule& rule, const TokenText& text,
                                               size_t first, size_t close) {
  const auto call = rule.member_calls.find(std::string(text.Of(close + 2)));
  if (call == rule.member_calls.end() || !text.Is(close + 3, "(")) return std::nullopt;
  const std::optional<size_t> end = text.Close(close + 3);
  if (!end || HasDirective(text, first, *end)) return std::nullopt;
  const uint32_t start = text[first].range.start;
  const bool has_arguments = close + 4 != *end;
  if (has_arguments == call->second.empty()) return std::nullopt;
  if (!has_arguments) return ExpressionSite{{start, text[*end].range.end}, "", std::nullopt};
  return ExpressionSite{
      {start, text[close + 3].range.end}, call->second + "(", text[*end - 1].range.end};
}

}  // namespace

std::vector<Edit> ExpressionSite::EditsFor(const std::string& expression) const {
  if (!behind) return {{taken, expression}};
  return {{taken, call}, {{*behind, *behind}, ", " + expression}};
}

std::optional<ExpressionSite> SiteOf(const NativeRule& rule, const TokenText& text, size_t first,
                                     size_t close, const IsOneOf& is_one_of) {
  if (text.Is(close + 1, ".")) return SiteBeforeMember(rule, text, first, close);
  return SiteOfArgument(rule, text, first, close, is_one_of);
}

}  // namespace transplt
