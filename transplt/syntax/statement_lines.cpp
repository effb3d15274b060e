// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/statement_lines.h"

#include <algorithm>

namespace transplt {

bool StatementLines::Begins(size_t line) const {
  return !lines_[line].blank && open_.begins[line] == OpenEnds::Begin::kStatement &&
         !lines_.ContinuesStatement(line);
}

/// One past the last line of the statement that starts at `head`; `line` belongs to it.
size_t StatementLines::EndOf(size_t head, size_t line) const {
  size_t end = std::max(head, line) + 1;
  while (end < lines_.size() &&
         (lines_[end].blank || lines_[end].indent > lines_[head].indent ||
          open_.begins[end] == OpenEnds::Begin::kInString || lines_.ContinuesStatement(end))) {
    ++end;
  }
  while (end > line + 1 && lines_[end - 1].blank) --end;
  return end;
}

std::vector<LinePart> StatementLines::Around(size_t line) const {
  std::vector<size_t> heads;
  size_t innermost = 0;
  for (size_t n = line + 1; n-- > 0;) {
    if (!Begins(n)) continue;
    if (!heads.empty() && lines_[n].indent >= lines_[heads.back()].indent) continue;
    heads.push_back(n);
    if (innermost == 0 && lines_.IsFunction(n)) innermost = heads.size() - 1;
    if (lines_[n].indent == 0) break;
  }
  if (heads.empty()) heads.push_back(0);
  std::vector<LinePart> parts;
  for (size_t i = innermost; i < heads.size(); ++i) {
    size_t head = heads[i];
    const size_t end = EndOf(head, line);
    while (head > 0 && lines_[head - 1].indent == lines_[head].indent &&
           lines_.IsDecorator(head - 1)) {
      --head;
    }
    parts.push_back({head, end});
  }
  return parts;
}

std::vector<StatementLines::BrokenStatement> StatementLines::Broken(
    std::string_view text, LinePart part, const CountErrors& count_errors) const {
  std::vector<BrokenStatement> broken;
  AddBroken(text, part, 0, count_errors, broken);
  return broken;
}

void StatementLines::AddBroken(std::string_view text, LinePart part, int depth,
                               const CountErrors& count_errors,
                               std::vector<BrokenStatement>& broken) const {
  constexpr int kMaxDepth = 6;  // each level parses its part once more
  for (size_t n = part.first; n < part.last;) {
    if (!Begins(n)) {
      ++n;
      continue;
    }
    size_t body = n;  // the line of the statement itself, behind its decorators
    size_t end = EndOf(body, body);
    while (lines_.IsDecorator(body) && end < part.last && Begins(end)) {
      body = end;
      end = EndOf(body, body);
    }
    const uint32_t start = lines_[n].start;
    if (count_errors(text.substr(start, lines_[end - 1].end - start)).value_or(0) > 0) {
      const size_t found = broken.size();
      const bool has_parts = lines_.HoldsStatements(body) && !lines_.IsFunction(body);
      if (has_parts && depth < kMaxDepth) {
        AddBroken(text, {body + 1, end}, depth + 1, count_errors, broken);
      }
      if (broken.size() == found) {
        const bool has_sound_body = has_parts && n == body && depth < kMaxDepth && body + 1 < end &&
                                    Begins(body + 1) &&
                                    lines_[body + 1].indent > lines_[body].indent;
        broken.push_back({{n, end}, has_sound_body});
      }
    }
    n = end;
  }
}

}  // namespace transplt
