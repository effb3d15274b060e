// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/device_tensors.h"

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/default_device.h"
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

OnDevice DeviceTensors::Of(Node expression) {
  constexpr int kMostSteps = 500;
  known_.clear();
  steps_ = std::min(kMostSteps, file_steps_);
  const int before = steps_;
  const OnDevice place = Of(ValueSource{expression, &file_.names()});
  file_steps_ -= before - std::max(steps_, 0);
  return place;
}

OnDevice DeviceTensors::Of(const ValueSource& value) {
  if (!value.node || --steps_ < 0) return OnDevice::kNo;
  // What is asked for by its own value, `x = f(x)`, is what its other values make it.
  const auto [known, is_new] = known_.try_emplace(value.place(), OnDevice::kCertain);
  if (!is_new) return known->second;
  const OnDevice place = Find(value);
  return known->second = place;
}

OnDevice DeviceTensors::Find(const ValueSource& value) {
  const Node node = value.node;
  switch (node.kind()) {
    case NodeKind::kIdentifier:
      return OfVariable(value);
    case NodeKind::kCall:
      return OfResult(value);
    case NodeKind::kSubscript:
      // `loss.data[0]` was a number of Python before torch 0.4, and becomes loss.item().
      if (node.first_named_child().Is(NodeKind::kAttribute) &&
          node.Child(Field::kSubscript).Is(NodeKind::kInteger)) {
        return OnDevice::kNo;
      }
      [[fallthrough]];
    case NodeKind::kParenthesizedExpression:
    case NodeKind::kUnaryOperator:
      return Of(value.At(node.first_named_child()));
    case NodeKind::kConditionalExpression:
      return std::min(Of(value.At(node.first_named_child())), Of(value.At(LastNamedChild(node))));
    case NodeKind::kBinaryOperator:
    case NodeKind::kComparisonOperator: {
      std::vector<ValueSource> parts;
      for (const Node part : NamedChildren(node)) parts.push_back(value.At(part));
      return OfAny(parts);
    }
    case NodeKind::kAttribute:
      if (Has(kOtherAttributes, node.Child(Field::kAttribute).text())) return OnDevice::kNo;
      if (node.Child(Field::kObject).text() == "self") return OfAll(sources_.Of(value), value);
      return Of(value.At(node.Child(Field::kObject)));
    default:
      return OnDevice::kNo;
  }
}

/// The least certain of the values, of which there are some; None does not count.
OnDevice DeviceTensors::OfAll(const std::vector<ValueSource>& values, const ValueSource& asked) {
  OnDevice least = OnDevice::kCertain;
  bool is_any = false;
  for (const ValueSource& one : values) {
    if (one.node.Is(NodeKind::kNone)) continue;
    if (one.node == asked.node && one.names == asked.names) return OnDevice::kNo;
    least = std::min(least, Of(one));
    if (least == OnDevice::kNo) return least;
    is_any = true;
  }
  return is_any ? least : OnDevice::kNo;
}

/// The most certain of the values.
OnDevice DeviceTensors::OfAny(const std::vector<ValueSource>& values) {
  OnDevice most = OnDevice::kNo;
  for (const ValueSource& one : values) {
    most = std::max(most, Of(one));
    if (most == OnDevice::kCertain) break;
  }
  return most;
}

OnDevice DeviceTensors::OfVariable(const ValueSource& name) {
  OnDevice moved = OnDevice::kNo;
  OnDevice all = OnDevice::kNo;
  bool is_first = true;
  for (const Binding* binding : name.names->BindingsOf(name.node)) {
    const bool is_assigned = binding->kind == BindingKind::kAssignment && binding->value;
    if (is_assigned && binding->value.Is(NodeKind::kNone)) continue;
    const OnDevice place = is_assigned                                ? Of(name.At(binding->value))
                           : binding->kind == BindingKind::kParameter ? OfParameter(name, *binding)
                                                                      : OfPart(name, *binding);
    if (is_assigned && MovesItself(*binding)) moved = std::max(moved, place);
    if (moved == OnDevice::kCertain) return moved;
    all = is_first ? place : std::min(all, place);
    is_first = false;
  }
  return std::max(moved, all);
}

/// By the arguments of all callers.
OnDevice DeviceTensors::OfParameter(const ValueSource& name, const Binding& binding) {
  const ValueSource function = name.At(name.names->ScopeNode(binding.scope));
  if (!function.node.Is(NodeKind::kFunctionDefinition)) return OnDevice::kNo;
  OnDevice least = OnDevice::kCertain;
  bool is_any = false;
  for (const ValueSource& call : CallsOf(function)) {
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(call.node)) {
      if (argument.is_splat) return OnDevice::kNo;
      const bool is_it = ParameterOf(function.node, position, argument.keyword) == binding.node;
      if (argument.keyword.empty()) ++position;
      if (!is_it || argument.value.Is(NodeKind::kNone)) continue;
      least = std::min(least, Of(call.At(argument.value)));
      if (least == OnDevice::kNo) return least;
      is_any = true;
    }
  }
  return is_any ? least : OnDevice::kNo;
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
OnDevice DeviceTensors::OfPart(const ValueSource& name, const Binding& binding) {
  const Node whole = TakenApart(binding.node);
  if (!whole) return OnDevice::kNo;
  const std::vector<ValueSource> parts = sources_.Of(name.At(binding.node));
  const bool leads_on = std::ranges::none_of(
      parts, [&](const ValueSource& part) { return part.node == binding.node; });
  return leads_on ? OfAll(parts, name) : Of(name.At(whole));
}

OnDevice DeviceTensors::OfResult(const ValueSource& call) {
  const Node callee = call.node.Child(Field::kFunction);
  if (IsOfTorch(call)) return OfResultOfTorch(call);
  if (callee.Is(NodeKind::kAttribute)) {
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const ValueSource object = call.At(callee.Child(Field::kObject));
    if (Words("moving-methods").Has(method)) {
      return method == "to" ? OfMoved(call.node, object) : OnDevice::kCertain;
    }
    if (Has(kOtherMethods, method) || Words("methods-of-other-memory").Has(method)) {
      return OnDevice::kNo;
    }
    if (const OnDevice place = Of(object); place != OnDevice::kNo) return place;
  }
  const std::vector<ValueSource> results = sources_.Of(call);
  const bool leads_on = std::ranges::none_of(
      results, [&](const ValueSource& result) { return result.node == call.node; });
  if (leads_on) return OfAll(results, call);
  if (!IsModule(call.At(callee))) return OnDevice::kNo;
  std::vector<ValueSource> given;
  for (const Argument& argument : ArgumentsOf(call.node)) {
    if (!argument.is_splat) given.push_back(call.At(argument.value));
  }
  return OfAny(given);
}

/// Of `object.to(...)`.
OnDevice DeviceTensors::OfMoved(Node to, const ValueSource& object) {
  const std::vector<Argument> arguments = ArgumentsOf(to);
  const Argument* place = FindArgument(arguments, 0, "device");
  const bool may_have_place = std::ranges::any_of(arguments, &Argument::is_splat);
  if (place == nullptr) return may_have_place ? OnDevice::kNo : Of(object);
  const ValueSource given = object.At(place->value);
  return IsOfDtype(given) ? Of(object) : OfPlace(given);
}

OnDevice DeviceTensors::OfResultOfTorch(const ValueSource& call) {
  const bool is_other = std::ranges::any_of(
      call.names->Resolve(call.node.Child(Field::kFunction)),
      [](const QualifiedName& name) { return Has(kOtherFunctions, LastPart(name.name)); });
  if (is_other) return OnDevice::kNo;
  const std::vector<Argument> arguments = ArgumentsOf(call.node);
  if (const Argument* device = FindKeyword(arguments, "device")) {
    return OfPlace(call.At(device->value));
  }
  if (TakesDefaultDevice(call) && HasDefaultDevice()) return OnDevice::kLikely;
  std::vector<ValueSource> given;
  for (const Argument& argument : arguments) {
    if (argument.is_splat) continue;
    const Node value = argument.value;
    if (value.Is(NodeKind::kList) || value.Is(NodeKind::kTuple)) {
      for (const Node one : NamedChildren(value)) given.push_back(call.At(one));
    } else {
      given.push_back(call.At(value));
    }
  }
  return OfAny(given);
}

/// `torch.float`, of `x.to(torch.float)`.
bool DeviceTensors::IsOfDtype(const ValueSource& value) {
  return value.node.Is(NodeKind::kAttribute) &&
         std::ranges::any_of(value.names->Resolve(value.node), [](const QualifiedName& name) {
           return !name.local && FirstPart(name.name) == "torch";
         });
}

/// Of a text, a number or a torch.device that names a device; of a choice one has to, and the
/// others name the host.
OnDevice DeviceTensors::OfPlace(const ValueSource& value) const {
  OnDevice most = OnDevice::kNo;
  bool is_unknown = false;
  for (const ValueSource& source : sources_.Of(value)) {
    const Node node = source.node;
    const Node text = PlainStringContent(node);
    if (text) {
      if (!Words("host-devices").Has(text.text().substr(0, text.text().find(':')))) {
        most = OnDevice::kCertain;
      }
    } else if (node.Is(NodeKind::kString) || node.Is(NodeKind::kInteger)) {
      most = OnDevice::kCertain;  // f"cuda:{rank}"
    } else if (node.Is(NodeKind::kCall) && IsOfTorch(source)) {
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (arguments.empty() || arguments[0].is_splat) return OnDevice::kNo;
      most = std::max(most, OfPlace(source.At(arguments[0].value)));
    } else if (!node.Is(NodeKind::kNone)) {
      if (node.Is(NodeKind::kCall)) return OnDevice::kNo;
      is_unknown = true;
    }
  }
  return is_unknown ? OnDevice::kLikely : most;
}

bool DeviceTensors::HasDefaultDevice() {
  if (!has_default_device_) has_default_device_ = ChoosesDefaultDevice(file_.names(), project_);
  return *has_default_device_;
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
