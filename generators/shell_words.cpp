// SPDX-License-Identifier: Apache-2.0
#include "generators/shell_words.h"

#include <cctype>
#include <string>

namespace transplt {
namespace {

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Reads the words as bash would, as far as it must to see where they end.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::optional<Text> Read() {
    while (at_ < text_.size() && !problem_) ReadOne();
    return std::move(problem_);
  }

 private:
  void ReadOne() {
    const char c = text_[at_];
    const bool starts_word = at_ == 0 || text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t';
    constexpr std::string_view kOperators = ";&|<>()\n\r";
    if (c == '\\') {
      SkipBackslash();
    } else if (c == '\'') {
      SkipSingleQuotes();
    } else if (c == '"') {
      SkipDoubleQuotes();
    } else if (c == '$' || c == '`') {
      SkipExpansion(false);
    } else if (kOperators.find(c) != kOperators.npos) {
      Refuse(Say("has the operator {} of the shell; put quotes around it",
                 "含有 shell 运算符 {}；请加引号", c == '\n' ? "\\n" : std::string(1, c)));
    } else if (c == '#' && starts_word) {
      Refuse(Say("has a comment of the shell from \"#\" on; put quotes around it",
                 "\"#\" 之后会成为 shell 注释；请加引号"));
    } else {
      ++at_;
    }
  }

  void SkipBackslash() {
    if (at_ + 1 >= text_.size()) {
      Refuse(Say("ends with a backslash", "以反斜杠结尾"));
      return;
    }
    at_ += 2;
  }

  void SkipSingleQuotes() {
    const size_t end = text_.find('\'', at_ + 1);
    if (end == text_.npos) return RefuseOpenQuote('\'');
    at_ = end + 1;
  }

  void SkipDoubleQuotes() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && !problem_) {
      if (text_[at_] == '\\') {
        SkipBackslash();
      } else if (text_[at_] == '$' || text_[at_] == '`') {
        SkipExpansion(true);
      } else {
        ++at_;
      }
    }
    if (problem_) return;
    if (at_ >= text_.size()) return RefuseOpenQuote('"');
    ++at_;
  }

  /// $NAME, ${NAME}, or a "$" alone.
  void SkipExpansion(bool is_quoted) {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
    const bool starts_quote = !is_quoted && (next == '\'' || next == '"');
    if (text_[at_] == '`' || next == '(' || next == '[' || starts_quote) {
      Refuse(
          Say("has a substitution of the shell ({}); write its result, or put single quotes "
              "around it",
              "含有 shell 替换（{}）；请写出其结果，或加单引号",
              std::string(text_.substr(at_, text_[at_] == '`' ? 1 : 2))));
      return;
    }
    if (next != '{') {
      ++at_;
      return;
    }
    size_t end = at_ + 2;
    while (end < text_.size() && IsNameCharacter(text_[end])) ++end;
    if (end == at_ + 2 || end >= text_.size() || text_[end] != '}') {
      Refuse(Say("has \"${{\" without a plain name and \"}}\"; write ${{NAME}}",
                 "\"${{\" 之后应为变量名与 \"}}\"；请写 ${{NAME}}"));
      return;
    }
    at_ = end + 1;
  }

  void RefuseOpenQuote(char quote) {
    Refuse(Say("has a {} that is not closed", "引号 {} 未闭合", std::string(1, quote)));
  }

  void Refuse(Text why) { problem_ = std::move(why); }

  std::string_view text_;
  size_t at_ = 0;
  std::optional<Text> problem_;
};

}  // namespace

std::optional<Text> WhyNotShellWords(std::string_view text) { return WordReader(text).Read(); }

}  // namespace transplt
