// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/main_block.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

/// The blanks in front of `node` on its line; nothing if something else stands there.
std::string MarginOf(Node node, const SourceFile& source) {
  const uint32_t line = source.LineRange(source.Locate(node.range().start).line).start;
  std::string margin(TextRange{line, node.range().start}.In(source.bytes()));
  if (margin.starts_with("\xEF\xBB\xBF")) margin.erase(0, 3);
  return margin;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\f") == std::string_view::npos;
}

/// The starts of the lines behind the first one that lie inside strings of the range.
bool StartsInString(uint32_t offset, const SyntaxTree& tree) {
  for (Node node = tree.NodeAt({offset, offset}); node; node = node.parent()) {
    if (node.Is(NodeKind::kString) && node.range().start < offset && offset < node.range().end) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Edit> WrapInTry(Node first, Node last, const TryStatement& text,
                            const std::vector<TextRange>& removed, const FileContext& file) {
  const SourceFile& source = file.source();
  const std::string line_end(source.LineEndAt(first.range().start));
  std::string margin = MarginOf(first, source);
  const bool on_one_line = !IsBlank(margin);  // `if __name__ == "__main__": main()`
  const std::string outer = on_one_line ? "" : margin;
  std::string step = outer.empty() ? "    " : outer;
  if (HasPart(outer, '\t')) step = "\t";
  if (step.size() > 4 && step[0] == ' ') step = "    ";
  if (on_one_line) margin = step;
  std::string head;
  for (const std::string& line : text.before) head.append(margin).append(line).append(line_end);
  head += margin + "try:" + line_end;
  std::string tail = margin + "finally:" + line_end;
  for (const std::string& line : text.finally) {
    tail.append(margin).append(step).append(line).append(line_end);
  }

  std::vector<Edit> edits;
  if (on_one_line) {
    uint32_t colon = first.range().start;
    while (colon > 0 && source.bytes()[colon - 1] != ':') --colon;
    edits.push_back({{colon, first.range().start}, line_end + head + margin + step});
  }
  const uint32_t begin = source.Locate(first.range().start).line;
  const uint32_t end = source.Locate(last.range().end).line;
  for (uint32_t line = begin; !on_one_line && line <= end; ++line) {
    const TextRange range = source.LineRange(line);
    const bool is_removed = std::ranges::any_of(removed, [&](TextRange gone) {
      return gone.start <= range.start && range.start < gone.end;
    });
    std::string inserted = line == begin ? head : "";
    const bool stays = is_removed || IsBlank(range.In(source.bytes())) ||
                       (line != begin && StartsInString(range.start, file.tree()));
    if (!stays) inserted += step;
    if (!inserted.empty()) edits.push_back({{range.start, range.start}, inserted});
  }
  // What follows begins on a line of its own, wherever the last statement ends.
  uint32_t behind = source.LineRange(end).end;
  if (behind < source.bytes().size() && source.bytes()[behind] == '\r') ++behind;
  if (behind < source.bytes().size() && source.bytes()[behind] == '\n') ++behind;
  if (behind > 0 && source.bytes()[behind - 1] != '\n' && source.bytes()[behind - 1] != '\r') {
    tail = line_end + tail.substr(0, tail.size() - line_end.size());
  }
  edits.push_back({{behind, behind}, tail});
  return edits;
}

Edit RemoveStatement(Node statement, const FileContext& file) {
  const SourceFile& source = file.source();
  const StatementPlace place(statement, source);
  const Node holder = statement.parent();
  const bool alone = !holder.Is(NodeKind::kModule) && !statement.next_named_sibling() &&
                     holder.first_named_child() == statement;
  const TextRange line = source.LineRange(source.Locate(statement.range().start).line);
  const std::string_view behind =
      TextRange{statement.range().end,
                source.LineRange(source.Locate(statement.range().end).line).end}
          .In(source.bytes());
  if (place.shares_line() || alone || !IsBlank(behind)) return {statement.range(), "pass"};
  return {{line.start, place.insertion()}, ""};
}

}  // namespace transplt
