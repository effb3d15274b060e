// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/numpy_values.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMostSteps = 8;

/// True if `callee` is a function of `package`, which ends in a dot.
bool IsFunctionOf(std::string_view package, const ValueSource& callee) {
  return std::ranges::any_of(callee.names->Resolve(callee.node), [&](const QualifiedName& name) {
    return !name.local && name.name.starts_with(package);
  });
}

/// What the expressions that make a value show.
struct Signs {
  bool numpy = false;
  bool torch = false;
};

/// One question, which comes to the same expression on many ways: what is asked on one of them is
/// kept, so that the time does not grow with their number.
struct Question {
  const ValueSources& sources;
  std::map<SourcePlace, Signs> known = {};
};

Signs SignsOf(const ValueSource& source, Question& question, int steps);

/// True for a text that the program writes out or puts together.
bool IsText(const ValueSource& source) {
  const Node node = source.node;
  if (node.Is(NodeKind::kString) || node.Is(NodeKind::kConcatenatedString)) return true;
  if (!node.Is(NodeKind::kCall)) return false;
  const std::vector<QualifiedName> names = source.names->Resolve(node.Child(Field::kFunction));
  return std::ranges::any_of(names, [](const QualifiedName& name) {
    return !name.local && Words("functions-that-give-texts").Has(name.name);
  });
}

/// Those of one of the expressions that may make `value`: of NumPy, if one is and has nothing of
/// torch, which takes arrays and gives tensors. Where others are texts the value is one, and so is
/// what an array of texts holds: a path out of a sorted list.
Signs AnySigns(const ValueSource& value, Question& question, int steps) {
  if (steps > kMostSteps) return {};
  const auto [known, is_new] = question.known.try_emplace(value.place());
  if (!is_new) return known->second;
  Signs any;
  const std::vector<ValueSource> all = question.sources.Of(value);
  if (std::ranges::any_of(all, IsText)) return any;
  for (const ValueSource& source : all) {
    const Signs one = SignsOf(source, question, steps + 1);
    if (one.numpy && !one.torch) return known->second = {true, false};
    any.torch |= one.torch;
  }
  return known->second = any;
}

/// `max(best, score)`, `round(score, 3)`: what Python gives back as it got it.
bool IsFunctionOfPython(const ValueSource& callee) {
  return callee.node.Is(NodeKind::kIdentifier) && callee.names->BindingsOf(callee.node).empty() &&
         Words("functions-that-give-their-arguments").Has(callee.node.text());
}

Signs AnyArgument(const ValueSource& call, Question& question, int steps) {
  Signs any;
  for (const Argument& argument : ArgumentsOf(call.node)) {
    const Signs one = AnySigns(call.At(argument.value), question, steps);
    if (one.numpy) return one;
    any.torch |= one.torch;
  }
  return any;
}

/// The variables of its function that `display` is first given to: `found = {}`.
std::string_view VariableOf(Node display) {
  const Node assignment = display.parent();
  const bool is_given = assignment.Is(NodeKind::kAssignment) && display.field() == Field::kRight &&
                        assignment.Child(Field::kLeft).Is(NodeKind::kIdentifier);
  return is_given ? assignment.Child(Field::kLeft).text() : std::string_view();
}

/// What the dict that `made` makes has under `key`: of a display, of `dict(key=value)`, and what
/// `found["key"] = value` puts into the variable that it is given to.
std::vector<ValueSource> ValuesUnder(std::string_view key, const ValueSource& made) {
  std::vector<ValueSource> values;
  if (made.node.Is(NodeKind::kDictionary)) {
    for (const Node pair : NamedChildren(made.node)) {
      const Node spelled =
          pair.Is(NodeKind::kPair) ? PlainStringContent(pair.Child(Field::kKey)) : Node();
      if (spelled && spelled.text() == key) values.push_back(made.At(pair.Child(Field::kValue)));
    }
  } else if (made.node.Is(NodeKind::kCall) && made.node.Child(Field::kFunction).text() == "dict") {
    for (const Argument& argument : ArgumentsOf(made.node)) {
      if (argument.keyword == key) values.push_back(made.At(argument.value));
    }
  } else {
    return values;
  }
  const std::string_view variable = VariableOf(made.node);
  if (variable.empty()) return values;
  const uint32_t scope = made.names->ScopeOf(made.node);
  for (const Node node : NodesIn(made.names->ScopeNode(scope))) {
    if (!node.Is(NodeKind::kSubscript) || node.field() != Field::kLeft) continue;
    if (node.Child(Field::kValue).text() != variable || made.names->ScopeOf(node) != scope)
      continue;
    const Node spelled = PlainStringContent(node.Child(Field::kSubscript));
    if (!spelled || spelled.text() != key || !node.parent().Is(NodeKind::kAssignment)) continue;
    values.push_back(made.At(node.parent().Child(Field::kRight)));
  }
  return values;
}

/// The member that `index`, `0` or `-1`, takes of the tuple or list that `made` makes; or none.
std::vector<ValueSource> MemberAt(std::string_view index, const ValueSource& made) {
  const bool has_members = made.node.Is(NodeKind::kTuple) || made.node.Is(NodeKind::kList) ||
                           made.node.Is(NodeKind::kExpressionList);
  if (!has_members) return {};
  const bool is_from_end = index.starts_with('-');
  if (is_from_end) index.remove_prefix(1);
  size_t place = 0;
  const auto read = std::from_chars(index.data(), index.data() + index.size(), place);
  if (read.ec != std::errc() || read.ptr != index.data() + index.size()) return {};
  std::vector<ValueSource> members;
  for (const Node member : NamedChildren(made.node)) {
    if (member.Is(NodeKind::kListSplat)) return {};
    if (!member.Is(NodeKind::kComment)) members.push_back(made.At(member));
  }
  if (is_from_end) place = members.size() - place;
  if (place >= members.size()) return {};
  return {members[place]};
}

/// Those of `dict["key"]` and `tuple[0]`: of what the dict has under the key, or the tuple there,
/// if it is one that the text shows.
Signs SignsOfItem(const ValueSource& item, Question& question, int steps) {
  Signs any = AnySigns(item.At(item.node.Child(Field::kValue)), question, steps);
  const Node index = item.node.Child(Field::kSubscript);
  const Node key = PlainStringContent(index);
  if (any.numpy || steps > kMostSteps) return any;
  for (const ValueSource& made : question.sources.Of(item.At(item.node.Child(Field::kValue)))) {
    const std::vector<ValueSource> values =
        key ? ValuesUnder(key.text(), made) : MemberAt(index.text(), made);
    for (const ValueSource& value : values) {
      const Signs one = AnySigns(value, question, steps + 1);
      if (one.numpy && !one.torch) return {true, false};
      any.torch |= one.torch;
    }
  }
  return any;
}

Signs SignsOf(const ValueSource& source, Question& question, int steps) {
  const auto of = [&](Node part) { return AnySigns(source.At(part), question, steps); };
  const Node node = source.node;
  if (node.Is(NodeKind::kBinaryOperator)) {
    const Signs left = of(node.Child(Field::kLeft));
    const Signs right = of(node.Child(Field::kRight));
    return {left.numpy || right.numpy, left.torch || right.torch};
  }
  if (node.Is(NodeKind::kUnaryOperator)) return of(node.Child(Field::kArgument));
  if (node.Is(NodeKind::kSubscript)) return SignsOfItem(source, question, steps);
  const Node callee = node.Is(NodeKind::kCall) ? node.Child(Field::kFunction) : Node();
  if (!callee) return {};
  if (IsFunctionOf("numpy.", source.At(callee))) return {true, false};
  if (IsFunctionOf("torch.", source.At(callee))) return {false, true};
  if (IsFunctionOfPython(source.At(callee))) return AnyArgument(source, question, steps);
  if (!callee.Is(NodeKind::kAttribute)) return {};
  const std::string_view method = callee.Child(Field::kAttribute).text();
  if (method == "numpy") return {true, false};
  if (Words("array-methods-of-python-values").Has(method)) return {};
  return of(callee.Child(Field::kObject));
}

}  // namespace

bool MayBeOfNumpy(const ValueSource& value, const ValueSources& sources) {
  Question question{sources};
  return AnySigns(value, question, 0).numpy;
}

}  // namespace transplt
