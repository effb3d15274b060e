// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/callee.h"

namespace transplt {
namespace {

void AppendCallees(Node expression, bool is_branch, std::vector<Callee>& callees) {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  if (!expression) return;
  if (expression.Is(NodeKind::kIdentifier)) {
    callees.push_back({expression, expression, is_branch});
  } else if (expression.Is(NodeKind::kAttribute)) {
    callees.push_back({expression, expression.Child(Field::kAttribute), is_branch});
  } else if (expression.Is(NodeKind::kConditionalExpression)) {
    Node yes = expression.first_named_child();
    Node condition = yes ? yes.next_named_sibling() : Node();
    AppendCallees(yes, true, callees);
    if (condition) AppendCallees(condition.next_named_sibling(), true, callees);
  }
}

}  // namespace

std::vector<Callee> CalleesOf(Node call) {
  std::vector<Callee> callees;
  AppendCallees(call.Child(Field::kFunction), false, callees);
  return callees;
}

}  // namespace transplt
