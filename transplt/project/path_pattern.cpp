// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/path_pattern.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace transplt {
namespace {

constexpr std::string_view kSpecial = "*?[\\";

/// [first, last] pairs of bytes: the classes of POSIX in the C locale, which git uses.
struct NamedClass {
  std::string_view name;
  std::string_view ranges;
};
constexpr std::array<NamedClass, 12> kClasses = {{
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"blank", "  \t\t"},
    {"cntrl", std::string_view("\x00\x1f\x7f\x7f", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"xdigit", "09AFaf"},
}};

std::size_t Index(char byte) { return static_cast<unsigned char>(byte); }

std::optional<std::string_view> RangesOf(std::string_view name) {
  for (const NamedClass& named : kClasses) {
    if (named.name == name) return named.ranges;
  }
  return std::nullopt;
}

void Include(std::bitset<256>& set, char first, char last) {
  for (std::size_t i = Index(first); i <= Index(last); ++i) set.set(i);
}

/// Reads "[:name:]" at `at` into `set` and goes behind it. False: not a class but the byte '['.
/// Nullopt: git calls the bracket malformed.
std::optional<bool> ReadClass(std::string_view glob, std::size_t& at, std::bitset<256>& set) {
  if (!glob.substr(at).starts_with("[:")) return false;
  const std::size_t close = glob.find(']', at + 2);
  if (close == std::string_view::npos) return std::nullopt;
  if (close == at + 2 || glob[close - 1] != ':') return false;
  const auto ranges = RangesOf(glob.substr(at + 2, close - 1 - (at + 2)));
  if (!ranges) return std::nullopt;
  for (std::size_t i = 0; i < ranges->size(); i += 2) Include(set, (*ranges)[i], (*ranges)[i + 1]);
  at = close + 1;
  return true;
}

/// The bracket expression that begins at `at` (its '['); nullopt if git calls it malformed.
/// Leaves `at` behind the closing bracket.
std::optional<std::bitset<256>> ReadBracket(std::string_view glob, std::size_t& at) {
  std::bitset<256> set;
  ++at;
  const bool negated = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
  if (negated) ++at;
  int range_from = -1;  // the byte that a '-' would start a range from
  for (const std::size_t first = at; at < glob.size() && (glob[at] != ']' || at == first);) {
    const std::optional<bool> is_class = ReadClass(glob, at, set);
    if (!is_class) return std::nullopt;
    if (*is_class) {
      range_from = -1;
      continue;
    }
    const bool range =
        glob[at] == '-' && range_from >= 0 && at + 1 < glob.size() && glob[at + 1] != ']';
    if (range) ++at;
    if (glob[at] == '\\' && ++at == glob.size()) return std::nullopt;
    const char byte = glob[at++];
    Include(set, range ? static_cast<char>(range_from) : byte, byte);
    range_from = range ? -1 : static_cast<int>(Index(byte));
  }
  if (at >= glob.size()) return std::nullopt;
  ++at;
  if (negated) set.flip();
  return set;
}

}  // namespace

PathPattern::PathPattern(std::string_view glob) : whole_path_(glob.find('/') != glob.npos) {
  if (whole_path_ && glob.front() == '/') glob.remove_prefix(1);
  const std::size_t literal = std::min(glob.find_first_of(kSpecial), glob.size());
  is_literal_ = literal == glob.size();
  is_suffix_ = !whole_path_ && glob.starts_with('*') &&
               glob.find_first_of(kSpecial, 1) == std::string_view::npos;
  if (is_literal_ || is_suffix_) {
    text_ = glob.substr(is_suffix_ ? 1 : 0);
  } else {
    Compile(glob, literal);
  }
}

void PathPattern::Compile(std::string_view glob, std::size_t literal) {
  std::size_t at = 0;
  while (at < glob.size()) {
    switch (glob[at]) {
      case '*':
        CompileStars(glob, literal, at);
        break;
      case '?':
        tokens_.push_back({Token::Kind::kOneOf, '\0', sets_.size()});
        sets_.push_back(ByteSet().set().reset(Index('/')));
        ++at;
        break;
      case '[':
        CompileBracket(glob, at);
        break;
      case '\\':
        ++at;
        malformed_ = malformed_ || at == glob.size();
        if (at < glob.size()) tokens_.push_back({Token::Kind::kByte, glob[at++]});
        break;
      default:
        tokens_.push_back({Token::Kind::kByte, glob[at++]});
    }
  }
}

/// Two stars cross folders only where they fill a whole component. git compares the pattern's
/// first `literal` bytes on their own and takes what follows for a start, so "foo**/bar" counts.
void PathPattern::CompileStars(std::string_view glob, std::size_t literal, std::size_t& at) {
  const std::size_t start = at;
  while (at < glob.size() && glob[at] == '*') ++at;
  const std::string_view rest = glob.substr(at);
  const bool opens = start == literal || glob[start - 1] == '/';
  const bool closes = rest.empty() || rest.starts_with('/') || rest.starts_with("\\/");
  if (!whole_path_ || at - start < 2 || !opens || !closes) {
    tokens_.push_back({Token::Kind::kStar});
  } else if (rest.starts_with('/')) {
    tokens_.push_back({Token::Kind::kAnyFolders});
    ++at;
  } else {
    tokens_.push_back({Token::Kind::kAnyDepth});
  }
}

void PathPattern::CompileBracket(std::string_view glob, std::size_t& at) {
  std::optional<ByteSet> set = ReadBracket(glob, at);
  if (!set) {
    malformed_ = true;
    at = glob.size();
    return;
  }
  if (whole_path_) set->reset(Index('/'));
  tokens_.push_back({Token::Kind::kOneOf, '\0', sets_.size()});
  sets_.push_back(*set);
}

bool PathPattern::Matches(std::string_view path) const {
  if (malformed_) return false;
  if (!whole_path_) path.remove_prefix(path.rfind('/') + 1);
  if (is_literal_) return path == text_;
  if (is_suffix_) return path.ends_with(text_);
  return MatchesGlob(path);
}

bool PathPattern::MatchesOne(const Token& token, char byte) const {
  if (token.kind == Token::Kind::kByte) return token.byte == byte;
  return sets_[token.one_of].test(Index(byte));
}

/// Goes back to the last star, and when that cannot grow (it never crosses a '/') to the last
/// double star. Earlier ones need no second look: what they left shortest, the later one can
/// take up. So the time is at most quadratic in the length, whatever the pattern.
bool PathPattern::MatchesGlob(std::string_view text) const {
  using Position = std::pair<std::size_t, std::size_t>;  // next token, next byte
  std::optional<Position> star;
  std::optional<Position> deep;
  std::size_t token = 0;
  std::size_t at = 0;
  while (true) {
    if (token == tokens_.size()) {
      if (at == text.size()) return true;
    } else if (tokens_[token].kind == Token::Kind::kStar) {
      star = {++token, at};
      continue;
    } else if (tokens_[token].kind == Token::Kind::kAnyDepth ||
               tokens_[token].kind == Token::Kind::kAnyFolders) {
      deep = {++token, at};
      star.reset();
      continue;
    } else if (at < text.size() && MatchesOne(tokens_[token], text[at])) {
      ++token, ++at;
      continue;
    }
    if (star && star->second < text.size() && text[star->second] != '/') {
      ++star->second;
      std::tie(token, at) = *star;
      continue;
    }
    star.reset();
    if (!deep) return false;
    if (tokens_[deep->first - 1].kind == Token::Kind::kAnyDepth) {
      if (deep->second == text.size()) return false;
      ++deep->second;
    } else {
      const std::size_t slash = text.find('/', deep->second);
      if (slash == text.npos) return false;
      deep->second = slash + 1;
    }
    std::tie(token, at) = *deep;
  }
}

}  // namespace transplt
