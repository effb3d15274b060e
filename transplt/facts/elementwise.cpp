// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/elementwise.h"

#include "transplt/base/word_list.h"
#include "transplt/facts/tensor_types.h"

namespace transplt {

Node ElementwiseOperand(Node expression) {
  switch (expression.kind()) {
    case NodeKind::kComparisonOperator:
      return expression.first_named_child();
    case NodeKind::kBinaryOperator:
      return SignOf(expression) == "@" ? Node() : expression.Child(Field::kLeft);
    case NodeKind::kAttribute:
      return expression.Child(Field::kAttribute).text() == "data" ? expression.Child(Field::kObject)
                                                                  : Node();
    case NodeKind::kCall: {
      const Node callee = expression.Child(Field::kFunction);
      const bool is_method =
          callee.Is(NodeKind::kAttribute) &&
          Words("elementwise-methods").Has(callee.Child(Field::kAttribute).text());
      return is_method ? callee.Child(Field::kObject) : Node();
    }
    default:
      return {};
  }
}

}  // namespace transplt
