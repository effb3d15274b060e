// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/broken_part.h"

#include <algorithm>

namespace transplt {
namespace {

bool BeginsStatement(const SourceLines& lines, const OpenEnds& open, size_t line) {
  return !lines[line].blank && open.begins[line] == OpenEnds::Begin::kStatement &&
         !lines.ContinuesStatement(line);
}

/// The statements that hold `line`, from the inside out, by their first lines. Those inside of a
/// function are left out: a function is read as a whole or not at all.
std::vector<size_t> StatementsAround(const SourceLines& lines, const OpenEnds& open, size_t line) {
  std::vector<size_t> heads;
  size_t innermost = 0;
  for (size_t n = line + 1; n-- > 0;) {
    if (!BeginsStatement(lines, open, n)) continue;
    if (!heads.empty() && lines[n].indent >= lines[heads.back()].indent) continue;
    heads.push_back(n);
    if (innermost == 0 && lines.IsFunction(n)) innermost = heads.size() - 1;
    if (lines[n].indent == 0) break;
  }
  if (heads.empty()) heads.push_back(0);
  heads.erase(heads.begin(), heads.begin() + static_cast<std::ptrdiff_t>(innermost));
  return heads;
}

/// One past the last line of the statement that starts at `head`; `line` belongs to it.
size_t EndOfStatement(const SourceLines& lines, const OpenEnds& open, size_t head, size_t line) {
  size_t end = std::max(head, line) + 1;
  while (end < lines.size() &&
         (lines[end].blank || lines[end].indent > lines[head].indent ||
          open.begins[end] == OpenEnds::Begin::kInString || lines.ContinuesStatement(end))) {
    ++end;
  }
  while (end > line + 1 && lines[end - 1].blank) --end;
  return end;
}

/// Finds the smallest statements that do not parse on their own.
class CulpritSearch {
 public:
  struct Statement {
    size_t head;
    size_t end;  // one past its last line
  };

  CulpritSearch(std::string_view text, const SourceLines& lines, const OpenEnds& open,
                const BrokenParts::CountErrors& count_errors)
      : text_(text), lines_(lines), open_(open), count_errors_(count_errors) {}

  std::vector<Statement> Run(size_t first, size_t last) {
    Search(first, last, 0);
    return std::move(culprits_);
  }

 private:
  // Each level parses the broken part once more; deeper ones are hidden as a whole.
  static constexpr int kMaxDepth = 6;

  void Search(size_t first, size_t last, int depth) {
    for (size_t n = first; n < last;) {
      if (!BeginsStatement(lines_, open_, n)) {
        ++n;
        continue;
      }
      size_t body = n;  // the line of the statement itself, behind its decorators
      size_t end = EndOfStatement(lines_, open_, body, body);
      while (lines_.IsDecorator(body) && end < last && BeginsStatement(lines_, open_, end)) {
        body = end;
        end = EndOfStatement(lines_, open_, body, body);
      }
      if (!Parses(n, end)) {
        const size_t found = culprits_.size();
        const bool has_parts = lines_.HoldsStatements(body) && !lines_.IsFunction(body);
        if (has_parts && depth < kMaxDepth) Search(body + 1, end, depth + 1);
        if (culprits_.size() == found) culprits_.push_back({n, end});
      }
      n = end;
    }
  }

  bool Parses(size_t head, size_t end) const {
    const uint32_t start = lines_[head].start;
    return count_errors_(text_.substr(start, lines_[end - 1].end - start)) == 0;
  }

  std::string_view text_;
  const SourceLines& lines_;
  const OpenEnds& open_;
  const BrokenParts::CountErrors& count_errors_;
  std::vector<Statement> culprits_;
};

}  // namespace

const SourceLines& BrokenParts::Lines() {
  if (!lines_) lines_.emplace(text_);
  return *lines_;
}

TextRange BrokenParts::WholeLines(TextRange range) {
  const SourceLines& lines = Lines();
  const SourceLines::Line& first = lines[lines.LineOf(range.start)];
  const SourceLines::Line& last = lines[lines.LineOf(range.empty() ? range.start : range.end - 1)];
  return {first.start + first.indent, std::max(last.end, first.start + first.indent)};
}

bool BrokenParts::SpansLines(TextRange error) {
  return error.end > error.start && Lines().LineOf(error.start) != Lines().LineOf(error.end - 1);
}

bool BrokenParts::Hide(std::string& masked, const std::vector<TextRange>& errors) {
  const OpenEnds open = FindOpenEnds(masked, Lines());
  if (!foreign_lines_are_hidden_) {
    foreign_lines_are_hidden_ = true;
    const bool markers = HideConflictMarkers(masked);
    if (HideForeignLines(masked, open) || markers) return true;
  }
  if (HideOpenString(masked, open)) return true;
  for (const OpenEnds::Bracket& bracket : open.brackets) {
    const bool has_error = std::any_of(errors.begin(), errors.end(), [&](TextRange error) {
      return error.start <= bracket.proof && bracket.offset <= error.end;
    });
    if (has_error && HideAround(masked, bracket.offset, open)) return true;
  }
  return std::any_of(errors.begin(), errors.end(), [&](TextRange error) {
    if (!SpansLines(error)) return false;
    if (HideCulprits(masked, error, open)) return true;
    // An error that covers most of the file says nothing about its place.
    return error.size() < text_.size() / 2 && HideAround(masked, error.start, open);
  });
}

bool BrokenParts::HideCulprits(std::string& masked, TextRange error, const OpenEnds& open) {
  const SourceLines& lines = Lines();
  const size_t first = StatementsAround(lines, open, lines.LineOf(error.start)).back();
  const size_t last = lines.LineOf(error.end - 1) + 1;
  const std::vector<CulpritSearch::Statement> culprits =
      CulpritSearch(masked, lines, open, count_errors_).Run(first, last);
  bool found = false;
  for (const auto& [head, end] : culprits) {
    if (IsHidden({head, end})) continue;
    Hide(masked, {head, end}, true);
    found = true;
  }
  return found;
}

/// Hides what holds a triple quote without which much more of the text makes sense.
bool BrokenParts::HideOpenString(std::string& masked, const OpenEnds& open) {
  std::optional<Part> best;
  size_t least = 0;  // bytes that make no sense or are hidden
  for (uint32_t quote : open.quotes) {
    if (quotes_tried_.size() >= kMaxQuotes || !quotes_tried_.insert(quote).second) continue;
    if (least == 0) least = count_errors_(masked) + open.doubtful;
    OpenEnds behind = open;  // behind the quote nothing is known about strings
    auto line = behind.begins.begin() + static_cast<std::ptrdiff_t>(Lines().LineOf(quote));
    std::fill(line + 1, behind.begins.end(), OpenEnds::Begin::kStatement);
    const std::optional<Part> part = PartAround(quote, behind);
    if (!part) continue;
    std::string trial = masked;
    Blank(trial, *part, true);
    const size_t loss =
        count_errors_(trial) + FindOpenEnds(trial, Lines()).doubtful + RangeOf(*part).size();
    if (loss >= least) continue;
    least = loss;
    best = part;
  }
  if (best) Hide(masked, *best, true);
  return best.has_value();
}

bool BrokenParts::HideConflictMarkers(std::string& masked) {
  const SourceLines& lines = Lines();
  bool is_open = false;  // "=======" alone also underlines headings in docstrings
  bool found = false;
  for (size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].indent != 0 || lines[n].blank) continue;
    const std::string_view code = lines.Code(n);
    const bool begins = code.starts_with("<<<<<<< ");
    const bool ends = code.starts_with(">>>>>>> ");
    if (begins || (is_open && (ends || code == "=======" || code.starts_with("||||||| ")))) {
      Hide(masked, {n, n + 1}, false);
      found = true;
    }
    is_open = (is_open || begins) && !ends;
  }
  return found;
}

bool BrokenParts::HideForeignLines(std::string& masked, const OpenEnds& open) {
  const SourceLines& lines = Lines();
  bool found = false;
  for (size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].blank || !lines.IsForeign(n)) continue;
    // A template's line stands anywhere; `%` and `!` also continue an expression.
    const bool is_template = lines.Code(n).starts_with('{');
    if (open.begins[n] == OpenEnds::Begin::kInString) continue;
    if (open.begins[n] == OpenEnds::Begin::kInBracket && !is_template) continue;
    // A magic can be all that a block has.
    const bool opens_block =
        n > 0 && lines.Code(n - 1).ends_with(':') && lines[n].indent > lines[n - 1].indent;
    Hide(masked, {n, n + 1}, opens_block);
    found = true;
  }
  return found;
}

bool BrokenParts::HideAround(std::string& masked, uint32_t offset, const OpenEnds& open) {
  const std::optional<Part> part = PartAround(offset, open);
  if (part) Hide(masked, *part, true);
  return part.has_value();
}

std::optional<BrokenParts::Part> BrokenParts::PartAround(uint32_t offset, const OpenEnds& open) {
  const SourceLines& lines = Lines();
  const size_t line = lines.LineOf(offset);
  for (size_t head : StatementsAround(lines, open, line)) {
    const size_t end = EndOfStatement(lines, open, head, line);
    while (head > 0 && lines[head - 1].indent == lines[head].indent &&
           lines.IsDecorator(head - 1)) {
      --head;
    }
    if (!IsHidden({head, end})) return Part{head, end};
  }
  return std::nullopt;
}

bool BrokenParts::IsHidden(Part part) {
  const TextRange range = RangeOf(part);
  return std::any_of(hidden_.begin(), hidden_.end(),
                     [&](TextRange hidden) { return hidden.Contains(range); });
}

TextRange BrokenParts::RangeOf(Part part) {
  const SourceLines& lines = Lines();
  return {lines[part.first].start + lines[part.first].indent, lines[part.last - 1].end};
}

void BrokenParts::Hide(std::string& masked, Part part, bool keep_block) {
  Blank(masked, part, keep_block);
  const TextRange range = RangeOf(part);
  std::erase_if(hidden_, [&](TextRange hidden) { return range.Contains(hidden); });
  hidden_.insert(std::lower_bound(hidden_.begin(), hidden_.end(), range,
                                  [](TextRange a, TextRange b) { return a.start < b.start; }),
                 range);
}

void BrokenParts::Blank(std::string& masked, Part part, bool keep_block) {
  const SourceLines& lines = Lines();
  for (uint32_t i = lines[part.first].start; i < lines[part.last - 1].end; ++i) {
    if (masked[i] != '\n' && masked[i] != '\r') masked[i] = ' ';
  }
  // A block must not become empty: `pass` takes the place of the part.
  constexpr std::string_view kPass = "pass";
  const uint32_t indent = lines[part.first].indent;
  for (size_t n = part.first; keep_block && n < part.last; ++n) {
    if (lines[n].end - lines[n].start < indent + kPass.size()) continue;
    masked.replace(lines[n].start + indent, kPass.size(), kPass);
    break;
  }
}

}  // namespace transplt
