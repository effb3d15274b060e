// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/class_use.h"

#include <algorithm>

#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Names that stand for other names, one after the other.
constexpr int kMostNames = 4;

ClassUse UseAt(Node name, const FileContext& file, int depth);

bool IsOnlyAskedAt(Node bound, const FileContext& file, int depth) {
  bool is_asked = false;
  for (const Node node : file.NodesSaying(bound.text())) {
    const bool is_name = node.Is(NodeKind::kIdentifier) && node.field() != Field::kAttribute;
    if (!is_name || node == bound) continue;
    if (UseAt(node, file, depth) != ClassUse::kAsked) return false;
    is_asked = true;
  }
  return is_asked;
}

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

ClassUse UseAt(Node name, const FileContext& file, int depth) {
  if (depth > kMostNames) return ClassUse::kRun;
  Node value = name;
  Node parent = name.parent();
  while (IsGroup(parent)) {
    value = parent;
    parent = parent.parent();
  }
  if (parent.Is(NodeKind::kReturnStatement)) return ClassUse::kReturned;
  if (parent.Is(NodeKind::kComparisonOperator)) {
    return ComparesClass(parent) ? ClassUse::kAsked : ClassUse::kRun;
  }
  if (parent.Is(NodeKind::kAssignment) && parent.Child(Field::kLeft).Is(NodeKind::kIdentifier)) {
    return IsOnlyAskedAt(parent.Child(Field::kLeft), file, depth + 1) ? ClassUse::kAsked
                                                                      : ClassUse::kRun;
  }
  if (parent.Is(NodeKind::kKeywordArgument) && value.field() == Field::kValue) {
    parent = parent.parent();
  }
  if (!parent.Is(NodeKind::kArgumentList) || !parent.parent().Is(NodeKind::kCall)) {
    return ClassUse::kRun;
  }
  const std::string_view callee = parent.parent().Child(Field::kFunction).text();
  const bool is_test = callee == "isinstance" || callee == "issubclass";
  return is_test ? ClassUse::kAsked : ClassUse::kHandedOn;
}

}  // namespace

ClassUse UseOfClass(Node name, const FileContext& file) { return UseAt(name, file, 0); }

void LowerSeverity(ClassUse use, Finding& finding) {
  if (use == ClassUse::kHandedOn) finding.severity = Severity::kMayGoWrong;
  if (use == ClassUse::kReturned) finding.severity = Severity::kNote;
}

bool IsOnlyAsked(Node bound, const FileContext& file) { return IsOnlyAskedAt(bound, file, 0); }

}  // namespace transplt
