// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/device_tensors.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/module_inputs.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/parameters.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True for a call of torch itself, or of one of its modules.
bool IsOfTorch(const ValueSource& call) {
  return std::ranges::any_of(
      call.names->Resolve(call.node.Child(Field::kFunction)),
      [](const QualifiedName& name) { return !name.local && FirstPart(name.name) == "torch"; });
}

/// `if gpu: x = x.cuda()`: a move of what the variable holds, which happens where there is a
/// device.
bool MovesItself(const Binding& binding) {
  const Node made = MadeFirst(binding.value);
  return made != binding.value && made.text() == binding.name;
}

/// The right side of `a, b = value`, where a name is one of several that it is taken apart into.
Node TakenApart(Node target) {
  const Node pattern = target.parent();
  const bool is_pattern = pattern.Is(NodeKind::kPatternList) || pattern.Is(NodeKind::kTuplePattern);
  const Node assignment = is_pattern ? pattern.parent() : Node();
  return assignment.Is(NodeKind::kAssignment) ? assignment.Child(Field::kRight) : Node();
}

}  // namespace

bool DeviceTensors::IsOnDevice(Node expression) {
  constexpr int kMostSteps = 500;
  known_.clear();
  steps_ = std::min(kMostSteps, file_steps_);
  const int before = steps_;
  const bool is_on_device = IsOnDevice(ValueSource{expression, &file_.names()});
  file_steps_ -= before - std::max(steps_, 0);
  return is_on_device;
}

bool DeviceTensors::IsOnDevice(const ValueSource& value) {
  if (!value.node || --steps_ < 0) return false;
  // What is asked for by its own value, `x = f(x)`, is what its other values make it.
  const auto [known, is_new] = known_.try_emplace(value.place(), true);
  if (!is_new) return known->second;
  const bool is_on_device = Find(value);
  return known->second = is_on_device;
}

bool DeviceTensors::Find(const ValueSource& value) {
  const Node node = value.node;
  switch (node.kind()) {
    case NodeKind::kIdentifier:
      return IsVariableOnDevice(value);
    case NodeKind::kCall:
      return IsResultOnDevice(value);
    case NodeKind::kSubscript:
      // `loss.data[0]` was a number of Python before torch 0.4, and becomes loss.item().
      if (node.first_named_child().Is(NodeKind::kAttribute) &&
          node.Child(Field::kSubscript).Is(NodeKind::kInteger)) {
        return false;
      }
      [[fallthrough]];
    case NodeKind::kParenthesizedExpression:
    case NodeKind::kUnaryOperator:
      return IsOnDevice(value.At(node.first_named_child()));
    case NodeKind::kConditionalExpression:
      return IsOnDevice(value.At(node.first_named_child())) &&
             IsOnDevice(value.At(LastNamedChild(node)));
    case NodeKind::kBinaryOperator:
    case NodeKind::kComparisonOperator:
      return std::ranges::any_of(NamedChildren(node),
                                 [&](Node part) { return IsOnDevice(value.At(part)); });
    case NodeKind::kAttribute:
      if (Has(kOtherAttributes, node.Child(Field::kAttribute).text())) return false;
      if (node.Child(Field::kObject).text() == "self") {
        return AreOnDevice(sources_.Of(value), value);
      }
      return IsOnDevice(value.At(node.Child(Field::kObject)));
    default:
      return false;
  }
}

/// True if there are values, all of which are on the device; None does not count.
bool DeviceTensors::AreOnDevice(const std::vector<ValueSource>& values, const ValueSource& asked) {
  bool is_any = false;
  for (const ValueSource& one : values) {
    if (one.node.Is(NodeKind::kNone)) continue;
    if (one.node == asked.node && one.names == asked.names) return false;
    if (!IsOnDevice(one)) return false;
    is_any = true;
  }
  return is_any;
}

bool DeviceTensors::IsVariableOnDevice(const ValueSource& name) {
  bool are_all = false;
  bool is_first = true;
  for (const Binding* binding : name.names->BindingsOf(name.node)) {
    const bool is_assigned = binding->kind == BindingKind::kAssignment && binding->value;
    if (is_assigned && binding->value.Is(NodeKind::kNone)) continue;
    const bool is_on_device = is_assigned ? IsOnDevice(name.At(binding->value))
                              : binding->kind == BindingKind::kParameter
                                  ? IsParameterOnDevice(name, *binding)
                                  : IsPartOnDevice(name, *binding);
    if (is_on_device && is_assigned && MovesItself(*binding)) return true;
    are_all = is_on_device && (is_first || are_all);
    is_first = false;
  }
  return are_all;
}

/// By the arguments of all callers.
bool DeviceTensors::IsParameterOnDevice(const ValueSource& name, const Binding& binding) {
  const ValueSource function = name.At(name.names->ScopeNode(binding.scope));
  if (!function.node.Is(NodeKind::kFunctionDefinition)) return false;
  bool is_any = false;
  for (const ValueSource& call : CallsOf(function)) {
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(call.node)) {
      if (argument.is_splat) return false;
      const bool is_it = ParameterOf(function.node, position, argument.keyword) == binding.node;
      if (argument.keyword.empty()) ++position;
      if (!is_it || argument.value.Is(NodeKind::kNone)) continue;
      if (!IsOnDevice(call.At(argument.value))) return false;
      is_any = true;
    }
  }
  return is_any;
}

/// The calls of a function; of `forward` those of the objects of its class.
std::vector<ValueSource> DeviceTensors::CallsOf(const ValueSource& function) const {
  std::vector<ValueSource> calls = sources_.CallsOf(function);
  const bool is_forward =
      IsMethod(function.node) && function.node.Child(Field::kName).text() == "forward";
  Node holder = is_forward ? function.node.parent() : Node();
  while (holder && !holder.Is(NodeKind::kClassDefinition)) holder = holder.parent();
  const Node constructor = holder ? ConstructorOf(holder) : Node();
  if (!constructor) return calls;
  for (const ValueSource& maker : sources_.CallsOf(function.At(constructor))) {
    const Classes classes(*maker.names, project_);
    const ModuleInputs inputs =
        InputsOfModule(maker.node, CodeFile(*maker.names, classes, project_));
    calls.insert(calls.end(), inputs.calls.begin(), inputs.calls.end());
  }
  return calls;
}

/// `lengths, order = x.sort()`
bool DeviceTensors::IsPartOnDevice(const ValueSource& name, const Binding& binding) {
  const Node whole = TakenApart(binding.node);
  if (!whole) return false;
  const std::vector<ValueSource> parts = sources_.Of(name.At(binding.node));
  const bool leads_on = std::ranges::none_of(
      parts, [&](const ValueSource& part) { return part.node == binding.node; });
  return leads_on ? AreOnDevice(parts, name) : IsOnDevice(name.At(whole));
}

bool DeviceTensors::IsResultOnDevice(const ValueSource& call) {
  const Node callee = call.node.Child(Field::kFunction);
  if (IsOfTorch(call)) return IsResultOfTorchOnDevice(call);
  const std::vector<Argument> arguments = ArgumentsOf(call.node);
  if (callee.Is(NodeKind::kAttribute)) {
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const ValueSource object = call.At(callee.Child(Field::kObject));
    if (Words("moving-methods").Has(method)) {
      return method == "to" ? IsOnDeviceAfter(call.node, object) : true;
    }
    if (Has(kOtherMethods, method) || Words("methods-of-other-memory").Has(method)) return false;
    if (IsOnDevice(object)) return true;
  }
  const std::vector<ValueSource> results = sources_.Of(call);
  const bool leads_on = std::ranges::none_of(
      results, [&](const ValueSource& result) { return result.node == call.node; });
  if (leads_on) return AreOnDevice(results, call);
  return IsModule(call.At(callee)) && std::ranges::any_of(arguments, [&](const Argument& argument) {
           return !argument.is_splat && IsOnDevice(call.At(argument.value));
         });
}

/// Of `object.to(...)`.
bool DeviceTensors::IsOnDeviceAfter(Node to, const ValueSource& object) {
  const std::vector<Argument> arguments = ArgumentsOf(to);
  const Argument* place = FindArgument(arguments, 0, "device");
  const bool may_have_place = std::ranges::any_of(arguments, &Argument::is_splat);
  if (place == nullptr) return !may_have_place && IsOnDevice(object);
  const ValueSource given = object.At(place->value);
  if (IsOfDtype(given)) return IsOnDevice(object);
  return IsDevice(given);
}

bool DeviceTensors::IsResultOfTorchOnDevice(const ValueSource& call) {
  const bool is_other = std::ranges::any_of(
      call.names->Resolve(call.node.Child(Field::kFunction)),
      [](const QualifiedName& name) { return Has(kOtherFunctions, LastPart(name.name)); });
  if (is_other) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call.node);
  if (const Argument* device = FindKeyword(arguments, "device")) {
    return IsDevice(call.At(device->value));
  }
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    if (argument.is_splat) return false;
    const Node value = argument.value;
    if (!value.Is(NodeKind::kList) && !value.Is(NodeKind::kTuple)) {
      return IsOnDevice(call.At(value));
    }
    return std::ranges::any_of(NamedChildren(value),
                               [&](Node one) { return IsOnDevice(call.At(one)); });
  });
}

/// `torch.float`, of `x.to(torch.float)`.
bool DeviceTensors::IsOfDtype(const ValueSource& value) {
  return value.node.Is(NodeKind::kAttribute) &&
         std::ranges::any_of(value.names->Resolve(value.node), [](const QualifiedName& name) {
           return !name.local && FirstPart(name.name) == "torch";
         });
}

/// True for a text, a number or a torch.device that names a device; of a choice one has to, and
/// the others name the host.
bool DeviceTensors::IsDevice(const ValueSource& value) const {
  bool is_device = false;
  for (const ValueSource& source : sources_.Of(value)) {
    const Node node = source.node;
    const Node text = PlainStringContent(node);
    if (text) {
      is_device =
          is_device || !Words("host-devices").Has(text.text().substr(0, text.text().find(':')));
    } else if (node.Is(NodeKind::kString) || node.Is(NodeKind::kInteger)) {
      is_device = true;  // f"cuda:{rank}"
    } else if (node.Is(NodeKind::kCall) && IsOfTorch(source)) {
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (arguments.empty() || arguments[0].is_splat) return false;
      is_device = is_device || IsDevice(source.At(arguments[0].value));
    } else if (!node.Is(NodeKind::kNone)) {
      if (!takes_unknown_devices_ || node.Is(NodeKind::kCall)) return false;
      is_device = true;
    }
  }
  return is_device;
}

/// True for an object of a class of torch.nn, or of one of the project that has `forward`.
bool DeviceTensors::IsModule(const ValueSource& callee) const {
  const std::vector<ValueSource> makers = sources_.Of(callee);
  return std::ranges::any_of(makers, [&](const ValueSource& source) {
    const ValueSource made = source.At(MadeFirst(source.node));
    if (!made.node.Is(NodeKind::kCall)) return false;
    if (IsOfTorch(made)) return true;
    const auto definition = sources_.DefinitionOf(made.At(made.node.Child(Field::kFunction)));
    if (!definition || !definition->node.Is(NodeKind::kClassDefinition)) return false;
    return std::ranges::any_of(NodesIn(definition->node), [](Node node) {
      return node.Is(NodeKind::kFunctionDefinition) && node.Child(Field::kName).text() == "forward";
    });
  });
}

}  // namespace transplt
