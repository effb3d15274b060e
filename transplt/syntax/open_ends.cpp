// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/open_ends.h"

#include <algorithm>

namespace transplt {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, const SourceLines& lines) : text_(text), lines_(lines) {
    result_.begins.reserve(lines.size());
  }

  OpenEnds Run() {
    for (size_t n = 0; n < lines_.size(); ++n) {
      BeginLine(n);
      ReadLine(n);
    }
    const auto end = static_cast<uint32_t>(text_.size());
    if (quote_ == 0) {
      ReportOpenBrackets(end);
    } else {
      AddSuspect();
      EndString(end);
    }
    std::sort(result_.brackets.begin(), result_.brackets.end(),
              [](const auto& a, const auto& b) { return a.offset < b.offset; });
    return std::move(result_);
  }

 private:
  struct Open {
    char bracket;
    uint32_t offset;
    size_t line;
  };

  void BeginLine(size_t n) {
    const SourceLines::Line& line = lines_[n];
    if (quote_ == 0 && !stack_.empty() && !IsBlank(line) && lines_.StartsStatement(n) &&
        line.indent <= lines_[stack_.front().line].indent) {
      ReportOpenBrackets(line.start);
    }
    using Begin = OpenEnds::Begin;
    result_.begins.push_back(quote_ != 0                        ? Begin::kInString
                             : !stack_.empty() || is_continued_ ? Begin::kInBracket
                                                                : Begin::kStatement);
    depths_.push_back(stack_.size());
    if (quote_ != 0 && triple_ && line.indent <= lines_[string_line_].indent &&
        lines_.LooksLikeCode(n)) {
      AddSuspect();
    }
  }

  void AddSuspect() {
    std::vector<uint32_t>& quotes = result_.quotes;
    if (quotes.empty() || quotes.back() != string_start_) quotes.push_back(string_start_);
  }

  /// Lines that were hidden meanwhile are blank in the text that is scanned.
  bool IsBlank(const SourceLines::Line& line) const {
    return line.blank || text_[line.start + line.indent] == ' ';
  }

  void ReadLine(size_t n) {
    const SourceLines::Line& line = lines_[n];
    const bool is_template = lines_.Code(n).starts_with('{');
    if (quote_ == 0 && (stack_.empty() || is_template) && lines_.IsForeign(n)) return;
    uint32_t i = line.start;
    while (i < line.end) {
      if (quote_ != 0) {
        i = ReadString(i);
      } else if (text_[i] == '#') {
        break;
      } else {
        i = ReadCode(i, n);
      }
    }
    is_continued_ = line.end > line.start && text_[line.end - 1] == '\\' && i >= line.end;
    if (quote_ != 0 && !triple_ && !is_continued_) quote_ = 0;  // the parser does the same
  }

  uint32_t ReadString(uint32_t i) {
    if (text_[i] == '\\') return i + 2;
    if (text_[i] != quote_ || (triple_ && !IsTriple(i))) return i + 1;
    EndString(i);
    return i + (triple_ ? 3 : 1);
  }

  void EndString(uint32_t end) {
    quote_ = 0;
    const std::vector<uint32_t>& quotes = result_.quotes;
    if (!quotes.empty() && quotes.back() == string_start_) result_.doubtful += end - string_start_;
  }

  uint32_t ReadCode(uint32_t i, size_t line) {
    const char c = text_[i];
    if (c == '"' || c == '\'') {
      quote_ = c;
      triple_ = IsTriple(i);
      string_start_ = i;
      string_line_ = line;
      return i + (triple_ ? 3 : 1);
    }
    if (c == '(' || c == '[' || c == '{') {
      stack_.push_back({c, i, line});
    } else if (c == ')' || c == ']' || c == '}') {
      Close(c == ')' ? '(' : c == ']' ? '[' : '{', i);
    }
    return i + 1;
  }

  void Close(char opening, uint32_t offset) {
    auto partner = std::find_if(stack_.rbegin(), stack_.rend(),
                                [&](const Open& open) { return open.bracket == opening; });
    if (partner == stack_.rend()) {
      result_.closing.push_back(offset);
      return;
    }
    while (stack_.back().bracket != opening) {
      result_.brackets.push_back({stack_.back().offset, offset});
      stack_.pop_back();
    }
    stack_.pop_back();
  }

  void ReportOpenBrackets(uint32_t proof) {
    TellStatementsInOpenBrackets();
    for (const Open& open : stack_) result_.brackets.push_back({open.offset, proof});
    stack_.clear();
  }

  /// Behind brackets that never close, a line begins a statement where it is not indented deeper
  /// than the last of them and no bracket around it closes.
  void TellStatementsInOpenBrackets() {
    if (stack_.empty()) return;
    using Begin = OpenEnds::Begin;
    size_t open = 0;  // of the stack, those before line n
    for (size_t n = stack_.front().line + 1; n < result_.begins.size(); ++n) {
      while (open < stack_.size() && stack_[open].line < n) ++open;
      if (result_.begins[n] == Begin::kInBracket && depths_[n] <= open &&
          lines_[n].indent <= lines_[stack_[open - 1].line].indent) {
        result_.begins[n] = Begin::kStatement;
      }
    }
  }

  bool IsTriple(uint32_t i) const {
    return text_.size() - i >= 3 && text_[i + 1] == text_[i] && text_[i + 2] == text_[i];
  }

  std::string_view text_;
  const SourceLines& lines_;
  OpenEnds result_;
  std::vector<Open> stack_;
  std::vector<size_t> depths_;  // of the stack where each line begins
  char quote_ = 0;              // inside of a string: its quote
  bool triple_ = false;
  bool is_continued_ = false;  // the line before ends in a backslash
  uint32_t string_start_ = 0;
  size_t string_line_ = 0;
};

}  // namespace

OpenEnds FindOpenEnds(std::string_view text, const SourceLines& lines) {
  return Scanner(text, lines).Run();
}

}  // namespace transplt
