// SPDX-License-Identifier: Apache-2.0
#include "transplt/syntax/indentation.h"

#include <optional>
#include <string>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {
namespace {

constexpr uint32_t kTab = 8;  // as CPython counts, also Python 2

/// True if the line before the one that starts at `start` ends in a backslash.
bool IsContinued(std::string_view text, uint32_t start) {
  while (start > 0 && (text[start - 1] == '\n' || text[start - 1] == '\r')) --start;
  return start > 0 && text[start - 1] == '\\';
}

/// How wide an indentation is if a tab goes on to a multiple of eight, and if it is as wide as a
/// blank: Python 3 wants both to say the same.
struct Indentation {
  uint32_t column = 0;
  uint32_t characters = 0;

  friend bool operator==(const Indentation&, const Indentation&) = default;
};

/// That of `offset` if nothing but blanks stands before it on its line.
std::optional<Indentation> IndentationOf(std::string_view text, uint32_t offset) {
  uint32_t start = offset;
  while (start > 0 &&
         (text[start - 1] == ' ' || text[start - 1] == '\t' || text[start - 1] == '\f')) {
    --start;
  }
  const bool at_line_start = start == 0 || text[start - 1] == '\n' || text[start - 1] == '\r' ||
                             text.substr(0, start) == kUtf8Bom;
  if (!at_line_start || IsContinued(text, start)) return std::nullopt;
  Indentation indentation;
  for (uint32_t i = start; i < offset; ++i) {
    auto& [column, characters] = indentation;
    if (text[i] == '\f') {
      indentation = {};
      continue;
    }
    column = text[i] == '\t' ? (column / kTab + 1) * kTab : column + 1;
    ++characters;
  }
  return indentation;
}

std::optional<uint32_t> ColumnAtLineStart(std::string_view text, uint32_t offset) {
  const std::optional<Indentation> indentation = IndentationOf(text, offset);
  return indentation ? std::optional(indentation->column) : std::nullopt;
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

bool IsClause(Node node) {
  switch (node.kind()) {
    case NodeKind::kElifClause:
    case NodeKind::kElseClause:
    case NodeKind::kExceptClause:
    case NodeKind::kFinallyClause:
      return true;
    default:
      return false;
  }
}

/// The statement that holds `block`, or the module.
Node HolderOf(Node block) {
  Node holder = block.parent();
  while (IsClause(holder)) holder = holder.parent();
  return holder;
}

/// True if `inner` is deeper by one measure and not by the other.
bool IsAmbiguousStep(const Indentation& outer, const Indentation& inner) {
  return (inner.column > outer.column) != (inner.characters > outer.characters);
}

bool IsAmbiguous(const Indentation& a, const Indentation& b) {
  return a.column == b.column && a.characters != b.characters;
}

}  // namespace

bool MixesTabs(std::string_view text) {
  const auto begins = [&](char blank) {
    return text.starts_with(blank) || text.find(std::string{'\n', blank}) != std::string_view::npos;
  };
  return begins('\t') && begins(' ');
}

std::optional<TextRange> AmbiguousIndentation(const SyntaxTree& tree) {
  const std::string_view text = tree.source().parse_text();
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    const std::optional<Indentation> own = IndentationOf(text, node.range().start);
    if (!own || node.Is(NodeKind::kError) || tree.IsUnparsed(node.range())) continue;
    if (IsClause(node)) {
      const auto head = IndentationOf(text, HolderOf(node).range().start);
      if (head && IsAmbiguous(*head, *own)) return node.range();
    }
    const Node block = node.parent();
    if (IsSkippable(node.kind()) || !block || !HoldsStatements(block)) continue;
    const Node first = block.first_named_child();
    const auto of_first = IndentationOf(text, first.range().start);
    if (of_first && IsAmbiguous(*of_first, *own)) return node.range();
    if (node != first || block.Is(NodeKind::kModule)) continue;
    const auto outer = IndentationOf(text, HolderOf(block).range().start);
    if (outer && IsAmbiguousStep(*outer, *own)) return node.range();
  }
  return std::nullopt;
}

std::vector<TextRange> MisindentedParts(const SyntaxTree& tree) {
  std::vector<TextRange> parts;
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (HoldsStatements(node)) CheckBlock(node, parts);
  }
  return parts;
}

}  // namespace transplt
