// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/broken_part.h"

#include <algorithm>

namespace transplt {

const SourceLines& BrokenParts::Lines() {
  if (!lines_) lines_.emplace(text_);
  return *lines_;
}

TextRange BrokenParts::WholeLines(TextRange range) {
  const SourceLines& lines = Lines();
  const size_t first = lines.LineOf(range.start);
  return RangeOf({first, lines.LineOf(range.empty() ? range.start : range.end - 1) + 1});
}

TextRange BrokenParts::RangeOf(LinePart part) {
  const SourceLines& lines = Lines();
  const uint32_t start = lines[part.first].start + lines[part.first].indent;
  return {start, std::max(start, lines[part.last - 1].end)};
}

bool BrokenParts::Hide(std::string& masked, const std::vector<SyntaxError>& errors) {
  const OpenEnds open = FindOpenEnds(masked, Lines());
  if (!foreign_lines_are_hidden_) {
    foreign_lines_are_hidden_ = true;
    const bool found = HideConflictMarkers(masked);
    if (HideForeignLines(masked, open) || found) return true;
  }
  size_t error_bytes = 0;
  for (const SyntaxError& error : errors) error_bytes += error.range.size() + 1;
  return HideOpenString(masked, open, error_bytes) || HideOpenBrackets(masked, open, errors) ||
         MaskClosingBrackets(masked, open, errors) || HideLargeErrors(masked, open, errors);
}

bool BrokenParts::HideManyOpenBrackets(std::string& masked) {
  constexpr std::ptrdiff_t kMany = 64;
  // Nearly all texts are sound: a count tells it in less time than a look at each line.
  std::ptrdiff_t surplus = 0;
  for (const char c : text_) {
    surplus += (c == '(' || c == '[' || c == '{') ? 1 : 0;
    surplus -= (c == ')' || c == ']' || c == '}') ? 1 : 0;
  }
  if (surplus < kMany) return false;
  const OpenEnds open = FindOpenEnds(text_, Lines());
  if (open.brackets.size() < static_cast<size_t>(kMany)) return false;
  masked = text_;
  const TextRange all{0, static_cast<uint32_t>(text_.size())};
  return HideOpenBrackets(masked, open, {{all, all}});
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
      HideLines(masked, {n, n + 1}, false);
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
    HideLines(masked, {n, n + 1}, opens_block);
    found = true;
  }
  return found;
}

/// Hides what holds a triple quote without which much more of the text makes sense.
bool BrokenParts::HideOpenString(std::string& masked, const OpenEnds& open, size_t errors) {
  constexpr size_t kMaxQuotes = 16;  // each costs a round of the parser
  std::optional<LinePart> best;
  size_t least = errors + open.doubtful;  // bytes that make no sense or are hidden
  for (uint32_t quote : open.quotes) {
    if (quotes_tried_.size() >= kMaxQuotes || !quotes_tried_.insert(quote).second) continue;
    OpenEnds behind = open;  // behind the quote nothing is known about strings
    auto line = behind.begins.begin() + static_cast<std::ptrdiff_t>(Lines().LineOf(quote));
    std::fill(line + 1, behind.begins.end(), OpenEnds::Begin::kStatement);
    const std::optional<LinePart> part = PartAround(quote, behind);
    if (!part) continue;
    std::string trial = masked;
    Blank(trial, *part, true);
    const size_t known_loss = FindOpenEnds(trial, Lines()).doubtful + RangeOf(*part).size();
    if (known_loss >= least) continue;
    const size_t loss = known_loss + count_errors_(trial).value_or(0);
    if (loss >= least) continue;
    least = loss;
    best = part;
  }
  if (best) HideLines(masked, *best, true);
  return best.has_value();
}

bool BrokenParts::HideOpenBrackets(std::string& masked, const OpenEnds& open,
                                   const std::vector<SyntaxError>& errors) {
  bool found = false;
  for (const OpenEnds::Bracket& bracket : open.brackets) {
    auto error = std::lower_bound(
        errors.begin(), errors.end(), bracket.offset,
        [](const SyntaxError& e, uint32_t offset) { return e.range.end < offset; });
    if (error == errors.end() || error->range.start > bracket.proof) continue;
    // Together with another bracket, a moment ago?
    if (found && IsHidden({bracket.offset, bracket.offset + 1})) continue;
    const std::optional<LinePart> part = PartAround(bracket.offset, open);
    if (!part) continue;
    HideLines(masked, *part, true);
    found = true;
  }
  return found;
}

bool BrokenParts::MaskClosingBrackets(std::string& masked, const OpenEnds& open,
                                      const std::vector<SyntaxError>& errors) {
  const SourceLines& lines = Lines();
  bool found = false;
  for (uint32_t offset : open.closing) {
    const size_t line = lines.LineOf(offset);
    auto error =
        std::lower_bound(errors.begin(), errors.end(), lines[line].start,
                         [](const SyntaxError& e, uint32_t start) { return e.range.end < start; });
    if (error == errors.end() || error->range.start > lines[line].end) continue;
    masked[offset] = ' ';
    AddHidden(RangeOf({line, line + 1}));
    found = true;
  }
  return found;
}

bool BrokenParts::ReplaceHead(std::string& masked, size_t line) {
  const SourceLines& lines = Lines();
  const uint32_t start = lines[line].start + lines[line].indent;
  std::string head = "if 1:";
  if (lines.Code(line).starts_with("class ")) {
    const size_t name = std::min(lines.Code(line).find_first_of("(:["), lines.Code(line).size());
    head = std::string(lines.Code(line).substr(0, name)) + ":";
  }
  if (lines[line].end - start < head.size() || IsHidden({start, lines[line].end})) return false;
  masked.replace(start, lines[line].end - start, head);
  masked.insert(start + head.size(), lines[line].end - start - head.size(), ' ');
  AddHidden({start, lines[line].end});
  return true;
}

/// True if an error goes over several lines, or spoils the statements of several lines: the parser
/// is no help in finding its place then.
bool BrokenParts::IsLarge(const SyntaxError& error, const OpenEnds& open) {
  const SourceLines& lines = Lines();
  const auto last_line = [&](TextRange range) {
    return lines.LineOf(range.empty() ? range.start : range.end - 1);
  };
  if (lines.LineOf(error.range.start) != last_line(error.range)) return true;
  const size_t first = lines.LineOf(error.doubt.start);
  const size_t last = last_line(error.doubt);
  const StatementLines statements(lines, open);
  for (size_t n = first + 1; n <= last; ++n) {
    if (statements.Begins(n) && lines[n].indent <= lines[first].indent) return true;
  }
  return false;
}

bool BrokenParts::HideLargeErrors(std::string& masked, const OpenEnds& open,
                                  const std::vector<SyntaxError>& errors) {
  const SourceLines& lines = Lines();
  const StatementLines statements(lines, open);
  std::vector<TextRange> large;
  for (const SyntaxError& error : errors) {
    if (IsLarge(error, open)) {
      large.push_back({std::min(error.range.start, error.doubt.start),
                       std::max(error.range.end, error.doubt.end)});
    }
  }
  bool found = false;
  for (TextRange error : large) {
    const size_t first = statements.Around(lines.LineOf(error.start)).back().first;
    const size_t last = lines.LineOf(error.end - 1) + 1;
    for (const auto& [part, has_sound_body] :
         statements.Broken(masked, {first, last}, count_errors_)) {
      if (IsHidden(RangeOf(part))) continue;
      if (!has_sound_body || !ReplaceHead(masked, part.first)) HideLines(masked, part, true);
      found = true;
    }
  }
  if (found) return true;
  for (TextRange error : large) {
    // An error that covers most of the file says nothing about its place.
    if (error.size() > text_.size() / 2) continue;
    const std::optional<LinePart> part = PartAround(error.start, open);
    if (!part) continue;
    HideLines(masked, *part, true);
    return true;
  }
  return false;
}

std::optional<LinePart> BrokenParts::PartAround(uint32_t offset, const OpenEnds& open) {
  const StatementLines statements(Lines(), open);
  for (LinePart part : statements.Around(Lines().LineOf(offset))) {
    if (!IsHidden(RangeOf(part))) return part;
  }
  return std::nullopt;
}

bool BrokenParts::IsHidden(TextRange range) const {
  auto after = std::upper_bound(hidden_.begin(), hidden_.end(), range.start,
                                [](uint32_t start, TextRange h) { return start < h.start; });
  return after != hidden_.begin() && std::prev(after)->Contains(range);
}

void BrokenParts::HideLines(std::string& masked, LinePart part, bool keep_block) {
  Blank(masked, part, keep_block);
  AddHidden(RangeOf(part));
}

void BrokenParts::AddHidden(TextRange range) {
  auto first = std::lower_bound(hidden_.begin(), hidden_.end(), range.start,
                                [](TextRange h, uint32_t start) { return h.end < start; });
  auto last = first;
  for (; last != hidden_.end() && last->start <= range.end; ++last) {
    range = {std::min(range.start, last->start), std::max(range.end, last->end)};
  }
  hidden_.insert(hidden_.erase(first, last), range);
}

void BrokenParts::Blank(std::string& masked, LinePart part, bool keep_block) {
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
