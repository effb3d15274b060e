// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/fractions.h"

#include <algorithm>

#include "transplt/base/word_list.h"
#include "transplt/facts/loops.h"
#include "transplt/facts/tensor_types.h"
#include "transplt/python/arguments.h"

namespace transplt {
namespace {

constexpr int kDeepest = 6;

/// True if `call` calls one of these functions.
bool CallsOneOf(const ValueSource& call, const WordList& list) {
  if (!call.node.Is(NodeKind::kCall)) return false;
  const std::vector<QualifiedName> names = call.names->Resolve(call.node.Child(Field::kFunction));
  return !names.empty() && std::ranges::all_of(names, [&](const QualifiedName& name) {
    return !name.local && list.Has(name.name);
  });
}

Node FirstArgument(Node call) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const bool has_one =
      !arguments.empty() && !arguments.front().is_splat && arguments.front().keyword.empty();
  return has_one ? arguments.front().value : Node();
}

/// `h` of `n, c, h, w = x.size()`.
bool IsSideOfShape(const ValueSource& name) {
  if (!name.node.Is(NodeKind::kIdentifier)) return false;
  const NameTable::Meanings meanings = name.names->BindingsOf(name.node);
  return meanings.begin() != meanings.end() &&
         std::all_of(meanings.begin(), meanings.end(), [](const Binding* meaning) {
           const Node pattern = meaning->node.parent();
           if (!pattern.Is(NodeKind::kPatternList) && !pattern.Is(NodeKind::kTuplePattern)) {
             return false;
           }
           const Node right = pattern.parent().Is(NodeKind::kAssignment)
                                  ? pattern.parent().Child(Field::kRight)
                                  : Node();
           const bool is_call = right.Is(NodeKind::kCall);
           const Node whole = is_call ? right.Child(Field::kFunction) : right;
           return whole.Is(NodeKind::kAttribute) &&
                  whole.Child(Field::kAttribute).text() == (is_call ? "size" : "shape");
         });
}

/// `len(x)`, `x.size(0)`, `x.shape[0]`, 3
bool IsCount(const ValueSource& source) {
  const Node node = source.node;
  if (node.Is(NodeKind::kInteger) || IsSideOfShape(source)) return true;
  if (CallsOneOf(source, Words("functions-that-give-integers"))) return true;
  const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
  if (callee && callee.Is(NodeKind::kAttribute)) {
    return callee.Child(Field::kAttribute).text() == "size" && !ArgumentsOf(node).empty();
  }
  const Node whole = node.Is(NodeKind::kSubscript) ? node.Child(Field::kValue) : Node();
  return whole && whole.Is(NodeKind::kAttribute) &&
         whole.Child(Field::kAttribute).text() == "shape";
}

bool IsMadeFraction(const ValueSource& source, const ValueSources& sources, int steps);

bool IsFractionIn(const ValueSource& value, const ValueSources& sources, int steps) {
  if (steps > kDeepest) return false;
  const std::vector<ValueSource> all = sources.Of(value);
  bool has_fraction = false;
  for (const ValueSource& source : all) {
    const bool is_fraction = IsMadeFraction(source, sources, steps + 1);
    if (!is_fraction && !IsCount(source)) return false;
    has_fraction |= is_fraction;
  }
  return has_fraction;
}

bool IsMadeFraction(const ValueSource& source, const ValueSources& sources, int steps) {
  const Node node = source.node;
  const auto of = [&](Node part) { return part && IsFractionIn(source.At(part), sources, steps); };
  switch (node.kind()) {
    case NodeKind::kFloat:
      return true;
    case NodeKind::kParenthesizedExpression:
      return of(node.first_named_child());
    case NodeKind::kUnaryOperator:
      return of(node.Child(Field::kArgument));
    case NodeKind::kBinaryOperator: {
      const Node left = node.Child(Field::kLeft);
      const Node right = node.Child(Field::kRight);
      const bool has_text = left.Is(NodeKind::kString) || right.Is(NodeKind::kString);
      if (has_text || SignOf(node) == "@") return false;
      return SignOf(node) == "/" || of(left) || of(right);
    }
    case NodeKind::kCall:
      if (CallsOneOf(source, Words("functions-that-give-floats"))) return true;
      return CallsOneOf(source, Words("functions-that-keep-floats")) && of(FirstArgument(node));
    default:
      return false;
  }
}

/// `i` of `for i in range(n)`, `index` of `def __getitem__(self, index)`.
bool IsCounter(const ValueSource& name) {
  if (!name.node.Is(NodeKind::kIdentifier)) return false;
  const NameTable::Meanings meanings = name.names->BindingsOf(name.node);
  return meanings.begin() != meanings.end() &&
         std::all_of(meanings.begin(), meanings.end(), [&](const Binding* meaning) {
           if (meaning->kind == BindingKind::kParameter) {
             return name.names->ScopeNode(meaning->scope).Child(Field::kName).text() ==
                    "__getitem__";
           }
           const Node iterated = IteratedBy(meaning->node);
           if (!iterated.Is(NodeKind::kCall)) return false;
           const std::string_view function = iterated.Child(Field::kFunction).text();
           return function == "range" || function == "xrange" ||
                  (function == "enumerate" &&
                   meaning->node.parent().first_named_child() == meaning->node);
         });
}

/// What the parts of a sum or a product have to be for the whole to count.
enum class CountedParts : uint8_t {
  kOne,  ///< one of them is a count
  kAll,  ///< all are counts, or counters of a loop
};

bool CountsIn(const ValueSource& value, const ValueSources& sources, CountedParts parts,
              int steps) {
  if (steps > kDeepest) return false;
  const std::vector<ValueSource> all = sources.Of(value);
  return !all.empty() && std::ranges::all_of(all, [&](const ValueSource& source) {
    const Node node = source.node;
    const auto counts = [&](Node part) {
      return CountsIn(source.At(part), sources, parts, steps + 1);
    };
    if (node.Is(NodeKind::kParenthesizedExpression)) return counts(node.first_named_child());
    if (node.Is(NodeKind::kBinaryOperator)) {
      const Node left = node.Child(Field::kLeft);
      const Node right = node.Child(Field::kRight);
      if (parts == CountedParts::kAll) return counts(left) && counts(right);
      // What 1 is divided by need not be an integer.
      const bool is_inverse = SignOf(node) == "/" && left.Is(NodeKind::kInteger);
      return (!is_inverse && counts(left)) || counts(right);
    }
    return IsCount(source) || (parts == CountedParts::kAll && IsCounter(source));
  });
}

/// True if a number in `value` is of the class float in Python 2, too: `0.5 * n`, `math.sqrt(n)`.
bool HasFloatIn(const ValueSource& value, const ValueSources& sources, int steps) {
  if (steps > kDeepest) return true;
  const std::vector<ValueSource> all = sources.Of(value);
  return std::ranges::any_of(all, [&](const ValueSource& source) {
    const Node node = source.node;
    const auto has = [&](Node part) {
      return part && HasFloatIn(source.At(part), sources, steps + 1);
    };
    switch (node.kind()) {
      case NodeKind::kFloat:
        return true;
      case NodeKind::kParenthesizedExpression:
        return has(node.first_named_child());
      case NodeKind::kUnaryOperator:
        return has(node.Child(Field::kArgument));
      case NodeKind::kBinaryOperator:
        return has(node.Child(Field::kLeft)) || has(node.Child(Field::kRight));
      case NodeKind::kCall:
        return CallsOneOf(source, Words("functions-that-give-floats")) ||
               (CallsOneOf(source, Words("functions-that-keep-floats")) &&
                has(FirstArgument(node)));
      default:
        return false;
    }
  });
}

/// Goes through sums, differences and products, whose parts Python 2 rounded one by one.
void AddRoundedParts(const ValueSource& value, const ValueSources& sources,
                     std::vector<Node>& parts) {
  if (!IsFraction(value, sources)) return;
  const Node node = value.node;
  if (node.Is(NodeKind::kBinaryOperator) && SignOf(node) != "/") {
    AddRoundedParts(value.At(node.Child(Field::kLeft)), sources, parts);
    AddRoundedParts(value.At(node.Child(Field::kRight)), sources, parts);
    return;
  }
  if (node.Is(NodeKind::kUnaryOperator)) {
    return AddRoundedParts(value.At(node.Child(Field::kArgument)), sources, parts);
  }
  const Node inner =
      node.Is(NodeKind::kParenthesizedExpression) ? node.first_named_child() : Node();
  if (inner.Is(NodeKind::kBinaryOperator) && SignOf(inner) != "/") {
    return AddRoundedParts(value.At(inner), sources, parts);
  }
  parts.push_back(node);
}

}  // namespace

std::vector<Node> RoundedParts(const ValueSource& value, const ValueSources& sources) {
  std::vector<Node> parts;
  if (!HasFloatIn(value, sources, 0)) AddRoundedParts(value, sources, parts);
  return parts.empty() ? std::vector{value.node} : parts;
}

bool IsFraction(const ValueSource& value, const ValueSources& sources) {
  return IsFractionIn(value, sources, 0);
}

bool HasCount(const ValueSource& value, const ValueSources& sources) {
  return CountsIn(value, sources, CountedParts::kOne, 0);
}

bool HasOnlyCounts(const ValueSource& value, const ValueSources& sources) {
  return CountsIn(value, sources, CountedParts::kAll, 0);
}

}  // namespace transplt
