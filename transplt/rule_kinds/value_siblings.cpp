// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/value_siblings.h"

#include <algorithm>
#include <cctype>

#include "transplt/python/name_table.h"
#include "transplt/rule_kinds/value_role.h"

namespace transplt {
namespace {

bool IsUpperCaseOf(std::string_view name, std::string_view text) {
  return std::equal(name.begin(), name.end(), text.begin(), text.end(), [](char a, char b) {
    return a == std::toupper(static_cast<unsigned char>(b));
  });
}

void AddStrings(Node expression, Node but, std::vector<std::string_view>& strings) {
  for (uint32_t id = expression.id(); expression && id < expression.end_id(); ++id) {
    const Node node = expression.tree().node(id);
    const Node content =
        node.Is(NodeKind::kString) && !(node == but) ? PlainStringContent(node) : Node();
    if (content) strings.push_back(content.text());
  }
}

/// The strings that `expression` may have as its value, or as one of its elements.
void AddAlternatives(Node expression, Node but, std::vector<std::string_view>& strings) {
  switch (expression.kind()) {
    case NodeKind::kString:
      return AddStrings(expression, but, strings);
    case NodeKind::kConditionalExpression: {
      const Node yes = expression.first_named_child();
      const Node condition = yes.next_named_sibling();
      AddAlternatives(yes, but, strings);
      if (condition && condition.next_named_sibling()) {
        AddAlternatives(condition.next_named_sibling(), but, strings);
      }
      return;
    }
    case NodeKind::kParenthesizedExpression:
    case NodeKind::kBooleanOperator:
    case NodeKind::kBinaryOperator:
    case NodeKind::kTuple:
    case NodeKind::kList:
    case NodeKind::kSet:
    case NodeKind::kExpressionList:
      for (Node part = expression.first_named_child(); part; part = part.next_named_sibling()) {
        AddAlternatives(part, but, strings);
      }
      return;
    default:
      return;
  }
}

/// What else `comparison`'s subject is compared with in `condition`.
void AddCompared(Node condition, Node comparison, std::vector<std::string_view>& strings) {
  const std::string_view subject = comparison.first_named_child().text();
  for (uint32_t id = condition.id(); condition && id < condition.end_id(); ++id) {
    const Node node = condition.tree().node(id);
    if (node.Is(NodeKind::kComparisonOperator) && !(node == comparison) &&
        node.first_named_child().text() == subject) {
      AddStrings(node, {}, strings);
    }
  }
}

/// `if device != "cuda": warn()` is about all others: what the file knows as others counts.
bool ExcludesOthers(Node comparison) {
  const Node subject = comparison.first_named_child();
  return comparison.text().substr(subject.text().size()).find("!=") != std::string_view::npos;
}

/// What the conditions of an if/elif chain compare with the subject of `comparison` in one of them.
void AddChain(Node comparison, std::vector<std::string_view>& strings) {
  if (ExcludesOthers(comparison)) return AddCompared(comparison.tree().root(), comparison, strings);
  for (Node holder = comparison; holder && !holder.Is(NodeKind::kBlock); holder = holder.parent()) {
    if (!holder.Is(NodeKind::kIfStatement)) continue;
    AddCompared(holder.Child(Field::kCondition), comparison, strings);
    for (Node clause = holder.first_named_child(); clause; clause = clause.next_named_sibling()) {
      if (!clause.Is(NodeKind::kElifClause)) continue;
      AddCompared(clause.Child(Field::kCondition), comparison, strings);
    }
    return;
  }
}

}  // namespace

std::vector<std::string_view> OtherMembers(Node assignment) {
  std::vector<std::string_view> values;
  const std::string_view own_name = assignment.Child(Field::kLeft).text();
  const Node own = assignment.Child(Field::kRight);
  const Node own_value = own.Is(NodeKind::kString) ? PlainStringContent(own) : Node();
  if (!own_value || !IsUpperCaseOf(own_name, own_value.text())) return values;
  const Node block = assignment.parent().parent();
  if (!block.Is(NodeKind::kBlock) || !block.parent().Is(NodeKind::kClassDefinition)) return values;
  for (Node other = block.first_named_child(); other; other = other.next_named_sibling()) {
    const Node member =
        other.Is(NodeKind::kExpressionStatement) ? other.first_named_child() : other;
    if (!member.Is(NodeKind::kAssignment) || member == assignment) continue;
    const Node right = member.Child(Field::kRight);
    const Node content = right.Is(NodeKind::kString) ? PlainStringContent(right) : Node();
    if (content) values.push_back(content.text());
  }
  return values;
}

std::vector<std::string_view> SiblingsOf(Node string) {
  std::vector<std::string_view> strings;
  const Node node = Outermost(string);
  const Node parent = node.parent();
  if (!(node == string)) {
    AddAlternatives(node, string, strings);
    const bool is_command = std::any_of(strings.begin(), strings.end(), [](std::string_view word) {
      return word.starts_with('-');
    });
    if (is_command) strings.clear();
  } else if (parent.Is(NodeKind::kPair) && node.field() == Field::kKey) {
    for (Node pair = parent.parent().first_named_child(); pair; pair = pair.next_named_sibling()) {
      AddStrings(pair.Child(Field::kKey), string, strings);
    }
  } else if (parent.Is(NodeKind::kAssignment)) {
    strings = OtherMembers(parent);
  } else if (parent.Is(NodeKind::kType) || parent.Is(NodeKind::kSubscript)) {
    AddStrings(parent.Is(NodeKind::kType) ? parent.parent() : parent, string, strings);
  }
  if (parent.Is(NodeKind::kComparisonOperator)) AddChain(parent, strings);
  return strings;
}

}  // namespace transplt
