// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/open_end.h"

#include <algorithm>

#include "transplt/native/token_text.h"

namespace transplt {
namespace {

/// An #if that is open, and whether its branch at hand is the one that counts.
struct OpenIf {
  TextRange range;
  bool counts = true;
  bool is_dead = false;  // `#if 0`, so that the next branch counts
};

TextRange PlaceOfDirective(const TokenText& text, size_t hash) {
  return {text[hash].range.start, text[hash + 1].range.end};
}

}  // namespace

std::optional<TextRange> OpenEndIn(std::string_view source,
                                   const std::vector<NativeToken>& tokens) {
  const TokenText text(source, tokens);
  std::vector<OpenIf> conditions;
  std::vector<TextRange> braces;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i].starts_line && text.Is(i, "#") && i + 1 < text.size()) {
      const std::string_view word = text.Of(i + 1);
      if (word == "if" || word == "ifdef" || word == "ifndef") {
        const bool is_dead = word == "if" && text.Is(i + 2, "0");
        conditions.push_back({PlaceOfDirective(text, i), !is_dead, is_dead});
      } else if (word == "endif" || word.starts_with("el")) {
        if (conditions.empty()) return PlaceOfDirective(text, i);
        OpenIf& open = conditions.back();
        open.counts = open.is_dead;
        open.is_dead = false;
        if (word == "endif") conditions.pop_back();
      }
    }
    const bool counts = !text[i].in_directive && std::ranges::all_of(conditions, &OpenIf::counts);
    if (!counts) continue;
    if (text.Is(i, "{")) braces.push_back(text[i].range);
    if (!text.Is(i, "}")) continue;
    if (braces.empty()) return text[i].range;
    braces.pop_back();
  }
  if (!conditions.empty()) return conditions.front().range;
  return braces.empty() ? std::nullopt : std::optional<TextRange>(braces.front());
}

}  // namespace transplt
