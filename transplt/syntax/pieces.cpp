// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/pieces.h"

#include "transplt/syntax/open_ends.h"
#include "transplt/syntax/source_lines.h"

namespace transplt {

std::vector<TextRange> CutIntoPieces(std::string_view text, size_t size) {
  const auto end = static_cast<uint32_t>(text.size());
  if (text.size() < 4 * size) return {{0, end}};
  const SourceLines lines(text);
  const OpenEnds open = FindOpenEnds(text, lines);
  std::vector<TextRange> pieces;
  uint32_t start = 0;
  bool is_decorated = false;
  for (size_t n = 0; n < lines.size(); ++n) {
    const SourceLines::Line& line = lines[n];
    if (line.blank || line.indent != 0 || open.begins[n] != OpenEnds::Begin::kStatement) continue;
    const bool starts_statement = !is_decorated && !lines.ContinuesStatement(n);
    is_decorated = lines.IsDecorator(n);
    if (!starts_statement || line.start - start < size) continue;
    pieces.push_back({start, line.start});
    start = line.start;
  }
  pieces.push_back({start, end});
  return pieces;
}

}  // namespace transplt
