// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/statement.h"

#include "transplt/base/word_list.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

Node EnclosingStatement(Node node) {
  for (Node parent = node.parent(); parent; node = parent, parent = parent.parent()) {
    if (parent.Is(NodeKind::kModule) || parent.Is(NodeKind::kBlock)) return node;
  }
  return node;
}

Node DefinitionAround(Node node) {
  while (node && !node.Is(NodeKind::kFunctionDefinition)) node = node.parent();
  return node;
}

bool IsProperty(Node function) {
  const Node decorated = function.parent();
  if (!decorated.Is(NodeKind::kDecoratedDefinition)) return false;
  for (Node part = decorated.first_named_child(); part && part != function;
       part = part.next_named_sibling()) {
    if (part.Is(NodeKind::kDecorator) && part.text().ends_with("property")) return true;
  }
  return false;
}

bool IsLoop(Node statement) {
  return statement.Is(NodeKind::kForStatement) || statement.Is(NodeKind::kWhileStatement);
}

Node LoopAround(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (IsLoop(up)) return up;
    if (up.Is(NodeKind::kFunctionDefinition) || up.Is(NodeKind::kLambda) ||
        up.Is(NodeKind::kClassDefinition)) {
      return {};
    }
  }
  return {};
}

bool IsInImport(Node node) {
  for (; node && !node.Is(NodeKind::kBlock); node = node.parent()) {
    if (node.Is(NodeKind::kImportFromStatement) || node.Is(NodeKind::kImportStatement)) return true;
  }
  return false;
}

bool IsAssigned(Node node) {
  Node target = node;
  while (target.parent().Is(NodeKind::kPatternList) ||
         target.parent().Is(NodeKind::kTuplePattern)) {
    target = target.parent();
  }
  const Node statement = target.parent();
  return target.field() == Field::kLeft &&
         (statement.Is(NodeKind::kAssignment) || statement.Is(NodeKind::kAugmentedAssignment));
}

std::optional<std::string> MarginOf(Node node) {
  const SourceFile& source = node.tree().source();
  const uint32_t start = node.range().start;
  const uint32_t line = source.LineRange(source.Locate(start).line).start;
  std::string_view margin = TextRange{line, start}.In(source.bytes());
  if (margin.starts_with("\xEF\xBB\xBF")) margin.remove_prefix(3);
  if (margin.find_first_not_of(" \t\f") != std::string_view::npos) return std::nullopt;
  return std::string(margin);
}

std::optional<std::string> IndentOfStatement(Node call) {
  const Node statement = call.parent();
  if (!statement.Is(NodeKind::kExpressionStatement) || statement.next_sibling().IsToken(";")) {
    return std::nullopt;
  }
  return MarginOf(call);
}

uint32_t TopOfCode(Node module) {
  for (const Node statement : NamedChildren(module)) {
    const bool is_prose = statement.Is(NodeKind::kExpressionStatement) &&
                          statement.first_named_child().Is(NodeKind::kString);
    if (is_prose || statement.Is(NodeKind::kFutureImportStatement)) continue;
    return statement.range().start;
  }
  return module.range().end;
}

bool IsBareString(Node string) {
  Node node = string;
  while (node.parent().Is(NodeKind::kConcatenatedString) ||
         node.parent().Is(NodeKind::kParenthesizedExpression)) {
    node = node.parent();
  }
  return node.parent().Is(NodeKind::kExpressionStatement) && !node.next_named_sibling() &&
         node.parent().first_named_child() == node;
}

bool OtherBranchesEnd(Node if_statement, Node branch) {
  bool has_else = false;
  for (Node child = if_statement.first_named_child(); child; child = child.next_named_sibling()) {
    Node block;
    if (child.field() == Field::kConsequence) block = child;
    if (child.Is(NodeKind::kElifClause)) block = child.Child(Field::kConsequence);
    if (child.Is(NodeKind::kElseClause)) block = child.Child(Field::kBody);
    has_else |= child.Is(NodeKind::kElseClause);
    if (block && block != branch && !EndsFlow(block)) return false;
  }
  return has_else;
}

bool EndsFlow(Node block) { return LeavesBlock(LastNamedChild(block)); }

bool LeavesBlock(Node statement) {
  switch (statement.kind()) {
    case NodeKind::kReturnStatement:
    case NodeKind::kRaiseStatement:
    case NodeKind::kBreakStatement:
      return true;
    case NodeKind::kIfStatement:
      return OtherBranchesEnd(statement, Node());
    case NodeKind::kOtherNamed:
      return statement.text() == "continue";
    case NodeKind::kExpressionStatement: {
      const Node callee = statement.first_named_child().Child(Field::kFunction);
      return callee && Words("leaving-calls").Has(callee.text());
    }
    default:
      return false;
  }
}

StatementPlace::StatementPlace(Node statement, const SourceFile& source) {
  const std::string_view bytes = source.bytes();
  const TextRange range = statement.range();
  const TextRange first = source.LineRange(source.Locate(range.start).line);
  const TextRange last = source.LineRange(source.Locate(range.end).line);
  const std::string_view before = TextRange{first.start, range.start}.In(bytes);
  size_t blanks = before.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const size_t margin = blanks;
  while (blanks < before.size() &&
         (before[blanks] == ' ' || before[blanks] == '\t' || before[blanks] == '\f')) {
    ++blanks;
  }
  indent_ = before.substr(margin, blanks - margin);
  line_end_ = source.LineEndAt(range.end);
  std::string_view after = TextRange{range.end, last.end}.In(bytes);
  const size_t text = after.find_first_not_of(" \t\f");
  const bool followed = text != std::string_view::npos && after[text] == ';';
  if (blanks != before.size() || followed) {
    // `import os; import torch` or `if x: import torch`
    shares_line_ = true;
    insertion_ = range.end;
    return;
  }
  uint32_t next = last.end;
  if (next < bytes.size() && bytes[next] == '\r') ++next;
  if (next < bytes.size() && bytes[next] == '\n') ++next;
  at_end_ = next == last.end;
  insertion_ = next;
}

std::string StatementPlace::Join(std::string_view statement) const {
  if (shares_line_) return "; " + std::string(statement);
  if (at_end_) return line_end_ + indent_ + std::string(statement);
  return indent_ + std::string(statement) + line_end_;
}

}  // namespace transplt
