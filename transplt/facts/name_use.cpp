// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/name_use.h"

#include <algorithm>
#include <string_view>

#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// `type(model) is DataParallel`, `model.__class__ == DataParallel`
bool ComparesClass(Node comparison) {
  return std::ranges::any_of(NamedChildren(comparison), [](Node side) {
    return side.Is(NodeKind::kCall) ? side.Child(Field::kFunction).text() == "type"
                                    : side.Is(NodeKind::kAttribute) &&
                                          side.Child(Field::kAttribute).text() == "__class__";
  });
}

bool IsGroup(Node node) {
  return node.Is(NodeKind::kTuple) || node.Is(NodeKind::kList) || node.Is(NodeKind::kSet) ||
         node.Is(NodeKind::kExpressionList) || node.Is(NodeKind::kParenthesizedExpression);
}

}  // namespace

NameUseAt UseOfName(Node name) {
  Node value = name;
  Node parent = name.parent();
  while (IsGroup(parent)) {
    value = parent;
    parent = parent.parent();
  }
  if (parent.Is(NodeKind::kReturnStatement)) return {NameUse::kReturned, {}};
  if (parent.Is(NodeKind::kComparisonOperator)) {
    return {ComparesClass(parent) ? NameUse::kAsked : NameUse::kRun, {}};
  }
  if (parent.Is(NodeKind::kAssignment) && parent.Child(Field::kLeft).Is(NodeKind::kIdentifier)) {
    return {NameUse::kKept, parent.Child(Field::kLeft)};
  }
  if (parent.Is(NodeKind::kKeywordArgument) && value.field() == Field::kValue) {
    parent = parent.parent();
  }
  if (!parent.Is(NodeKind::kArgumentList) || !parent.parent().Is(NodeKind::kCall)) return {};
  const std::string_view callee = parent.parent().Child(Field::kFunction).text();
  const bool is_test = callee == "isinstance" || callee == "issubclass";
  return {is_test ? NameUse::kAsked : NameUse::kHandedOn, {}};
}

bool IsInAnnotation(Node name) {
  for (Node node = name; node && !node.Is(NodeKind::kBlock); node = node.parent()) {
    if (node.Is(NodeKind::kType)) return true;
  }
  return false;
}

bool RunsWithDefinition(Node node) {
  bool is_of_definition = false;
  for (Node child = node, up = node.parent(); up; child = up, up = up.parent()) {
    if (up.Is(NodeKind::kLambda)) return false;
    if (up.Is(NodeKind::kDecoratedDefinition) && child.Is(NodeKind::kDecorator)) {
      is_of_definition = true;
    }
    if (up.Is(NodeKind::kClassDefinition) && child.field() == Field::kSuperclasses) {
      is_of_definition = true;
    }
    if (!up.Is(NodeKind::kFunctionDefinition)) continue;
    if (child.field() == Field::kBody) return false;
    is_of_definition = true;
  }
  return is_of_definition;
}

bool IsIdleAnnotation(Node name) {
  if (!IsInAnnotation(name)) return false;
  const Node root = name.tree().root();
  const bool are_all = std::ranges::any_of(NamedChildren(root), [](Node statement) {
    return statement.Is(NodeKind::kFutureImportStatement) &&
           statement.text().find("annotations") != std::string_view::npos;
  });
  if (are_all) return true;
  for (Node child = name, up = name.parent(); up; child = up, up = up.parent()) {
    if (up.Is(NodeKind::kClassDefinition)) return false;
    if (up.Is(NodeKind::kFunctionDefinition)) return child.field() == Field::kBody;
  }
  return false;
}

bool IsOnlyNamed(Node name) {
  Node whole = name;
  while (whole.parent().Is(NodeKind::kAttribute) && whole.field() == Field::kObject) {
    whole = whole.parent();
  }
  return UseOfName(whole).use == NameUse::kAsked || IsInAnnotation(whole);
}

}  // namespace transplt
