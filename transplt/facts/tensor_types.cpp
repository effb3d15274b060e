// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/tensor_types.h"

#include <algorithm>
#include <array>

#include "transplt/base/ascii.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

/// Long enough for a value that is passed on through some variables.
constexpr int kTypeDepth = 24;

ValueType JoinedType(ValueType a, ValueType b) {
  if (a == b) return a;
  const auto is_tensor = [](ValueType t) {
    return t == ValueType::kTensor || t == ValueType::kMask;
  };
  if (is_tensor(a) && is_tensor(b)) return ValueType::kTensor;
  // One branch that is known speaks for one that is not, but a contradiction says nothing.
  if (is_tensor(a) && b == ValueType::kUnknown) return a;
  if (is_tensor(b) && a == ValueType::kUnknown) return b;
  return ValueType::kUnknown;
}

}  // namespace

bool IsMethodCall(Node node, std::string_view name) {
  if (!node.Is(NodeKind::kCall)) return false;
  const Node callee = node.Child(Field::kFunction);
  return callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == name;
}

std::string_view SignOf(Node operation) {
  Node child = operation.first_child();
  while (child && !child.Is(NodeKind::kToken)) child = child.next_sibling();
  return child.text();
}

Node EnclosingFunction(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kFunctionDefinition) || up.Is(NodeKind::kLambda)) return up;
  }
  return {};
}

std::string TensorTypes::NameOf(Node expression) const {
  for (const QualifiedName& name : names_.Resolve(expression)) {
    if (!name.local) return name.name;
  }
  return {};
}

ValueType TensorTypes::Of(Node expression) const {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  if (!expression || depth_ > kTypeDepth) return ValueType::kUnknown;
  // What is asked for again while it is computed is not known: a name that depends on itself.
  const auto [entry, is_new] = known_.try_emplace(expression.id(), ValueType::kUnknown);
  if (!is_new) return entry->second;
  ++depth_;
  const ValueType type = Compute(expression);
  --depth_;
  known_[expression.id()] = type;
  return type;
}

ValueType TensorTypes::Compute(Node expression) const {
  switch (expression.kind()) {
    case NodeKind::kComparisonOperator:
      return OfComparison(expression);
    case NodeKind::kBinaryOperator:
      return OfOperator(expression);
    case NodeKind::kUnaryOperator: {
      const ValueType type = Of(expression.Child(Field::kArgument));
      const bool keeps = SignOf(expression) == "~";
      return type == ValueType::kMask && !keeps ? ValueType::kTensor : type;
    }
    case NodeKind::kSubscript:
      return Of(expression.Child(Field::kValue));
    case NodeKind::kCall:
      return OfCall(expression);
    case NodeKind::kAttribute:
      return OfAttribute(expression);
    case NodeKind::kIdentifier:
      return OfIdentifier(expression);
    case NodeKind::kConditionalExpression: {
      const Node yes = expression.first_named_child();
      const Node condition = yes ? yes.next_named_sibling() : Node();
      return condition ? JoinedType(Of(yes), Of(condition.next_named_sibling()))
                       : ValueType::kUnknown;
    }
    case NodeKind::kNamedExpression:
      return Of(expression.Child(Field::kValue));
    case NodeKind::kAwait:
    case NodeKind::kYield:
      return ValueType::kUnknown;
    case NodeKind::kBooleanOperator: {
      return JoinedType(Of(expression.Child(Field::kLeft)), Of(expression.Child(Field::kRight)));
    }
    default:
      return ValueType::kOther;  // numbers, strings, lists, tuples, comprehensions ...
  }
}

ValueType TensorTypes::OfComparison(Node comparison) const {
  bool has_other = false;
  bool has_tensor = false;
  for (Node child = comparison.first_child(); child; child = child.next_sibling()) {
    if (child.Is(NodeKind::kToken)) {
      // `is`, `is not`, `in`, `not in`
      if (child.text().starts_with("i") || child.text().starts_with("n")) return ValueType::kOther;
      continue;
    }
    if (child.Is(NodeKind::kString) || child.Is(NodeKind::kNone)) return ValueType::kOther;
    const bool is_literal = child.Is(NodeKind::kInteger) || child.Is(NodeKind::kFloat) ||
                            child.Is(NodeKind::kUnaryOperator);
    const ValueType type = Of(child);
    has_tensor |= type == ValueType::kTensor || type == ValueType::kMask;
    has_other |= type == ValueType::kOther && !is_literal;
  }
  if (has_tensor) return ValueType::kMask;
  return has_other ? ValueType::kOther : ValueType::kUnknown;
}

ValueType TensorTypes::OfOperator(Node operation) const {
  const std::string_view sign = SignOf(operation);
  const ValueType left = Of(operation.Child(Field::kLeft));
  const ValueType right = Of(operation.Child(Field::kRight));
  const bool is_logical = sign == "&" || sign == "|" || sign == "^";
  if (left == ValueType::kMask || right == ValueType::kMask) {
    return is_logical ? ValueType::kMask : ValueType::kTensor;
  }
  if (left == ValueType::kTensor || right == ValueType::kTensor) return ValueType::kTensor;
  if (left == ValueType::kOther && right == ValueType::kOther) return ValueType::kOther;
  return ValueType::kUnknown;
}

ValueType TensorTypes::OfCall(Node call) const {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<QualifiedName> names = names_.Resolve(callee);
  for (const QualifiedName& name : names) {
    if (!name.local) return OfFunction(call, name.name);
  }
  if (!names.empty() || !callee.Is(NodeKind::kAttribute)) return ValueType::kUnknown;
  return OfMethod(call, callee);
}

ValueType TensorTypes::OfFunction(Node call, std::string_view name) const {
  if (Has(kOtherModules, FirstPart(name)) || Has(kOtherBuiltins, name)) return ValueType::kOther;
  if (!name.starts_with("torch.")) return ValueType::kUnknown;
  const std::string_view last = name.substr(name.rfind('.') + 1);
  const bool is_plain =
      name == "torch." + std::string(last) || name == "torch.Tensor." + std::string(last);
  const bool is_functional = name.starts_with("torch.nn.functional.") ||
                             name.starts_with("torch.linalg.") ||
                             name.starts_with("torch.special.") || name.starts_with("torch.fft.");
  if (!is_plain && !is_functional) {
    const bool is_type = last.ends_with("Tensor") || name == "torch.autograd.Variable";
    return is_type ? ValueType::kTensor : ValueType::kUnknown;
  }
  if (IsUpper(last[0])) {
    return last.ends_with("Tensor") ? ValueType::kTensor : ValueType::kOther;
  }
  // torch._foreach_add gives many, torch.is_tensor and torch.are_... answer.
  const bool asks = last[0] == '_' || last.starts_with("is_") || last.starts_with("are_") ||
                    last.starts_with("has_");
  if ((asks && last != "is_nonzero") || Has(kOtherFunctions, last)) return ValueType::kOther;
  if (is_functional) return ValueType::kTensor;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (Has(kSeveralFunctions, last)) {
    const bool is_where = last == "where" && arguments.size() > 1;
    const bool is_reduced = (last == "max" || last == "min") && arguments.size() == 1;
    const bool is_unique = last == "unique" && arguments.size() == 1;
    return is_where || is_reduced || is_unique ? ValueType::kTensor : ValueType::kUnknown;
  }
  const Argument* dtype = FindKeyword(arguments, "dtype");
  const bool is_mask =
      Has(kMaskFunctions, last) || (dtype != nullptr && NameOf(dtype->value) == "torch.bool");
  return is_mask ? ValueType::kMask : ValueType::kTensor;
}

ValueType TensorTypes::OfMethod(Node call, Node callee) const {
  const std::string_view method = callee.Child(Field::kAttribute).text();
  if (Has(kOtherMethods, method)) return ValueType::kOther;
  const ValueType object = Of(callee.Child(Field::kObject));
  if (object == ValueType::kOther) return ValueType::kOther;
  if (method == "to" || method == "type") {
    for (const Argument& argument : ArgumentsOf(call)) {
      const std::string name = NameOf(argument.value);
      if (name == "torch.bool") return ValueType::kMask;
      if (name == "torch.BoolTensor") return ValueType::kMask;
      if (name.starts_with("torch.") && object == ValueType::kMask) return ValueType::kTensor;
    }
  }
  if (Has(kMaskMethods, method)) return ValueType::kMask;
  if (Has(kKeepingMethods, method)) return object;
  if (Has(kTensorMethods, method)) return ValueType::kTensor;
  if (Has(kComputingMethods, method) && object != ValueType::kUnknown) {
    const bool is_mask = object == ValueType::kMask && (method == "any" || method == "all");
    return is_mask ? ValueType::kMask : ValueType::kTensor;
  }
  return ValueType::kUnknown;
}

ValueType TensorTypes::OfAttribute(Node attribute) const {
  const std::string_view name = attribute.Child(Field::kAttribute).text();
  if (Has(kOtherAttributes, name)) return ValueType::kOther;
  const Node object = attribute.Child(Field::kObject);
  if (name == "data" || name == "grad" || name == "T" || name == "mT") {
    const ValueType type = Of(object);
    return name == "grad" && type == ValueType::kUnknown ? ValueType::kTensor : type;
  }
  const std::string qualified = NameOf(attribute);
  if (Has(kOtherModules, FirstPart(qualified)) || qualified.starts_with("torch.")) {
    return ValueType::kOther;
  }
  return object.text() == "self" ? OfMember(attribute) : ValueType::kUnknown;
}

ValueType TensorTypes::OfMember(Node attribute) const {
  const Node holder = classes_.EnclosingClass(attribute);
  if (!holder) return ValueType::kUnknown;
  const std::string_view member = attribute.Child(Field::kAttribute).text();
  // Asked for again while it is computed: a member that depends on itself.
  const auto [entry, is_new] = members_.try_emplace({holder.id(), member}, ValueType::kUnknown);
  if (!is_new) return entry->second;
  ValueType type = ValueType::kUnknown;
  bool is_first = true;
  for (uint32_t id = holder.id(); id < holder.end_id(); ++id) {
    const Node node = names_.tree().node(id);
    ValueType assigned = ValueType::kUnknown;
    if (node.Is(NodeKind::kAssignment) && node.Child(Field::kLeft).text() == attribute.text()) {
      const Node value = node.Child(Field::kRight);
      if (!value || value.Is(NodeKind::kNone)) continue;
      assigned = Of(value);
    } else if (IsMethodCall(node, "register_buffer")) {
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (arguments.size() < 2 || PlainStringContent(arguments[0].value).text() != member) continue;
      assigned = ValueType::kTensor;
      if (Of(arguments[1].value) == ValueType::kMask) assigned = ValueType::kMask;
    } else {
      continue;
    }
    type = is_first ? assigned : JoinedType(type, assigned);
    is_first = false;
  }
  members_[{holder.id(), member}] = type;
  return type;
}

ValueType TensorTypes::OfIdentifier(Node identifier) const {
  const NameTable::Meanings bindings = names_.BindingsOf(identifier);
  ValueType type = ValueType::kUnknown;
  bool is_first = true;
  for (const Binding* binding : bindings) {
    const bool is_none =
        binding->kind == BindingKind::kAssignment && binding->value.Is(NodeKind::kNone);
    if (is_none) continue;
    const ValueType bound = OfBinding(*binding);
    type = is_first ? bound : JoinedType(type, bound);
    is_first = false;
  }
  if (type != ValueType::kUnknown || bindings.empty()) return type;
  return ByUse(identifier.text(), bindings.front()->scope);
}

ValueType TensorTypes::OfBinding(const Binding& binding) const {
  switch (binding.kind) {
    case BindingKind::kAssignment:
      return Of(binding.value);
    case BindingKind::kParameter:
      return OfParameter(binding);
    case BindingKind::kImport:
    case BindingKind::kFunction:
    case BindingKind::kClass:
      return ValueType::kOther;
    default:
      return ValueType::kUnknown;
  }
}

ValueType TensorTypes::OfParameter(const Binding& parameter) const {
  if (const Node type = parameter.node.parent().Child(Field::kType)) {
    const std::string_view text = type.text();
    if (text.ends_with("Tensor") || text.ends_with("Tensor]") || text.ends_with("Tensor | None")) {
      const bool is_one = text.find("List") == text.npos && text.find("list") == text.npos &&
                          text.find("Dict") == text.npos && text.find("dict") == text.npos &&
                          text.find("Tuple") == text.npos && text.find("tuple") == text.npos &&
                          text.find("Callable") == text.npos && text.find("Iter") == text.npos &&
                          text.find("Seq") == text.npos && text.find("Union") == text.npos;
      return is_one ? ValueType::kTensor : ValueType::kUnknown;
    }
    const bool may_be = text.find("Any") != text.npos || text.find("Union") != text.npos;
    return may_be ? ValueType::kUnknown : ValueType::kOther;
  }
  if (parameter.node.text() == "self" || parameter.node.text() == "cls") return ValueType::kOther;
  const bool has_value = parameter.value && !parameter.value.Is(NodeKind::kNone);
  if (has_value) return Of(parameter.value);
  return ValueType::kUnknown;
}

ValueType TensorTypes::ByUse(std::string_view name, uint32_t scope) const {
  const auto [entry, is_new] = by_use_.try_emplace({scope, name}, ValueType::kUnknown);
  if (!is_new) return entry->second;
  const Node holder = names_.ScopeNode(scope);
  if (scope == 0 || !holder) return ValueType::kUnknown;
  ValueType found = ValueType::kUnknown;
  for (uint32_t id = holder.id(); id < holder.end_id(); ++id) {
    const Node node = names_.tree().node(id);
    if (!node.Is(NodeKind::kIdentifier) || node.text() != name) continue;
    const ValueType used = OfUse(node);
    if (used == ValueType::kUnknown) continue;
    // Two uses that contradict each other: the name means different things.
    if (found != ValueType::kUnknown && found != used) return ValueType::kUnknown;
    found = used;
  }
  by_use_[{scope, name}] = found;
  return found;
}

ValueType TensorTypes::OfUse(Node identifier) const {
  const Node parent = identifier.parent();
  if (parent.Is(NodeKind::kAttribute) && identifier.field() == Field::kObject) {
    const std::string_view name = parent.Child(Field::kAttribute).text();
    const Node call = parent.parent();
    const bool is_called = call.Is(NodeKind::kCall) && call.Child(Field::kFunction) == parent;
    if (!is_called) return ValueType::kUnknown;
    if (name == "astype" || name == "append" || name == "items" || name == "keys") {
      return ValueType::kOther;
    }
    // `.float()` and `.half()` are methods of modules too.
    const bool is_tensors =
        Has(kTensorMethods, name) && name != "float" && name != "requires_grad_";
    return is_tensors || name == "dim" || name == "is_floating_point" ? ValueType::kTensor
                                                                      : ValueType::kUnknown;
  }
  if (parent.Is(NodeKind::kArgumentList) && parent.parent().Is(NodeKind::kCall)) {
    const std::string name = NameOf(parent.parent().Child(Field::kFunction));
    if (name.starts_with("numpy.") || name.starts_with("cv2.")) return ValueType::kOther;
    if (!name.starts_with("torch.")) return ValueType::kUnknown;
    static constexpr std::string_view kOfTensors = "functions-of-tensors";
    const bool is_one = Has(kOfTensors, name) || name.starts_with("torch.nn.functional.");
    const bool is_first = parent.first_named_child() == identifier;
    return is_one && is_first ? ValueType::kTensor : ValueType::kUnknown;
  }
  return ValueType::kUnknown;
}

}  // namespace transplt
