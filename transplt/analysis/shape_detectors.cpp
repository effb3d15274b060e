// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMaxSteps = 4;  // of a value through variables

/// True if `expression` is a number that was read out of a tensor.
bool IsReadValue(Node expression, const AdviceFile& file, int steps = 0) {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  if (!expression || steps > kMaxSteps) return false;
  if (expression.Is(NodeKind::kCall)) {
    const Node callee = expression.Child(Field::kFunction);
    const std::vector<Argument> arguments = ArgumentsOf(expression);
    if (callee.Is(NodeKind::kIdentifier)) {
      if (arguments.size() != 1) return false;
      if (callee.text() == "int") {
        return file.types().IsTensor(arguments[0].value) ||
               IsReadValue(arguments[0].value, file, steps + 1);
      }
      return (callee.text() == "max" || callee.text() == "min") &&
             IsReadValue(arguments[0].value, file, steps + 1);
    }
    const bool reads = IsMethodCall(expression, "item") || IsMethodCall(expression, "tolist");
    return reads && arguments.empty() &&
           file.types().Of(callee.Child(Field::kObject)) != ValueType::kOther &&
           (file.types().IsTensor(callee.Child(Field::kObject)) || !file.imports_arrays());
  }
  if (expression.Is(NodeKind::kBinaryOperator)) {
    return IsReadValue(expression.Child(Field::kLeft), file, steps + 1) ||
           IsReadValue(expression.Child(Field::kRight), file, steps + 1);
  }
  if (!expression.Is(NodeKind::kIdentifier)) return false;
  const std::vector<const Binding*> bindings = file.context().names().BindingsOf(expression);
  return !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
    return binding->kind == BindingKind::kAssignment &&
           IsReadValue(binding->value, file, steps + 1);
  });
}

bool IsSizeFromValue(Node expression, const AdviceFile& file) {
  if (expression.Is(NodeKind::kIdentifier)) {
    // A tensor in one branch, for tracing, and a number in the other.
    const bool is_mixed = std::ranges::any_of(
        file.context().names().BindingsOf(expression), [&](const Binding* bound) {
          return bound->kind == BindingKind::kAssignment && !IsReadValue(bound->value, file) &&
                 !file.types().IsTensor(bound->value);
        });
    if (is_mixed) return false;
  }
  return IsReadValue(expression, file) || file.types().IsTensor(expression);
}

/// `torch.where(condition)`: the places, as many as there are.
bool IsWhereOfCondition(Node call, const AdviceFile& file) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  return arguments.size() == 1 && !arguments[0].is_splat && file.CalledName(call) == "torch.where";
}

bool IsIndexedByMask(Node subscript, const AdviceFile& file) {
  if (RunsOnce(subscript)) return false;
  const Node object = subscript.Child(Field::kValue);
  if (!object || file.types().Of(object) == ValueType::kOther) return false;
  const bool is_tensor = file.types().IsTensor(object);
  for (Node index = subscript.first_child(); index; index = index.next_sibling()) {
    if (index.field() != Field::kSubscript) continue;
    Node inner = index;
    while (inner.Is(NodeKind::kParenthesizedExpression)) inner = inner.first_named_child();
    const ValueType type = file.types().Of(inner);
    if (type == ValueType::kMask) return true;
    // `x[y > 0]` of a tensor x: y is one, whatever it is.
    const bool compares = inner.Is(NodeKind::kComparisonOperator);
    if (is_tensor && compares && type == ValueType::kUnknown) return true;
  }
  return false;
}

bool IsStoredTo(Node subscript) {
  if (subscript.parent().Is(NodeKind::kAugmentedAssignment)) {
    return subscript.field() == Field::kLeft;
  }
  return subscript.parent().Is(NodeKind::kAssignment) && subscript.field() == Field::kLeft;
}

bool ReadsByMask(Node subscript, const AdviceFile& file) {
  return !IsStoredTo(subscript) && !subscript.parent().Is(NodeKind::kDeleteStatement) &&
         IsIndexedByMask(subscript, file);
}

bool StoresByMask(Node subscript, const AdviceFile& file) {
  return IsStoredTo(subscript) && IsIndexedByMask(subscript, file);
}

/// The value in `torch.zeros(n, m)`, `torch.zeros((n, m))`, `size=[n]`.
bool HasSizeFromValue(Node expression, const AdviceFile& file) {
  if (!expression.Is(NodeKind::kTuple) && !expression.Is(NodeKind::kList)) {
    return IsSizeFromValue(expression, file);
  }
  for (const Node item : NamedChildren(expression)) {
    if (IsSizeFromValue(item, file)) return true;
  }
  return false;
}

bool IsSizeFromTensor(Node call, const AdviceFile& file) {
  if (RunsOnce(call)) return false;
  const std::string name = file.CalledName(call);
  const Node callee = call.Child(Field::kFunction);
  const bool is_function = Words("sized-functions").Has(name);
  const bool is_method = name.empty() && callee.Is(NodeKind::kAttribute) &&
                         Words("sized-methods").Has(callee.Child(Field::kAttribute).text()) &&
                         file.types().Of(callee.Child(Field::kObject)) != ValueType::kOther;
  if (!is_function && !is_method) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_size = arguments[i].keyword.empty() || arguments[i].keyword == "size" ||
                         arguments[i].keyword == "end";
    // The second argument of full() is a value.
    if (!is_size || arguments[i].is_splat || (i == 1 && name == "torch.full")) continue;
    if (HasSizeFromValue(arguments[i].value, file)) return true;
  }
  return false;
}

bool IsSliceFromTensor(Node slice, const AdviceFile& file) {
  if (RunsOnce(slice)) return false;
  // Of a list, or an array of numpy, the shape does not matter.
  const Node subscript = slice.parent();
  if (!subscript.Is(NodeKind::kSubscript) ||
      !file.types().IsTensor(subscript.Child(Field::kValue))) {
    return false;
  }
  for (const Node bound : NamedChildren(slice)) {
    if (IsSizeFromValue(bound, file)) return true;
  }
  return false;
}

bool IsSizeOrSlice(Node node, const AdviceFile& file) {
  return node.Is(NodeKind::kCall) ? IsSizeFromTensor(node, file) : IsSliceFromTensor(node, file);
}

/// True if the function around `name` asks whether it is a list, or makes a list of it that keeps
/// its name (`xs = [f(x) for x in xs]`): then it is one where it is walked.
bool MayBeList(Node name) {
  const Node function = EnclosingFunction(name);
  if (!name.Is(NodeKind::kIdentifier) || !function) return false;
  const Node list = name.parent().parent();
  if (list.Is(NodeKind::kListComprehension) && list.parent().Is(NodeKind::kAssignment) &&
      list.parent().Child(Field::kLeft).text() == name.text()) {
    return true;
  }
  const std::string_view text = function.text();
  const std::string variable(name.text());
  return HasPart(text, "isinstance(" + variable + ",") || HasPart(text, "type(" + variable + ")");
}

/// `for v in t`, `for v in t.tolist()`, `for i in range(n.item())`, in comprehensions too.
bool LoopsOverValues(Node loop, const AdviceFile& file) {
  if (RunsOnce(loop)) return false;
  Node over = loop.Child(Field::kRight);
  if (!over) return false;
  bool is_enumerated = false;
  if (over.Is(NodeKind::kCall)) {
    const std::vector<Argument> arguments = ArgumentsOf(over);
    const std::string_view callee = over.Child(Field::kFunction).text();
    if (callee == "range") {
      return std::ranges::any_of(arguments, [&](const Argument& argument) {
        return IsSizeFromValue(argument.value, file);
      });
    }
    is_enumerated = callee == "enumerate" && !arguments.empty();
    if (is_enumerated) over = arguments[0].value;
  }
  if (over.Is(NodeKind::kCall) && IsMethodCall(over, "tolist")) return IsReadValue(over, file);
  // `for h, w in sizes` takes pairs out of a list, rows of a tensor are hardly taken apart.
  if (loop.Child(Field::kLeft).Is(NodeKind::kPatternList) && !is_enumerated) return false;
  return !MayBeList(over) && file.types().IsTensor(over);
}

/// A condition that is a tensor: the host waits for it, and what runs next depends on it.
bool BranchesOnTensor(Node branch, const AdviceFile& file) {
  if (RunsOnce(branch)) return false;
  const Node condition = branch.Is(NodeKind::kConditionalExpression)
                             ? branch.first_named_child().next_named_sibling()
                             : branch.Child(Field::kCondition);
  if (!condition) return false;
  // `if mask:` asks more often whether there is one.
  const bool is_name = condition.Is(NodeKind::kIdentifier) || condition.Is(NodeKind::kAttribute);
  if (!is_name && file.types().IsTensor(condition)) return true;
  for (const Node node : NodesIn(condition)) {
    if (!node.Is(NodeKind::kCall)) continue;
    const std::string name = file.CalledName(node);
    if (name == "torch.equal" || name == "torch.allclose") {
      return std::ranges::none_of(ArgumentsOf(node), [&](const Argument& argument) {
        return file.types().IsOnHost(argument.value);
      });
    }
    if (IsReadValue(node, file) && !IsMethodCall(node, "tolist")) return true;
    if (name == "torch.any" || name == "torch.all") return true;
    const bool reduces = IsMethodCall(node, "any") || IsMethodCall(node, "all");
    if (reduces && file.types().IsTensor(node)) return true;
  }
  return false;
}

/// True if another statement of `loop` than `assignment` gives `target` a value, alone or with
/// others (`x, h = layer(x)`): then it does not grow from round to round.
bool IsAssignedBeside(Node assignment, std::string_view target, Node loop) {
  for (const Node node : NodesIn(loop)) {
    if (node.text() != target) continue;
    const Node place = node.parent().Is(NodeKind::kPatternList) ? node.parent() : node;
    if (place.field() == Field::kLeft && !(place.parent() == assignment)) return true;
  }
  return false;
}

/// `x = torch.cat((x, y))` in a loop: x has another shape every time.
bool GrowsInLoop(Node call, const AdviceFile& file) {
  const std::string name = file.CalledName(call);
  if (name != "torch.cat" && name != "torch.concat" && name != "torch.hstack" &&
      name != "torch.vstack") {
    return false;
  }
  Node assignment = call.parent();
  if (!assignment.Is(NodeKind::kAssignment) || !(assignment.Child(Field::kRight) == call)) {
    return false;
  }
  Node loop = assignment.parent();
  while (loop && !loop.Is(NodeKind::kForStatement) && !loop.Is(NodeKind::kWhileStatement)) {
    if (loop.Is(NodeKind::kFunctionDefinition)) return false;
    loop = loop.parent();
  }
  if (!loop) return false;
  const std::string_view target = assignment.Child(Field::kLeft).text();
  if (IsAssignedBeside(assignment, target, loop)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (arguments.empty()) return false;
  const Node list = arguments[0].value;
  if (!list.Is(NodeKind::kTuple) && !list.Is(NodeKind::kList)) return false;
  for (const Node item : NamedChildren(list)) {
    if (item.text() == target) return true;
  }
  return false;
}

/// A tokenizer that pads to the longest text of each batch.
bool PadsToLongest(Node argument, const AdviceFile& /*file*/) {
  if (argument.Child(Field::kName).text() != "padding") return false;
  const Node value = argument.Child(Field::kValue);
  if (value.Is(NodeKind::kString)) return PlainStringContent(value).text() == "longest";
  if (!value.Is(NodeKind::kTrue)) return false;
  const Node call = argument.parent().parent();
  if (!call.Is(NodeKind::kCall)) return false;
  const std::string_view callee = call.Child(Field::kFunction).text();
  return HasPart(callee, "tokeniz") || HasPart(callee, "Tokeniz") ||
         HasPart(callee, "DataCollator");
}

bool RepeatsByTensor(Node call, const AdviceFile& file) {
  const bool is_function = file.CalledName(call) == "torch.repeat_interleave";
  if (!is_function && !IsMethodCall(call, "repeat_interleave")) return false;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (FindKeyword(arguments, "output_size") != nullptr) return false;
  const Argument* repeats = FindArgument(arguments, is_function ? 1 : 0, "repeats");
  return repeats != nullptr && file.types().IsTensor(repeats->value);
}

}  // namespace

std::span<const Detector> ShapeDetectors() {
  static const std::vector<Detector> detectors = {
      {"where_of_condition", {NodeKind::kCall}, IsWhereOfCondition},
      {"read_by_mask", {NodeKind::kSubscript}, ReadsByMask},
      {"store_by_mask", {NodeKind::kSubscript}, StoresByMask},
      {"size_from_value", {NodeKind::kCall, NodeKind::kSlice}, IsSizeOrSlice},
      {"loop_over_values", {NodeKind::kForStatement, NodeKind::kForInClause}, LoopsOverValues},
      {"branch_on_tensor",
       {NodeKind::kIfStatement, NodeKind::kWhileStatement, NodeKind::kElifClause,
        NodeKind::kConditionalExpression},
       BranchesOnTensor},
      {"grows_in_loop", {NodeKind::kCall}, GrowsInLoop},
      {"pads_to_longest", {NodeKind::kKeywordArgument}, PadsToLongest},
      {"repeats_by_tensor", {NodeKind::kCall}, RepeatsByTensor},
  };
  return detectors;
}

}  // namespace transplt
