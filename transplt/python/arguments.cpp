// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/arguments.h"

#include <algorithm>

namespace transplt {

std::vector<Argument> ArgumentsOf(Node call) {
  std::vector<Argument> arguments;
  Node list = call.Child(Field::kArguments);
  if (!list) return arguments;
  if (list.Is(NodeKind::kGeneratorExpression)) {
    const TextRange inside{list.range().start + 1, list.range().end - 1};
    arguments.push_back({list, list, {}, false, inside, inside});
    return arguments;
  }
  for (Node node = list.first_named_child(); node; node = node.next_named_sibling()) {
    Argument argument{node, node, {}, false, node.range(), {}};
    if (node.Is(NodeKind::kKeywordArgument)) {
      argument.keyword = node.Child(Field::kName).text();
      argument.value = node.Child(Field::kValue);
    } else if (node.Is(NodeKind::kListSplat) || node.Is(NodeKind::kDictionarySplat)) {
      argument.value = node.first_named_child();
      argument.is_splat = true;
    }
    if (!argument.value) argument.value = node;  // beside an error
    argument.value_range = argument.value.range();
    arguments.push_back(argument);
  }
  return arguments;
}

std::optional<std::vector<Argument>> ArgumentsForTarget(Node function) {
  const Node target = function.parent();
  const bool is_target = target.Is(NodeKind::kKeywordArgument) &&
                         function.field() == Field::kValue &&
                         target.Child(Field::kName).text() == "target";
  const Node call = is_target ? target.parent().parent() : Node();
  if (!call.Is(NodeKind::kCall)) return std::nullopt;
  const std::vector<Argument> given = ArgumentsOf(call);
  const bool has_splat = std::ranges::any_of(given, &Argument::is_splat);
  if (has_splat || FindKeyword(given, "kwargs") != nullptr) return std::nullopt;
  std::vector<Argument> passed;
  const Argument* const list = FindKeyword(given, "args");
  if (list == nullptr) return passed;
  if (!list->value.Is(NodeKind::kTuple) && !list->value.Is(NodeKind::kList)) return std::nullopt;
  for (Node node = list->value.first_named_child(); node; node = node.next_named_sibling()) {
    const bool is_splat = node.Is(NodeKind::kListSplat);
    passed.push_back({node, node, {}, is_splat, node.range(), node.range()});
  }
  return passed;
}

const Argument* FindKeyword(const std::vector<Argument>& arguments, std::string_view keyword) {
  for (const Argument& argument : arguments) {
    if (!keyword.empty() && argument.keyword == keyword) return &argument;
  }
  return nullptr;
}

const Argument* FindArgument(const std::vector<Argument>& arguments, size_t position,
                             std::string_view keyword) {
  if (const Argument* by_keyword = FindKeyword(arguments, keyword)) return by_keyword;
  if (position >= arguments.size()) return nullptr;
  for (size_t i = 0; i <= position; ++i) {
    if (arguments[i].is_splat || !arguments[i].keyword.empty()) return nullptr;
  }
  return &arguments[position];
}

Edit DeleteArgument(const std::vector<Argument>& arguments, size_t index) {
  TextRange range = arguments[index].range;
  Node comma = arguments[index].node.next_sibling();
  while (comma && !comma.IsToken(",") && IsSkippable(comma.kind()) && !comma.IsToken(")")) {
    comma = comma.next_sibling();
  }
  if (comma.IsToken(",") && index + 1 < arguments.size()) {
    // Up to the next argument, unless a comment stands between: then up to the comma.
    range.end = comma.range().end;
    const Node next = comma.next_sibling();
    if (next && !next.Is(NodeKind::kComment)) range.end = next.range().start;
  } else if (index > 0) {
    // The last argument: its comma is the one before it. A trailing comma stays.
    Node before = arguments[index - 1].node.next_sibling();
    while (before && !before.IsToken(",")) before = before.next_sibling();
    if (before) range.start = before.range().start;
  } else if (comma.IsToken(",")) {
    range.end = comma.range().end;
  }
  return {range, ""};
}

bool HasSideEffects(Node expression) {
  for (uint32_t id = expression.id(); id < expression.end_id(); ++id) {
    switch (expression.tree().node(id).kind()) {
      case NodeKind::kCall:
      case NodeKind::kAwait:
      case NodeKind::kYield:
      case NodeKind::kNamedExpression:
        return true;
      default:
        break;
    }
  }
  return false;
}

bool IsAtomic(Node expression) {
  switch (expression.kind()) {
    case NodeKind::kIdentifier:
    case NodeKind::kAttribute:
    case NodeKind::kSubscript:
    case NodeKind::kCall:
    case NodeKind::kString:
    case NodeKind::kInteger:
    case NodeKind::kFloat:
    case NodeKind::kTrue:
    case NodeKind::kFalse:
    case NodeKind::kNone:
    case NodeKind::kParenthesizedExpression:
    case NodeKind::kTuple:
    case NodeKind::kList:
    case NodeKind::kDictionary:
    case NodeKind::kSet:
      return true;
    default:
      return false;
  }
}

}  // namespace transplt
