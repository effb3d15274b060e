// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/indentation.h"

#include <optional>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {
namespace {

constexpr uint32_t kTab = 8;  // as CPython counts, also Python 2

/// True if the line before the one that starts at `start` ends in a backslash.
bool IsContinued(std::string_view text, uint32_t start) {
  while (start > 0 && (text[start - 1] == '\n' || text[start - 1] == '\r')) --start;
  return start > 0 && text[start - 1] == '\\';
}

/// The column of `offset` if nothing but blanks stands before it on its line.
std::optional<uint32_t> ColumnAtLineStart(std::string_view text, uint32_t offset) {
  uint32_t start = offset;
  while (start > 0 &&
         (text[start - 1] == ' ' || text[start - 1] == '\t' || text[start - 1] == '\f')) {
    --start;
  }
  const bool at_line_start = start == 0 || text[start - 1] == '\n' || text[start - 1] == '\r' ||
                             text.substr(0, start) == kUtf8Bom;
  if (!at_line_start || IsContinued(text, start)) return std::nullopt;
  uint32_t column = 0;
  for (uint32_t i = start; i < offset; ++i) {
    if (text[i] == '\t') {
      column = (column / kTab + 1) * kTab;
    } else {
      column = text[i] == '\f' ? 0 : column + 1;
    }
  }
  return column;
}

bool HoldsStatements(Node node) { return node.Is(NodeKind::kModule) || node.Is(NodeKind::kBlock); }

/// The innermost statement that ends where `statement` ends.
Node LastStatementOf(Node statement) {
  Node last = statement;
  const SyntaxTree& tree = statement.tree();
  for (uint32_t id = statement.id() + 1; id < statement.end_id(); ++id) {
    const Node node = tree.node(id);
    const NodeKind kind = node.kind();
    if (!IsSkippable(kind) && HoldsStatements(node.parent())) last = node;
  }
  return last;
}

void CheckBlock(Node block, std::vector<TextRange>& parts) {
  const std::string_view text = block.tree().source().parse_text();
  std::optional<uint32_t> expected;
  if (block.Is(NodeKind::kModule)) expected = 0;
  Node before;
  bool in_part = false;
  for (Node statement = block.first_named_child(); statement;
       before = statement, statement = statement.next_named_sibling()) {
    const TextRange range = statement.range();
    const std::optional<uint32_t> column = ColumnAtLineStart(text, range.start);
    if (!column || statement.Is(NodeKind::kError)) continue;
    if (!expected) expected = column;
    if (*column == *expected) {
      in_part = false;
    } else if (in_part) {
      parts.back().end = range.end;
    } else {
      in_part = true;
      parts.push_back({before ? LastStatementOf(before).range().start : range.start, range.end});
    }
  }
}

}  // namespace

std::vector<TextRange> MisindentedParts(const SyntaxTree& tree) {
  std::vector<TextRange> parts;
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (HoldsStatements(node)) CheckBlock(node, parts);
  }
  return parts;
}

}  // namespace transplt
