// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/pattern.h"

#include <regex>
#include <utility>

namespace transplt {

class Pattern::Expression : public std::regex {
 public:
  using std::regex::regex;
};

Pattern::Pattern(const std::string& expression, Case letters) {
  auto flags = std::regex::ECMAScript | std::regex::optimize;
  if (letters == Case::kIgnored) flags |= std::regex::icase;
  expression_ = std::make_shared<const Expression>(expression, flags);
}

bool Pattern::IsIn(std::string_view text) const {
  return std::regex_search(text.data(), text.data() + text.size(), *expression_);
}

bool Pattern::Is(std::string_view text) const {
  return std::regex_match(text.data(), text.data() + text.size(), *expression_);
}

std::optional<PatternMatch> Pattern::Find(std::string_view text, size_t from) const {
  const auto flags =
      from == 0 ? std::regex_constants::match_default : std::regex_constants::match_prev_avail;
  std::cmatch found;
  if (!std::regex_search(text.data() + from, text.data() + text.size(), found, *expression_,
                         flags)) {
    return std::nullopt;
  }
  PatternMatch match{
      from + static_cast<size_t>(found.position()), static_cast<size_t>(found.length()), {}};
  for (size_t group = 1; group < found.size(); ++group) match.groups.push_back(found.str(group));
  return match;
}

std::vector<PatternMatch> Pattern::FindAll(std::string_view text) const {
  std::vector<PatternMatch> matches;
  size_t from = 0;
  while (from <= text.size()) {
    std::optional<PatternMatch> match = Find(text, from);
    if (!match) break;
    from = match->end() + (match->length == 0 ? 1 : 0);
    matches.push_back(*std::move(match));
  }
  return matches;
}

}  // namespace transplt
