// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace transplt {
namespace {

constexpr std::array<std::string_view, 25> kOperators = {
    "<<<", ">>>", "<=>", "...", "->*", "<<=", ">>=", "::", "->", "<<", ">>", "<=", ">=",
    "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=",  "/=", "##", "++", "--", ".*"};

bool StartsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsOfName(char c) { return StartsName(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<NativeToken> Run() {
    if (source_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (SkipBlanks()) Take();
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool IsAt(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  /// The number of bytes of a backslash with the line end that follows it, else 0.
  size_t Splice() const {
    if (Peek() != '\\') return 0;
    size_t size = 1;
    while (Peek(size) == ' ' || Peek(size) == '\t') ++size;
    if (Peek(size) == '\r') ++size;
    return Peek(size) == '\n' ? size + 1 : 0;
  }

  /// To the next token; false at the end.
  bool SkipBlanks() {
    while (at_ < source_.size()) {
      if (const size_t splice = Splice(); splice > 0) {
        at_ += splice;
      } else if (Peek() == '\n') {
        ++at_;
        starts_line_ = true;
        in_directive_ = false;
      } else if (std::isspace(static_cast<unsigned char>(Peek())) != 0) {
        ++at_;
      } else if (IsAt("//")) {
        SkipLine();
      } else if (IsAt("/*")) {
        SkipComment();
      } else {
        return true;
      }
    }
    return false;
  }

  void SkipLine() {
    while (at_ < source_.size() && Peek() != '\n') {
      const size_t splice = Splice();
      at_ += splice > 0 ? splice : 1;
    }
  }

  void SkipComment() {
    const size_t end = source_.find("*/", at_ + 2);
    const size_t behind = end == std::string_view::npos ? source_.size() : end + 2;
    if (source_.substr(at_, behind - at_).find('\n') != std::string_view::npos && !in_directive_) {
      starts_line_ = true;
    }
    at_ = behind;
  }

  void Take() {
    const size_t start = at_;
    NativeToken token;
    token.starts_line = starts_line_;
    if (starts_line_ && Peek() == '#') in_directive_ = true;
    token.in_directive = in_directive_;
    starts_line_ = false;
    token.kind = Read();
    if (at_ == start) ++at_;
    token.range = {static_cast<uint32_t>(start), static_cast<uint32_t>(at_)};
    tokens_.push_back(token);
  }

  NativeToken::Kind Read() {
    using Kind = NativeToken::Kind;
    const char c = Peek();
    if (IsHeaderNext() && (c == '<' || c == '"')) return ReadHeader(c == '<' ? '>' : '"');
    if (StartsName(c)) return ReadName();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(Peek(1))) != 0)) {
      return ReadNumber();
    }
    if (c == '"' || c == '\'') return ReadText(c);
    for (std::string_view text : kOperators) {
      if (!IsAt(text)) continue;
      at_ += text.size();
      return Kind::kPunctuation;
    }
    ++at_;
    return Kind::kPunctuation;
  }

  /// True behind `# include` and `# import`.
  bool IsHeaderNext() const {
    if (!in_directive_ || tokens_.size() < 2) return false;
    const NativeToken& hash = tokens_[tokens_.size() - 2];
    const std::string_view word = tokens_.back().range.In(source_);
    return hash.starts_line && hash.in_directive && hash.range.In(source_) == "#" &&
           tokens_.back().in_directive &&
           (word == "include" || word == "include_next" || word == "import");
  }

  NativeToken::Kind ReadHeader(char end) {
    ++at_;
    while (at_ < source_.size() && Peek() != end && Peek() != '\n') ++at_;
    if (Peek() == end) ++at_;
    return NativeToken::Kind::kHeader;
  }

  NativeToken::Kind ReadName() {
    const size_t start = at_;
    while (at_ < source_.size() && IsOfName(Peek())) ++at_;
    const std::string_view name = source_.substr(start, at_ - start);
    if (Peek() != '"' && Peek() != '\'') return NativeToken::Kind::kName;
    const bool is_raw = name.ends_with('R') && Peek() == '"';
    const std::string_view prefix = is_raw ? name.substr(0, name.size() - 1) : name;
    if (prefix != "" && prefix != "L" && prefix != "u" && prefix != "U" && prefix != "u8") {
      return NativeToken::Kind::kName;
    }
    return is_raw ? ReadRawText() : ReadText(Peek());
  }

  NativeToken::Kind ReadNumber() {
    while (at_ < source_.size()) {
      const char c = Peek();
      const bool is_exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (is_exponent && (Peek(1) == '+' || Peek(1) == '-')) {
        at_ += 2;
      } else if (IsOfName(c) || c == '.' || (c == '\'' && IsOfName(Peek(1)))) {
        ++at_;
      } else {
        break;
      }
    }
    return NativeToken::Kind::kNumber;
  }

  /// A text without its end ends with its line.
  NativeToken::Kind ReadText(char quote) {
    ++at_;
    while (at_ < source_.size() && Peek() != quote && Peek() != '\n') {
      const size_t splice = Splice();
      at_ += splice > 0 ? splice : Peek() == '\\' && Peek(1) != '\n' ? 2 : 1;
    }
    if (Peek() == quote) ++at_;
    at_ = std::min(at_, source_.size());
    return NativeToken::Kind::kText;
  }

  NativeToken::Kind ReadRawText() {
    const size_t open = source_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return ReadText('"');
    std::string end = ")";
    end += source_.substr(at_ + 1, open - at_ - 1);
    end += '"';
    const size_t found = source_.find(end, open);
    at_ = found == std::string_view::npos ? source_.size() : found + end.size();
    return NativeToken::Kind::kText;
  }

  const std::string_view source_;
  size_t at_ = 0;
  bool starts_line_ = true;
  bool in_directive_ = false;
  std::vector<NativeToken> tokens_;
};

}  // namespace

std::vector<NativeToken> TokensOf(std::string_view source) { return Lexer(source).Run(); }

}  // namespace transplt
