// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// A place where a Pattern has matched.
struct PatternMatch {
  size_t position = 0;
  size_t length = 0;
  std::vector<std::string> groups;  ///< from the first; empty where it took no part

  size_t end() const { return position + length; }
  std::string_view In(std::string_view text) const { return text.substr(position, length); }
};

/// A regular expression of ECMAScript, by std::regex, which is slow to compile and therefore kept
/// to pattern.cpp.
class Pattern {
 public:
  enum class Case { kKept, kIgnored };

  /// Throws std::regex_error if `expression` is wrong: check those of users before.
  explicit Pattern(const std::string& expression, Case letters = Case::kKept);

  /// True if it matches anywhere in `text`.
  bool IsIn(std::string_view text) const;
  /// True if it matches the whole of `text`.
  bool Is(std::string_view text) const;
  /// The first match that starts at `from` or later.
  std::optional<PatternMatch> Find(std::string_view text, size_t from = 0) const;
  std::vector<PatternMatch> FindAll(std::string_view text) const;

 private:
  class Expression;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace transplt
