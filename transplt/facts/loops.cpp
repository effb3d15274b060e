// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/loops.h"

namespace transplt {

Node IteratedBy(Node name) {
  Node target = name;
  while (target.parent().Is(NodeKind::kTuplePattern) ||
         target.parent().Is(NodeKind::kListPattern) || target.parent().Is(NodeKind::kPatternList)) {
    target = target.parent();
  }
  const Node loop = target.parent();
  const bool is_loop = loop.Is(NodeKind::kForStatement) || loop.Is(NodeKind::kForInClause);
  return is_loop && target.field() == Field::kLeft ? loop.Child(Field::kRight) : Node();
}

}  // namespace transplt
