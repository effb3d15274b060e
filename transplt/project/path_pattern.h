// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// One pattern of a .gitignore file, compiled; matches byte by byte exactly as git does
/// (`gitignore(5)`), whatever the locale and whether or not the names are UTF-8.
class PathPattern {
 public:
  /// `glob` without the leading '!' and the trailing '/' of its line.
  explicit PathPattern(std::string_view glob);

  /// `path` is relative to the folder that the pattern belongs to, without a slash at its ends.
  bool Matches(std::string_view path) const;

  /// A bracket that is never closed: git takes the pattern and never matches it.
  bool malformed() const { return malformed_; }

 private:
  struct Token {
    enum class Kind { kByte, kOneOf, kStar, kAnyDepth, kAnyFolders };
    Kind kind;
    char byte = '\0';        // kByte
    std::size_t one_of = 0;  // kOneOf: an index of sets_
  };
  using ByteSet = std::bitset<256>;

  void Compile(std::string_view glob, std::size_t literal);
  void CompileStars(std::string_view glob, std::size_t literal, std::size_t& at);
  void CompileBracket(std::string_view glob, std::size_t& at);
  bool MatchesGlob(std::string_view text) const;
  bool MatchesOne(const Token& token, char byte) const;

  bool whole_path_ = false;  // holds a '/', so it is matched against the path, not the last name
  bool malformed_ = false;
  bool is_literal_ = false;  // no wildcard: compared, not matched
  bool is_suffix_ = false;   // "*.py"
  std::string text_;         // of the two above
  std::vector<Token> tokens_;
  std::vector<ByteSet> sets_;
};

}  // namespace transplt
