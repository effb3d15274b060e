// SPDX-License-Identifier: Apache-2.0
// The part of TensorTypes that says where tensors are.
#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/facts/loops.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {

/// False for `torch.tensor([1, 2])`.
bool TensorTypes::MayBeScalar(Node expression) const {
  if (expression.Is(NodeKind::kIdentifier)) {
    return std::ranges::any_of(names_.BindingsOf(expression), [&](const Binding* binding) {
      return binding->value && !binding->value.Is(NodeKind::kIdentifier) &&
             MayBeScalar(binding->value);
    });
  }
  if (!expression.Is(NodeKind::kCall)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(expression);
  return !arguments.empty() && !arguments[0].value.Is(NodeKind::kList) &&
         Words("scalar-makers").Has(NameOf(expression.Child(Field::kFunction)));
}

/// `states` of `for name, state in states.items()`, where `variable` is one of the two; a null node
/// for what is no loop.
static Node TableIteratedBy(Node variable) {
  const Node iterated = IteratedBy(variable);
  for (const std::string_view method : {"items", "values"}) {
    if (IsMethodCall(iterated, method)) {
      return iterated.Child(Field::kFunction).Child(Field::kObject);
    }
  }
  return iterated;
}

bool TensorTypes::IsOnHost(Node expression) const {
  Trail trail;
  return IsOnHost(expression, trail);
}

bool TensorTypes::IsOnHost(Node expression, Trail& trail) const {
  while (expression.Is(NodeKind::kParenthesizedExpression) || expression.Is(NodeKind::kSubscript)) {
    expression = expression.first_named_child();
  }
  if (!expression || --trail.steps < 0) return false;
  if (expression.text().find("cpu") != std::string_view::npos) return true;
  if (expression.Is(NodeKind::kIdentifier)) return IsVariableOnHost(expression, trail);
  if (expression.Is(NodeKind::kComparisonOperator) || expression.Is(NodeKind::kBinaryOperator)) {
    // Only a tensor without dimensions may be where the other one is not.
    for (Node part = expression.first_named_child(); part; part = part.next_named_sibling()) {
      if (IsOnHost(part, trail) && !MayBeScalar(part)) return true;
    }
    return false;
  }
  return expression.Is(NodeKind::kCall) && IsResultOnHost(expression, trail);
}

bool TensorTypes::IsVariableOnHost(Node identifier, Trail& trail) const {
  const NameTable::Meanings bindings = names_.BindingsOf(identifier);
  return !bindings.empty() && std::all_of(bindings.begin(), bindings.end(), [&](const Binding* at) {
    const auto [known, is_new] = trail.known.try_emplace(at, true);
    if (!is_new) return known->second;
    const Node value = at->kind == BindingKind::kAssignment ? at->value : TableIteratedBy(at->node);
    known->second = IsOnHost(value, trail);
    return known->second;
  });
}

bool TensorTypes::IsResultOnHost(Node call, Trail& trail) const {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (FindKeyword(arguments, "device") != nullptr) return false;
  const Node callee = call.Child(Field::kFunction);
  const std::string name = NameOf(callee);
  if (Words("host-makers").Has(name)) return true;
  if (!name.empty()) {
    if (!name.starts_with("torch.") || arguments.empty()) return false;
    // `torch.einsum("ij,jk", x, y)`: all tensors of a product are in one place.
    if (!arguments[0].value.Is(NodeKind::kString)) return IsOnHost(arguments[0].value, trail);
    return std::ranges::any_of(arguments, [&](const Argument& argument) {
      return IsOnHost(argument.value, trail) && !MayBeScalar(argument.value);
    });
  }
  if (callee.Is(NodeKind::kIdentifier)) return GivesOnlyHostTensors(callee, trail);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  return !MayMove(callee.Child(Field::kAttribute).text(), arguments) &&
         IsOnHost(callee.Child(Field::kObject), trail);
}

/// True for a function of the file all of whose results are tensors of the host.
bool TensorTypes::GivesOnlyHostTensors(Node callee, Trail& trail) const {
  const NameTable::Meanings bindings = names_.BindingsOf(callee);
  if (bindings.size() != 1) return false;
  const Binding* const function = *bindings.begin();
  const Node definition = function->statement;
  if (!definition.Is(NodeKind::kFunctionDefinition)) return false;
  // `@functools.lru_cache(maxsize=None)`, `@torch.no_grad()`: others may move what it gives.
  for (const Node decorator : NamedChildren(definition.parent())) {
    if (!decorator.Is(NodeKind::kDecorator)) continue;
    Node name = decorator.first_named_child();
    if (name.Is(NodeKind::kCall)) name = name.Child(Field::kFunction);
    const std::string full = NameOf(name);
    if (FirstPart(full) != "torch" && !Words("python-modules").Has(FirstPart(full))) return false;
  }
  const auto [known, is_new] = trail.known.try_emplace(function, true);
  if (!is_new) return known->second;
  bool returns = false;
  bool is_on_host = true;
  for (const Node node : NodesIn(definition)) {
    if (!node.Is(NodeKind::kReturnStatement) || EnclosingFunction(node) != definition) continue;
    returns = true;
    is_on_host = is_on_host && IsOnHost(node.first_named_child(), trail);
  }
  return known->second = returns && is_on_host;
}

bool TensorTypes::IsNewModule(Node object) const {
  const Node function = EnclosingFunction(object);
  Node made;
  for (const Node node : NodesIn(function ? function : object.tree().root())) {
    if (node.range().start >= object.range().start) break;
    if (node.Is(NodeKind::kAssignment) && node.Child(Field::kLeft).text() == object.text()) {
      made = node.Child(Field::kRight);
    }
    const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
    if (callee.Is(NodeKind::kAttribute) && callee.Child(Field::kObject).text() == object.text() &&
        Moves(node)) {
      made = {};
    }
  }
  return made.Is(NodeKind::kCall) &&
         std::ranges::none_of(NodesIn(made), [&](Node node) { return Moves(node); });
}

bool TensorTypes::Moves(Node call) const {
  const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
  return callee.Is(NodeKind::kAttribute) &&
         MayMove(callee.Child(Field::kAttribute).text(), ArgumentsOf(call));
}

/// False for `x.to(torch.float64)` and `x.to(dtype=kind, copy=True)`.
bool TensorTypes::MayMove(std::string_view method, const std::vector<Argument>& arguments) const {
  if (!Words("moving-methods").Has(method)) return false;
  return arguments.empty() || !std::ranges::all_of(arguments, [&](const Argument& argument) {
           if (argument.is_splat) return false;
           if (!argument.keyword.empty()) return argument.keyword != "other";
           return NameOf(argument.value).starts_with("torch.");
         });
}

}  // namespace transplt
