// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/parameters.h"

#include "transplt/python/arguments.h"

namespace transplt {

bool IsMethod(Node function) {
  Node holder = function.parent();
  if (holder.Is(NodeKind::kDecoratedDefinition)) holder = holder.parent();
  return holder.Is(NodeKind::kBlock) && holder.parent().Is(NodeKind::kClassDefinition);
}

Node ParameterOf(Node function, size_t position, std::string_view keyword) {
  const Node parameters = function.Child(Field::kParameters);
  if (!parameters) return {};
  size_t index = 0;
  if (IsMethod(function)) ++position;
  for (Node parameter = parameters.first_named_child(); parameter;
       parameter = parameter.next_named_sibling(), ++index) {
    const Node named = parameter.Child(Field::kName);
    const Node plain =
        parameter.Is(NodeKind::kIdentifier) ? parameter : parameter.first_named_child();
    const Node name = named ? named : plain;
    if (keyword.empty() ? index == position : name.text() == keyword) return name;
  }
  return {};
}

Node ArgumentFor(Node call, Node function, Node parameter) {
  size_t position = 0;
  for (const Argument& argument : ArgumentsOf(call)) {
    if (argument.is_splat) return {};
    if (ParameterOf(function, position, argument.keyword) == parameter) return argument.value;
    if (argument.keyword.empty()) ++position;
  }
  return {};
}

Node ConstructorOf(Node definition) {
  const Node body = definition.Child(Field::kBody);
  for (uint32_t id = body ? body.id() : 0; body && id < body.end_id(); ++id) {
    const Node node = definition.tree().node(id);
    if (node.Is(NodeKind::kFunctionDefinition) && node.Child(Field::kName).text() == "__init__") {
      return node;
    }
  }
  return {};
}

}  // namespace transplt
