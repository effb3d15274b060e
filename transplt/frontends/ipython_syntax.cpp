// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/ipython_syntax.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "transplt/base/ascii.h"
#include "transplt/base/one_of.h"
#include "transplt/base/word_list.h"

namespace transplt {
namespace {

constexpr std::string_view kBlanksOfLine = " \t\r\f";

/// After a name these go on with Python, whatever the name.
constexpr std::array<std::string_view, 8> kOperatorWords = {"and", "else", "for", "if",
                                                            "in",  "is",   "not", "or"};

/// What begins these cannot stand behind a semicolon.
constexpr std::array<std::string_view, 8> kCompoundWords = {"async", "class", "def",   "for",
                                                            "if",    "try",   "while", "with"};

bool IsOfWord(char c) { return IsAlphanumeric(c) || c == '_'; }

std::string_view WordAt(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsOfWord(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Looks for the places at which IPython's own reader would take over, in the way it does: at the
/// start of a statement and behind "=", never inside a bracket, a string or a comment.
class Masker {
 public:
  explicit Masker(std::string& text) : text_(text) {}

  IpythonCell Mask() {
    size_t at = text_.find_first_not_of(" \t\r\f\n");
    if (at == std::string::npos) return {};
    if (text_.compare(at, 2, "%%") == 0) {
      cell_.has_cell_magic = true;
      if (!Words("python-cell-magics").Has(WordAt(text_, at + 2))) return Foreign();
      const size_t end = EndOfLine(at);
      AddPart(0, end);
      text_[at] = '#';
      at = end;
    } else if (IsBareMagic(at)) {
      return Foreign();
    } else {
      at = 0;
    }
    while (at < text_.size()) at = MaskStatement(at);
    return is_open_ ? Foreign() : cell_;
  }

 private:
  /// The offset of the line feed, or the end of the text.
  size_t EndOfLine(size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

  size_t SkipBlanks(size_t at) const {
    return std::min(text_.find_first_not_of(kBlanksOfLine, at), text_.size());
  }

  /// `[at, end)` without the CR that belongs to the line end.
  size_t WithoutCarriageReturn(size_t at, size_t end) const {
    return end > at && text_[end - 1] == '\r' ? end - 1 : end;
  }

  /// The end of a command: its line and those that it goes on to with a backslash.
  size_t EndOfCommand(size_t at) const {
    size_t line_end = EndOfLine(at);
    size_t end = WithoutCarriageReturn(at, line_end);
    while (line_end < text_.size() && end > at && text_[end - 1] == '\\') {
      at = line_end + 1;
      line_end = EndOfLine(at);
      end = WithoutCarriageReturn(at, line_end);
    }
    return end;
  }

  void AddPart(size_t start, size_t end, IpythonPart::Kind kind = IpythonPart::Kind::kRest) {
    cell_.parts.push_back({{static_cast<uint32_t>(start), static_cast<uint32_t>(end)}, kind});
  }

  /// The first character becomes "#", whatever its length.
  void MakeComment(size_t at) {
    do {
      text_[at++] = '#';
    } while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80);
  }

  /// Comments from the first byte of each line that is no blank.
  void MakeComments(size_t at, size_t end) {
    while (at < end) {
      const size_t first = SkipBlanks(at);
      if (first < end && text_[first] != '\n') MakeComment(first);
      at = EndOfLine(first) + 1;
    }
  }

  /// An expression, and a comment up to the end of the line.
  void MakeValue(size_t at) {
    const size_t end = WithoutCarriageReturn(at, EndOfLine(at));
    const std::string_view value = end - at < 4 ? "0" : "None";
    text_.replace(at, value.size(), value);
    if (at + value.size() < end) MakeComment(at + value.size());
  }

  /// `[at, end)` is no Python. A block that it stands in still needs a statement.
  void MaskCommand(size_t at, size_t end) {
    AddPart(at, end);
    const bool is_indented = at > 0 && text_[at - 1] != '\n';
    const size_t first_end = std::min(EndOfLine(at), end);
    MakeComments(first_end, end);
    if (is_indented) {
      MakeValue(at);
    } else {
      MakeComment(at);
    }
  }

  IpythonCell Foreign() {
    cell_.is_foreign = true;
    cell_.parts.clear();
    AddPart(0, text_.size());
    MakeComments(0, text_.size());
    return cell_;
  }

  bool IsBareMagic(size_t at) const {
    const size_t end = EndOfLine(at);
    if (text_.find_first_not_of(" \t\r\f\n", end) != std::string::npos) return false;
    const std::string_view word = WordAt(text_, at);
    const size_t argument = SkipBlanks(at + word.size());
    if (!Words("bare-magics").Has(word) || argument >= end || argument == at + word.size())
      return false;
    if (IsOfWord(text_[argument])) return !IsOneOf(WordAt(text_, argument), kOperatorWords);
    const bool is_bound = argument + 1 < end && std::string_view(" =").find(text_[argument + 1]) ==
                                                    std::string_view::npos;
    return is_bound && std::string_view("-./~").find(text_[argument]) != std::string_view::npos;
  }

  /// Masks what is not Python in the statement that starts in the line at `at`; gives its end.
  size_t MaskStatement(size_t at) {
    const size_t first = SkipBlanks(at);
    if (first == text_.size() || text_[first] == '\n') return first + 1;
    if (std::string_view("%!?,;/").find(text_[first]) == std::string_view::npos) {
      return MaskInPython(first);
    }
    if (const size_t statement = StatementOfMagic(first); statement != 0) {
      AddPart(first, statement, IpythonPart::Kind::kPrefix);
      std::fill(text_.begin() + static_cast<ptrdiff_t>(first),
                text_.begin() + static_cast<ptrdiff_t>(statement), ' ');
      text_.replace(first, 2, "0;");
      return MaskInPython(statement);
    }
    const size_t end = EndOfCommand(first);
    MaskCommand(first, end);
    return end + 1;
  }

  /// Where the simple statement starts that a magic like `%time` is to run; 0 if there is none.
  size_t StatementOfMagic(size_t at) const {
    if (text_[at] != '%') return 0;
    const std::string_view magic = WordAt(text_, at + 1);
    if (!Words("python-line-magics").Has(magic)) return 0;
    const size_t statement = SkipBlanks(at + 1 + magic.size());
    if (statement == text_.size() ||
        std::string_view("\n-%!@?").find(text_[statement]) != std::string_view::npos) {
      return 0;
    }
    return IsOneOf(WordAt(text_, statement), kCompoundWords) ? 0 : statement;
  }

  /// A statement in Python from its first token on. It may assign the result of a command, and be
  /// a question after all (`torch.nn?`).
  size_t MaskInPython(size_t first) {
    size_t at = first;
    size_t depth = 0;
    char last = ' ';
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '\n' && depth == 0) break;
      if (c == '#') {
        at = EndOfLine(at);
        continue;
      }
      if (c == '"' || c == '\'') {
        at = SkipString(at);
        last = c;
        continue;
      }
      if (c == '\\') {
        at = SkipEscaped(at);
        if (at >= text_.size()) is_open_ = true;
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      if (c == '=' && depth == 0 && IsCommandAt(SkipBlanks(at + 1))) {
        const size_t command = SkipBlanks(at + 1);
        const size_t end = EndOfCommand(command);
        AddPart(command, end);
        MakeComments(std::min(EndOfLine(command), end), end);
        MakeValue(command);
        return end + 1;
      }
      if (c != '\n' && kBlanksOfLine.find(c) == std::string_view::npos) last = c;
      ++at;
    }
    if (depth > 0) is_open_ = true;
    if (last == '?' && !is_open_) MaskCommand(first, WithoutCarriageReturn(first, at));
    return at + 1;
  }

  /// "!" and "%" cannot follow "=" in Python.
  bool IsCommandAt(size_t at) const {
    if (at >= text_.size()) return false;
    if (text_[at] == '!') return true;
    return text_[at] == '%' && at + 1 < text_.size() && IsOfWord(text_[at + 1]);
  }

  /// The end of a backslash and the character after it; CR LF counts as one.
  size_t SkipEscaped(size_t at) const {
    return at + (text_.compare(at + 1, 2, "\r\n") == 0 ? 3 : 2);
  }

  size_t SkipString(size_t at) {
    const char quote = text_[at];
    const std::string closing(3, quote);
    const bool is_triple = text_.compare(at, 3, closing) == 0;
    at += is_triple ? 3 : 1;
    while (at < text_.size()) {
      if (text_[at] == '\\') {
        at = SkipEscaped(at);
      } else if (is_triple ? text_.compare(at, 3, closing) == 0 : text_[at] == quote) {
        return at + (is_triple ? 3 : 1);
      } else if (!is_triple && text_[at] == '\n') {
        return at;
      } else {
        ++at;
      }
    }
    if (is_triple || text_.ends_with('\n') || text_.ends_with('\\')) is_open_ = true;
    return std::min(at, text_.size());
  }

  std::string& text_;
  IpythonCell cell_;
  bool is_open_ = false;
};

}  // namespace

IpythonCell MaskIpythonSyntax(std::string& text) { return Masker(text).Mask(); }

}  // namespace transplt
