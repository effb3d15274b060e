// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/main_block.h"

#include "transplt/base/text_parts.h"
#include "transplt/python/name_table.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsMainTest(Node condition) {
  while (condition.Is(NodeKind::kParenthesizedExpression)) {
    condition = condition.first_named_child();
  }
  if (!condition.Is(NodeKind::kComparisonOperator)) return false;
  const Node left = condition.first_named_child();
  const Node right = left.next_named_sibling();
  const auto is_name = [](Node node) { return node.text() == "__name__"; };
  const auto is_main = [](Node node) {
    const Node content = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
    return content && content.text() == "__main__";
  };
  return right && !right.next_named_sibling() && HasPart(condition.text(), "==") &&
         ((is_name(left) && is_main(right)) || (is_main(left) && is_name(right)));
}

}  // namespace

std::vector<Node> MainBlocksOf(Node module) {
  std::vector<Node> blocks;
  for (const Node statement : NamedChildren(module)) {
    if (statement.Is(NodeKind::kIfStatement) && IsMainTest(statement.Child(Field::kCondition))) {
      blocks.push_back(statement);
    }
  }
  return blocks;
}

}  // namespace transplt
