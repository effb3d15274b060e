// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/name_table.h"

namespace transplt {
namespace {

/// The string "b" of `getattr(a, "b")`, or a null node.
Node GetattrName(Node call) {
  Node function = call.Child(Field::kFunction);
  Node arguments = call.Child(Field::kArguments);
  if (!function.Is(NodeKind::kIdentifier) || function.text() != "getattr") return {};
  if (!arguments.Is(NodeKind::kArgumentList)) return {};
  Node object = arguments.first_named_child();
  Node name = object ? object.next_named_sibling() : Node();
  return name.Is(NodeKind::kString) ? PlainStringContent(name) : Node();
}

}  // namespace

Node PlainStringContent(Node string) {
  Node start = string.first_child();
  if (!start.Is(NodeKind::kStringStart)) return {};
  if (start.text().find_first_of("bBfFtT") != std::string_view::npos) return {};
  Node content = start.next_sibling();
  if (!content.Is(NodeKind::kStringContent) || content.first_child()) return {};
  return content.next_sibling().Is(NodeKind::kStringEnd) ? content : Node();
}

Chain ChainOf(Node expression) {
  std::vector<Node> reversed;
  Node node = expression;
  while (node) {
    if (node.Is(NodeKind::kAttribute)) {
      reversed.push_back(node.Child(Field::kAttribute));
      node = node.Child(Field::kObject);
    } else if (node.Is(NodeKind::kParenthesizedExpression)) {
      node = node.first_named_child();
    } else if (node.Is(NodeKind::kMemberType)) {
      Node type = node.first_named_child();
      if (!type) break;
      reversed.push_back(type.next_named_sibling());
      node = type.Is(NodeKind::kType) ? type.first_named_child() : type;
    } else if (Node name = node.Is(NodeKind::kCall) ? GetattrName(node) : Node()) {
      reversed.push_back(name);
      node = node.Child(Field::kArguments).first_named_child();
    } else if (node.Is(NodeKind::kDottedName)) {
      std::vector<Node> parts;
      for (Node part = node.first_named_child(); part; part = part.next_named_sibling()) {
        parts.push_back(part);
      }
      for (; parts.size() > 1; parts.pop_back()) reversed.push_back(parts.back());
      node = parts.empty() ? Node() : parts.front();
      break;
    } else {
      break;
    }
  }
  Chain chain;
  chain.head = node;
  chain.parts.assign(reversed.rbegin(), reversed.rend());
  return chain;
}

}  // namespace transplt
