// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/conditions.h"

#include <algorithm>

namespace transplt {
namespace {

/// What a chain of #elif may grow to.
constexpr size_t kLongest = 1000;

/// The directive whose `#` is token `hash`, in one way of writing it.
std::string DirectiveAt(const TokenText& text, size_t hash) {
  size_t behind = hash + 1;
  while (behind < text.size() && !text[behind].starts_line) ++behind;
  const bool is_not = text.Is(hash + 1, "if") && text.Is(hash + 2, "!");
  const size_t word = hash + (is_not ? 3 : 2);
  if (text.Is(hash + 1, "if") && text.Is(word, "defined")) {
    const bool has_brackets = text.Is(word + 1, "(");
    const size_t name = word + (has_brackets ? 2 : 1);
    if (behind == name + (has_brackets ? 2 : 1)) {
      return (is_not ? "ifndef " : "ifdef ") + std::string(text.Of(name));
    }
  }
  if (behind == hash + 1) return "";
  const TextRange range = {text[hash + 1].range.start, text[behind - 1].range.end};
  return std::string(range.In(text.source()));
}

}  // namespace

Conditions::Conditions(const TokenText& text) {
  size_t innermost = kNone;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!text[i].starts_line || !text.Is(i, "#")) continue;
    const std::string_view word = text.Of(i + 1);
    const bool is_other = word == "else" || word.starts_with("elif");
    if (!is_other && word != "endif" && !word.starts_with("if")) continue;
    std::string before;
    if ((is_other || word == "endif") && innermost != kNone) {
      before = conditions_[innermost].text;
      if (before.size() > kLongest) before = std::to_string(innermost);
      innermost = conditions_[innermost].parent;
    }
    if (is_other) {
      conditions_.push_back({innermost, "else " + DirectiveAt(text, i) + " of " + before});
    } else if (word != "endif") {
      conditions_.push_back({innermost, DirectiveAt(text, i)});
    }
    if (word != "endif") innermost = conditions_.size() - 1;
    changes_.push_back({text[i].range.start, innermost});
  }
}

size_t Conditions::InnermostAt(uint32_t offset) const {
  const auto behind = std::ranges::upper_bound(changes_, offset, {}, &Change::offset);
  return behind == changes_.begin() ? kNone : std::prev(behind)->innermost;
}

std::vector<std::string> Conditions::At(uint32_t offset) const {
  std::vector<std::string> result;
  for (size_t i = InnermostAt(offset); i != kNone; i = conditions_[i].parent) {
    result.push_back(conditions_[i].text);
  }
  std::ranges::reverse(result);
  return result;
}

bool Conditions::IsWithout(uint32_t offset, std::string_view name) const {
  const std::string is_not = "ifndef " + std::string(name);
  const std::string other = " of ifdef " + std::string(name);
  for (size_t i = InnermostAt(offset); i != kNone; i = conditions_[i].parent) {
    const std::string& text = conditions_[i].text;
    if (text == is_not || (text.starts_with("else ") && text.ends_with(other))) return true;
  }
  return false;
}

bool Conditions::Needs(uint32_t offset, std::string_view name) const {
  const std::string asked(name);
  for (size_t i = InnermostAt(offset); i != kNone; i = conditions_[i].parent) {
    const std::string& text = conditions_[i].text;
    if (text == "ifdef " + asked || text.starts_with("if defined(" + asked + ") && ") ||
        text.starts_with("else elif defined(" + asked + ") of ")) {
      return true;
    }
  }
  return false;
}

bool Conditions::Implies(uint32_t later, uint32_t earlier) const {
  const size_t asked = InnermostAt(earlier);
  size_t condition = InnermostAt(later);
  while (condition != asked && condition != kNone) condition = conditions_[condition].parent;
  return condition == asked;
}

bool AreAmong(const std::vector<std::string>& conditions, const std::vector<std::string>& others) {
  return std::ranges::all_of(conditions, [&](const std::string& condition) {
    return std::ranges::find(others, condition) != others.end();
  });
}

}  // namespace transplt
