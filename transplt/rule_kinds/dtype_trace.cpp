// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/dtype_trace.h"

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/classes.h"
#include "transplt/facts/numpy_values.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/tensor_names.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The statement of a block that `node` is part of.
Node StatementOfBlock(Node node) {
  while (node && node.parent() && !node.parent().Is(NodeKind::kBlock) &&
         !node.parent().Is(NodeKind::kModule)) {
    node = node.parent();
  }
  return node;
}

bool IsIn(Node inner, Node outer) {
  return outer.range().start <= inner.range().start && inner.range().end <= outer.range().end;
}

/// True if one loop holds both.
bool ShareLoop(Node one, Node other) {
  for (Node node = one; node; node = node.parent()) {
    const bool is_loop = node.Is(NodeKind::kForStatement) || node.Is(NodeKind::kWhileStatement);
    if (is_loop && IsIn(other, node)) return true;
  }
  return false;
}

/// True for what its file shows to be a tensor.
bool IsTensorHere(const ValueSource& value) {
  const Classes classes(*value.names, nullptr);
  return TensorTypes(*value.names, classes).IsTensor(value.node);
}

/// True if what `earlier` gives its name never gets to `use`: a later statement of the same block,
/// or of one around it, gives the name another value before.
bool IsReplaced(const Binding& earlier, const Binding& later, Node use) {
  const Node first = StatementOfBlock(earlier.node);
  const Node second = StatementOfBlock(later.node);
  if (!first || !second || later.node.parent().Is(NodeKind::kAugmentedAssignment)) return false;
  return first.range().end <= second.range().start && second.range().end <= use.range().start &&
         IsIn(first, second.parent());
}

}  // namespace

DtypeSigns::DtypeSigns(const Fields& fields)
    : dtypes(fields.List("dtypes")),
      methods(fields.List("methods")),
      conversions(fields.List("conversions")),
      made_by(fields.List("made_by")),
      kept_by(fields.List("kept_by")),
      number_by(fields.List("number_by")),
      wins(fields.Boolean("wins", false)) {}

bool DtypeSigns::IsConversion(const ValueSource& call) const {
  const std::string_view method = call.node.Child(Field::kFunction).Child(Field::kAttribute).text();
  const std::vector<Argument> arguments = ArgumentsOf(call.node);
  if (IsOneOf(method, methods)) return arguments.empty();
  if (!IsOneOf(method, conversions) || arguments.empty()) return false;
  const Argument& first = arguments[0];
  const bool is_dtype = first.keyword.empty() || first.keyword == "dtype";
  const bool names_device = FindKeyword(arguments, "device") != nullptr;
  return is_dtype && !names_device && !first.is_splat && IsDtype(call.At(first.value));
}

bool DtypeSigns::IsDtype(const ValueSource& value) const {
  const Node text = value.node.Is(NodeKind::kString) ? PlainStringContent(value.node) : Node();
  return std::ranges::any_of(dtypes, [&](const std::string& dtype) {
    if (text) return dtype.starts_with("numpy.") && text.text() == LastPart(dtype);
    return value.names->IsNamed(value.node, dtype);
  });
}

std::optional<ValueSource> DtypeTrace::MakerOf(const ValueSource& value) {
  constexpr size_t kDeepest = 12;
  // Each may ask for the callers of a function in other files.
  constexpr size_t kMostSteps = 60;
  if (trail_.size() > kDeepest || ++steps_ > kMostSteps) return std::nullopt;
  trail_.push_back(value);
  std::optional<ValueSource> maker = Look(value);
  trail_.pop_back();
  return maker;
}

std::optional<ValueSource> DtypeTrace::Look(const ValueSource& value) {
  switch (value.node.kind()) {
    case NodeKind::kIdentifier:
      return MakerOfVariable(value);
    case NodeKind::kAttribute:
      return MakerOfMember(value);
    case NodeKind::kCall:
      return MakerOfCall(value);
    case NodeKind::kParenthesizedExpression:
      return MakerOf(value.At(value.node.first_named_child()));
    case NodeKind::kSubscript:
      return MakerOf(value.At(value.node.Child(Field::kValue)));
    case NodeKind::kBinaryOperator:
    case NodeKind::kUnaryOperator:
      return MakerOfOperation(value);
    case NodeKind::kConditionalExpression:
      return MakerOfChoice(value);
    default:
      return std::nullopt;
  }
}

std::optional<ValueSource> DtypeTrace::MakerOfVariable(const ValueSource& use) {
  std::optional<ValueSource> maker;
  const NameTable::Meanings bindings = use.names->BindingsOf(use.node);
  for (const Binding* binding : bindings) {
    if (binding->kind == BindingKind::kParameter) return MakerOfParameter(use);
    // `x += y` leaves the type, and `x = f(x)` is judged by what x was.
    if (binding->node.parent().Is(NodeKind::kAugmentedAssignment) || IsNoTensor(binding->value)) {
      continue;
    }
    const bool is_later = use.node.range().end <= binding->node.range().start;
    if (is_later && !ShareLoop(use.node, binding->node)) continue;
    const bool is_replaced =
        std::any_of(bindings.begin(), bindings.end(), [&](const Binding* other) {
          return other != binding && IsReplaced(*binding, *other, use.node);
        });
    if (is_replaced) continue;
    if (binding->kind != BindingKind::kAssignment) return std::nullopt;
    maker = MakerOf(use.At(binding->value));
    if (!maker) return std::nullopt;
  }
  return maker;
}

/// True for None, and for what is being judged already.
bool DtypeTrace::IsNoTensor(Node value) const {
  return value.Is(NodeKind::kNone) ||
         std::ranges::any_of(trail_, [&](const ValueSource& step) { return step.node == value; });
}

/// `x if x is not None else torch.zeros(2)`: both have the type, as far as they are tensors.
std::optional<ValueSource> DtypeTrace::MakerOfChoice(const ValueSource& choice) {
  const Node first = choice.node.first_named_child();
  std::optional<ValueSource> maker;
  for (const Node branch : {first, first.next_named_sibling().next_named_sibling()}) {
    if (IsNoTensor(branch)) continue;
    maker = MakerOf(choice.At(branch));
    if (!maker) return std::nullopt;
  }
  return maker;
}

std::optional<ValueSource> DtypeTrace::MakerOfParameter(const ValueSource& use) {
  for (const ValueSource& source : sources_.Of(use)) {
    if (source.node == use.node) continue;
    if (auto maker = MakerOf(source)) return maker;
  }
  return std::nullopt;
}

/// `self.sums`, if all that it is given has the type, as far as they are tensors.
std::optional<ValueSource> DtypeTrace::MakerOfMember(const ValueSource& member) {
  std::optional<ValueSource> maker;
  for (const ValueSource& source : sources_.Of(member)) {
    if (IsNoTensor(source.node)) continue;
    maker = MakerOf(source);
    if (!maker) return std::nullopt;
  }
  return maker;
}

/// `~mask`, `a & b`, `1 - mask`: of what has the type, the result has it.
std::optional<ValueSource> DtypeTrace::MakerOfOperation(const ValueSource& operation) {
  const std::string_view sign = SignOf(operation.node);
  if (operation.node.Is(NodeKind::kUnaryOperator)) {
    return sign == "~" ? MakerOf(operation.At(operation.node.Child(Field::kArgument)))
                       : std::nullopt;
  }
  const Node left = operation.node.Child(Field::kLeft);
  const Node right = operation.node.Child(Field::kRight);
  const bool computes = sign == "+" || sign == "-" || sign == "*";
  if (signs_.wins) {
    if (!computes && sign != "/") return std::nullopt;
    std::optional<ValueSource> maker = MakerOf(operation.At(left));
    return maker ? maker : MakerOf(operation.At(right));
  }
  if (!computes && sign != "&" && sign != "|" && sign != "^") return std::nullopt;
  if (left.Is(NodeKind::kInteger)) return MakerOf(operation.At(right));
  std::optional<ValueSource> maker = MakerOf(operation.At(left));
  // Of a number of NumPy and one of Python it is a number of NumPy.
  if (computes && !IsTensorHere(operation.At(left)) && !IsTensorHere(operation.At(right))) {
    if (maker && IsNumberMaker(*maker)) return maker;
    const auto other = maker ? std::nullopt : MakerOf(operation.At(right));
    if (other && IsNumberMaker(*other)) return other;
  }
  if (!maker || right.Is(NodeKind::kInteger) || MakerOf(operation.At(right))) return maker;
  return std::nullopt;
}

std::optional<ValueSource> DtypeTrace::MakerOfCall(const ValueSource& call) {
  const std::vector<Argument> arguments = ArgumentsOf(call.node);
  if (const Argument* dtype = FindKeyword(arguments, "dtype")) {
    return signs_.IsDtype(call.At(dtype->value)) ? std::optional(call) : std::nullopt;
  }
  const Node callee = call.node.Child(Field::kFunction);
  const auto is_one_of = [&](const std::vector<std::string>& functions) {
    return std::ranges::any_of(functions, [&](const std::string& function) {
      return call.names->IsNamed(callee, function);
    });
  };
  if (is_one_of(signs_.made_by))
    return TypeIn(arguments, call) ? std::nullopt : std::optional(call);
  if (IsNumberMaker(call)) {
    const bool is_number = arguments.size() == 1 && IsListOfNumbers(call.At(arguments[0].value));
    return is_number ? std::optional(call) : std::nullopt;
  }
  if (is_one_of(signs_.kept_by) && !arguments.empty()) {
    const Node first = arguments[0].value;
    const bool is_display = first.Is(NodeKind::kList) || first.Is(NodeKind::kTuple);
    const Node value = is_display ? first.first_named_child() : first;
    if (!value) return std::nullopt;
    std::optional<ValueSource> maker = MakerOf(call.At(value));
    return maker ? maker : MakerOfAppended(call.At(value));
  }
  if (!callee.Is(NodeKind::kAttribute)) return std::nullopt;
  if (signs_.IsConversion(call)) return call;
  // What keeps the values keeps the type, unless it is given another one.
  if (!Has(kKeepingMethods, callee.Child(Field::kAttribute).text()) || TypeIn(arguments, call)) {
    return std::nullopt;
  }
  return MakerOf(call.At(callee.Child(Field::kObject)));
}

/// True for `np.mean(x)`.
bool DtypeTrace::IsNumberMaker(const ValueSource& call) const {
  const Node callee = call.node.Child(Field::kFunction);
  return callee && std::ranges::any_of(signs_.number_by, [&](const std::string& function) {
           return call.names->IsNamed(callee, function);
         });
}

/// True for a list into which the program puts numbers of Python, as far as the text shows:
/// nothing of NumPy and of torch. `[score(x) for x in rows]`, `scores = []` with `.append()`.
bool DtypeTrace::IsListOfNumbers(const ValueSource& value) const {
  const auto is_plain = [&](const ValueSource& member) {
    return !MayBeOfNumpy(member, sources_) && !IsTensorHere(member);
  };
  const std::vector<ValueSource> lists = sources_.Of(value);
  for (const ValueSource& list : lists) {
    if (list.node.Is(NodeKind::kListComprehension)) {
      if (!is_plain(list.At(list.node.Child(Field::kBody)))) return false;
      continue;
    }
    const Node assignment = list.node.parent();
    const Node variable = assignment.Child(Field::kLeft);
    if (!list.node.Is(NodeKind::kList) || !variable.Is(NodeKind::kIdentifier)) return false;
    for (const Node member : NamedChildren(list.node)) {
      if (!is_plain(list.At(member))) return false;
    }
    for (const Node name : list.names->places().NodesSaying(variable.text())) {
      const Node call = name.parent().parent();
      const bool is_put = name.field() == Field::kObject && call.Is(NodeKind::kCall) &&
                          list.names->ScopeOf(name) == list.names->ScopeOf(variable);
      if (!is_put) continue;
      for (const Argument& argument : ArgumentsOf(call)) {
        if (!is_plain(list.At(argument.value))) return false;
      }
    }
  }
  return !lists.empty();
}

/// `sums.append(x)` of a list, in the same function.
std::optional<ValueSource> DtypeTrace::MakerOfAppended(const ValueSource& list) {
  if (!list.node.Is(NodeKind::kIdentifier)) return std::nullopt;
  for (const Node name : list.names->places().NodesSaying(list.node.text())) {
    const Node method = name.parent();
    const Node call = method.parent();
    const bool appends = method.Is(NodeKind::kAttribute) && name.field() == Field::kObject &&
                         method.Child(Field::kAttribute).text() == "append" &&
                         call.Is(NodeKind::kCall) &&
                         list.names->ScopeOf(name) == list.names->ScopeOf(list.node);
    if (!appends) continue;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() != 1) continue;
    if (std::optional<ValueSource> maker = MakerOf(list.At(arguments[0].value))) return maker;
  }
  return std::nullopt;
}

/// True if one of `arguments` is a name of torch or numpy, as types are: torch.float32.
bool DtypeTrace::TypeIn(const std::vector<Argument>& arguments, const ValueSource& call) const {
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    return std::ranges::any_of(call.names->Resolve(argument.value), [](const QualifiedName& name) {
      return !name.local && (name.name.starts_with("torch.") || name.name.starts_with("numpy."));
    });
  });
}

}  // namespace transplt
