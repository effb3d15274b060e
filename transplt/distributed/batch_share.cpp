// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/batch_share.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kShareDepth = 24;
constexpr int kMostSteps = 5000;

/// Of two values of which one is taken, or which are added.
Share Joined(Share a, Share b) {
  if (a == b || b == Share::kSame) return a;
  if (a == Share::kSame) return b;
  if (a == Share::kEach || b == Share::kEach) return Share::kEach;
  return Share::kUnknown;
}

Share Product(Share a, Share b) {
  if (a == Share::kUnknown || b == Share::kUnknown) return Share::kUnknown;
  if (a == Share::kEach || b == Share::kEach) return Share::kEach;
  if (a == Share::kSame) return b;
  if (b == Share::kSame) return a;
  const bool has_sum = a == Share::kSum || b == Share::kSum;
  const bool has_inverse = a == Share::kInverse || b == Share::kInverse;
  if (has_sum && has_inverse) return Share::kMean;
  if (a == b) return a == Share::kMean ? a : Share::kUnknown;
  return has_sum ? Share::kSum : Share::kUnknown;
}

Share Quotient(Share a, Share b) {
  if (b == Share::kSum) {
    return Product(a, Share::kInverse) == Share::kUnknown && a == Share::kSame
               ? Share::kInverse
               : Product(a, Share::kInverse);
  }
  return b == Share::kSame || b == Share::kEach ? Product(a, b) : Share::kUnknown;
}

bool IsWord(const Argument* argument, std::string_view word) {
  if (argument == nullptr) return false;
  const Node content = PlainStringContent(argument->value);
  return content && content.text() == word;
}

bool IsZero(Node node) { return node.Is(NodeKind::kInteger) && node.text() == "0"; }

bool IsNumberOfSamples(Node call, std::string_view method) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  return method == "size" && arguments.size() == 1 && IsZero(arguments.front().value);
}

}  // namespace

BatchShare::BatchShare(const ProgramText& text, const MultiCardCalls& known,
                       const TrainingText& training)
    : text_(text), known_(known), training_(training) {
  for (const DataLoop& loop : training.loops()) AddItems(loop);
  for (const auto& [call, loss] : training.backwards()) {
    // `scaler.scale(loss)`, `loss / steps`: what the program takes a number for.
    for (const Node node : NodesIn(loss)) {
      if (!node.Is(NodeKind::kIdentifier) && !node.Is(NodeKind::kAttribute)) continue;
      const auto slot = text.SlotOf(node);
      if (slot && (node == loss || OfSlot(*slot, 0) != Share::kSame)) losses_.insert(*slot);
    }
  }
}

void BatchShare::AddItems(const DataLoop& loop) {
  Node item = loop.item;
  const Node from = loop.loop.Is(NodeKind::kForStatement) ? loop.loop.Child(Field::kRight) : Node();
  if (from.Is(NodeKind::kCall) && from.Child(Field::kFunction).text() == "enumerate") {
    item = LastNamedChild(item);  // behind the number
  }
  for (const Node node : NodesIn(item)) {
    if (!node.Is(NodeKind::kIdentifier)) continue;
    if (const auto slot = text_.SlotOf(node)) items_.insert(*slot);
  }
}

Share BatchShare::Of(Node expression, bool is_stored, int depth) const {
  // Each name may lead several ways, and each of these again.
  if (!expression || depth > kShareDepth || ++steps_ > kMostSteps) return Share::kUnknown;
  if (whole_.contains(expression)) return Share::kSame;
  switch (expression.kind()) {
    case NodeKind::kInteger:
    case NodeKind::kFloat:
    case NodeKind::kString:
    case NodeKind::kTrue:
    case NodeKind::kFalse:
    case NodeKind::kNone:
    case NodeKind::kConcatenatedString:
      return Share::kSame;
    case NodeKind::kParenthesizedExpression:
    case NodeKind::kAwait:
      return Of(expression.first_named_child(), is_stored, depth + 1);
    case NodeKind::kUnaryOperator:
      return Of(expression.Child(Field::kArgument), is_stored, depth + 1);
    case NodeKind::kConditionalExpression:
      return Joined(Of(expression.first_named_child(), is_stored, depth + 1),
                    Of(LastNamedChild(expression), is_stored, depth + 1));
    case NodeKind::kBinaryOperator:
      return OfBinary(expression, is_stored, depth);
    case NodeKind::kComparisonOperator: {
      Share share = Share::kSame;
      for (const Node part : NamedChildren(expression)) {
        share = Joined(share, Of(part, is_stored, depth + 1));
      }
      return share == Share::kEach || share == Share::kSame ? share : Share::kUnknown;
    }
    case NodeKind::kListComprehension:
    case NodeKind::kGeneratorExpression:
      return Of(expression.first_named_child(), is_stored, depth + 1);
    case NodeKind::kList:
    case NodeKind::kTuple: {
      Share share = Share::kSame;
      for (const Node item : NamedChildren(expression)) {
        share = Joined(share, Of(item, is_stored, depth + 1));
      }
      return share;
    }
    case NodeKind::kSubscript:
      return OfSubscript(expression, is_stored, depth);
    case NodeKind::kCall:
      return OfCall(expression, is_stored, depth);
    case NodeKind::kIdentifier:
    case NodeKind::kAttribute:
      return OfName(expression, depth);
    default:
      return Share::kUnknown;
  }
}

Share BatchShare::OfBinary(Node expression, bool is_stored, int depth) const {
  const Share left = Of(expression.Child(Field::kLeft), is_stored, depth + 1);
  const Share right = Of(expression.Child(Field::kRight), is_stored, depth + 1);
  const std::string_view sign = SignOf(expression);
  if (sign == "+" || sign == "-") return Joined(left, right);
  if (sign == "*" || sign == "@") return Product(left, right);
  if (sign == "/" || sign == "//") return Quotient(left, right);
  return left == Share::kEach ? left : right == Share::kSame ? left : Share::kUnknown;
}

Share BatchShare::OfSubscript(Node expression, bool is_stored, int depth) const {
  const Node value = expression.Child(Field::kValue);
  const Node key = expression.Child(Field::kSubscript);
  const bool is_shape =
      value.Is(NodeKind::kAttribute) && value.Child(Field::kAttribute).text() == "shape";
  const Node callee = value.Child(Field::kFunction);
  const bool is_size = value.Is(NodeKind::kCall) && callee.Is(NodeKind::kAttribute) &&
                       callee.Child(Field::kAttribute).text() == "size";
  if (is_shape || is_size) {
    const Node object = (is_shape ? value : callee).Child(Field::kObject);
    if (Of(object, is_stored, depth + 1) != Share::kEach) return Share::kSame;
    return IsZero(key) ? Share::kSum : Share::kSame;
  }
  const auto slot = text_.SlotOf(value);
  if (slot && key.Is(NodeKind::kInteger)) {
    // `outputs[0]` of what the model gives.
    const size_t index = static_cast<size_t>(std::atoi(std::string(key.text()).c_str()));
    for (const SlotSource& source : text_.SourcesOf(*slot)) {
      if (source.index || source.is_item || !source.node.Is(NodeKind::kCall)) continue;
      const Share part = OfPart(source.node, index, depth + 1);
      if (part == Share::kMean || part == Share::kSum) return part;
    }
  }
  const Share whole = Of(value, is_stored, depth + 1);
  if (whole == Share::kEach) return whole;
  if (slot) {
    const Share of_items = OfSlot(*slot + "[]", depth + 1);
    if (of_items != Share::kUnknown) return of_items;
  }
  return whole;
}

Share BatchShare::OfSlot(const std::string& slot, int depth) const {
  if (items_.contains(slot)) return Share::kEach;
  const std::vector<SlotSource>& sources = text_.SourcesOf(slot);
  if (sources.empty()) return Share::kUnknown;
  if (!open_.insert(slot).second) return Share::kSame;
  Share share = Share::kSame;
  for (const SlotSource& source : sources) {
    // The number that enumerate() gives is the same for all.
    if (source.is_item && source.index) continue;
    const Share given = source.index ? OfPart(source.node, *source.index, depth + 1)
                                     : Of(source.node, true, depth + 1);
    share = Joined(share, given);
  }
  open_.erase(slot);
  const bool is_number = share == Share::kMean || share == Share::kSum;
  if (assumes_ && !is_number && losses_.contains(slot)) return Share::kMean;
  return share;
}

bool BatchShare::IsCertain(Node loss) const {
  assumes_ = false;
  const Share share = Of(loss);
  assumes_ = true;
  return share == Share::kMean || share == Share::kSum;
}

/// Of `a, b = value` the one with this index.
Share BatchShare::OfPart(Node value, size_t index, int depth) const {
  if (value.Is(NodeKind::kCall)) {
    if (const auto returned = OfReturns(value, index, depth)) {
      const bool is_number = *returned == Share::kMean || *returned == Share::kSum;
      if (is_number || !training_.IsTrained(value.Child(Field::kFunction))) return *returned;
    }
  }
  return Of(value, true, depth);
}

/// Of what the functions of the project give that the call runs; of several values the one with
/// this index.
std::optional<Share> BatchShare::OfReturns(Node call, size_t index, int depth) const {
  std::optional<Share> share;
  for (const Node function : text_.FunctionsOf(call)) {
    for (const Node value : ProgramText::ReturnedBy(function, index)) {
      const auto slot = text_.SlotOf(value);
      const bool is_list = slot && !text_.SourcesOf(*slot + "[]").empty();
      const Share given = is_list ? OfSlot(*slot + "[]", depth + 1) : Of(value, true, depth + 1);
      share = share ? Joined(*share, given) : given;
    }
  }
  return share;
}

Share BatchShare::OfName(Node expression, int depth) const {
  const auto slot = text_.SlotOf(expression);
  if (slot && (items_.contains(*slot) || !text_.SourcesOf(*slot).empty())) {
    return OfSlot(*slot, depth);
  }
  if (!expression.Is(NodeKind::kAttribute)) return slot ? Share::kSame : Share::kUnknown;
  const Node object = expression.Child(Field::kObject);
  if (object.text() == "self") return Share::kSame;
  const Share share = Of(object, false, depth + 1);
  return share == Share::kUnknown ? Share::kSame : share;
}

/// The call that has made the object that is called, or a null node.
Node BatchShare::MadeBy(Node callee) const {
  const auto slot = text_.SlotOf(callee);
  if (!slot) return {};
  std::vector<std::string> open = {*slot};
  std::set<std::string> seen;
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    for (const SlotSource& source : text_.SourcesOf(next)) {
      Node made = source.node;
      // `nn.L1Loss().cuda()`
      while (made.Is(NodeKind::kCall) && made.Child(Field::kFunction).Is(NodeKind::kAttribute) &&
             known_.fluent.Match(made.Child(Field::kFunction).Child(Field::kAttribute).text())) {
        made = made.Child(Field::kFunction).Child(Field::kObject);
      }
      if (made.Is(NodeKind::kCall)) {
        for (const std::string& name : text_.LibraryNames(made.Child(Field::kFunction))) {
          if (known_.losses.Match(name)) return made;
        }
      } else if (const auto from = text_.SlotOf(made)) {
        open.push_back(*from);
      }
    }
  }
  return {};
}

/// Of a loss of torch, `made` by this call, which says what becomes of the samples.
Share BatchShare::OfLoss(Node call, Node made) const {
  for (const Node asked : {call, made}) {
    const std::vector<Argument> arguments = ArgumentsOf(asked);
    const Argument* reduction = FindKeyword(arguments, "reduction");
    if (IsWord(reduction, "sum")) return Share::kSum;
    if (IsWord(reduction, "none")) return Share::kEach;
    if (IsWord(reduction, "mean") || IsWord(reduction, "batchmean")) return Share::kMean;
    if (reduction != nullptr) return Share::kUnknown;
    const Argument* average = FindKeyword(arguments, "size_average");
    if (average != nullptr && average->value.Is(NodeKind::kFalse)) return Share::kSum;
    const Argument* reduce = FindKeyword(arguments, "reduce");
    if (reduce != nullptr && reduce->value.Is(NodeKind::kFalse)) return Share::kEach;
  }
  return Share::kMean;
}

Share BatchShare::OfArguments(Node call, int depth) const {
  Share share = Share::kSame;
  for (const Argument& argument : ArgumentsOf(call)) {
    if (!argument.keyword.empty()) continue;
    const Share of_argument = Of(argument.value, false, depth + 1);
    if (of_argument == Share::kUnknown) continue;
    share = Joined(share, of_argument);
  }
  return share;
}

/// Of `x.sum()`, `torch.mean(x, 1)`: `whole` is what a reduction of all makes of single values.
Share BatchShare::OfReduction(Node call, Share object, Share whole, bool is_method) const {
  if (object != Share::kEach) return object;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* dim = FindArgument(arguments, is_method ? 0 : 1, "dim");
  if (dim == nullptr) return whole;
  return IsZero(dim->value) ? whole : Share::kEach;
}

Share BatchShare::OfMethod(Node call, std::string_view method, Share object, int depth) const {
  if (method == "sum") return OfReduction(call, object, Share::kSum, true);
  if (method == "mean") return OfReduction(call, object, Share::kMean, true);
  if (IsNumberOfSamples(call, method)) {
    return object == Share::kEach ? Share::kSum : Share::kSame;
  }
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (method == "numel" && object == Share::kEach) return Share::kSum;
  if (method == "size" || method == "dim" || method == "numel") return Share::kSame;
  if ((method == "mul" || method == "mul_") && arguments.size() == 1) {
    return Product(object, Of(arguments.front().value, false, depth + 1));
  }
  if ((method == "div" || method == "div_") && arguments.size() == 1) {
    return Quotient(object, Of(arguments.front().value, false, depth + 1));
  }
  const bool is_extreme =
      method == "norm" || method == "max" || method == "min" || method == "std" || method == "var";
  if (is_extreme && arguments.empty() && object == Share::kEach) return Share::kUnknown;
  const bool is_linear = known_.linear.Match(method) || known_.fluent.Match(method);
  if (object == Share::kEach || (object != Share::kSame && is_linear)) return object;
  if (object != Share::kSame && object != Share::kUnknown) return Share::kUnknown;
  return arguments.size() == 1 ? Of(arguments.front().value, false, depth + 1) : object;
}

/// Of what a function of a library makes of its arguments.
Share BatchShare::OfLibrary(const std::vector<std::string>& names, Share arguments) const {
  const auto is_one_of = [&](const NamePatterns& known) {
    return std::ranges::any_of(names, [&](const std::string& name) { return known.Match(name); });
  };
  if (arguments == Share::kSame || arguments == Share::kEach) return arguments;
  if (is_one_of(known_.tensors)) return Share::kEach;  // as many as the batch has
  return is_one_of(known_.linear) ? arguments : Share::kUnknown;
}

Share BatchShare::OfCall(Node call, bool is_stored, int depth) const {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const std::vector<std::string> names = text_.LibraryNames(callee);
  for (const std::string& name : names) {
    if (known_.losses.Match(name)) return OfLoss(call, call);
    if (arguments.empty()) continue;
    const Share first = Of(arguments.front().value, is_stored, depth + 1);
    if (name == "torch.sum") return OfReduction(call, first, Share::kSum, false);
    if (name == "torch.mean") return OfReduction(call, first, Share::kMean, false);
    if (name == "len") return first == Share::kEach ? Share::kSum : Share::kSame;
    // The number that a variable holds is that of the whole batch: its reading was made so.
    if (name == "float" || name == "int") return is_stored ? Share::kSame : first;
    if (name == "str" || name == "repr" || name == "format") return Share::kUnknown;  // a text
  }
  if (!names.empty()) return OfLibrary(names, OfArguments(call, depth));
  if (const Node made = MadeBy(callee)) return OfLoss(call, made);
  if (training_.IsTrained(callee)) {
    const Share returned = OfReturns(call, 0, depth).value_or(Share::kEach);
    return returned == Share::kMean || returned == Share::kSum ? returned : Share::kEach;
  }
  if (callee.Is(NodeKind::kAttribute)) {
    const std::string_view method = callee.Child(Field::kAttribute).text();
    const Node object = callee.Child(Field::kObject);
    if (object.Is(NodeKind::kString)) return Share::kUnknown;  // a text
    if (method == "item" && is_stored) return Share::kSame;
    if (text_.FunctionsOf(call).empty()) {
      return OfMethod(call, method, Of(object, is_stored, depth + 1), depth);
    }
  }
  if (const auto returned = OfReturns(call, 0, depth)) return *returned;
  const Share of_arguments = OfArguments(call, depth);
  return of_arguments == Share::kEach ? Share::kEach : Share::kUnknown;
}

}  // namespace transplt
