// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/default_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/signatures.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if `taker` is a call of one of `methods` of an object of torch, with `value` first.
bool Takes(Node taker, Node value, const std::vector<std::string>& methods,
           const FileContext& file) {
  if (!taker.Is(NodeKind::kCall)) return false;
  const std::vector<Argument> arguments = ArgumentsOf(taker);
  const Node callee = taker.Child(Field::kFunction);
  if (arguments.empty() || arguments.front().value != value) return false;
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view method = callee.Child(Field::kAttribute).text();
  Text ignored;
  return IsOneOf(method, methods) &&
         !IsForeignReceiver(callee.Child(Field::kObject), method, file.code(), &ignored);
}

/// `result["net"]` or `result.get("net")`; of other uses null nodes.
struct Item {
  Node node;
  Node key;
};

Item ItemOf(const ResultUse& use) {
  if (use.kind == ResultUse::Kind::kItem && use.node.Is(NodeKind::kSubscript)) {
    return {use.node, use.node.Child(Field::kSubscript)};
  }
  const Node got = use.node.parent();
  if (use.kind != ResultUse::Kind::kMember || use.member != "get" || !got.Is(NodeKind::kCall)) {
    return {};
  }
  return {got, got.Child(Field::kArguments).first_named_child()};
}

/// `{rename(k): v for k, v in result.items()}`, of the attribute `items`: the same values by other
/// keys. Of other uses a null node.
Node RenamedOf(const ResultUse& use) {
  const Node call = use.node.parent();
  const Node loop = call.parent();
  const Node targets = loop.Is(NodeKind::kForInClause) ? loop.Child(Field::kLeft) : Node();
  const Node whole = loop.parent();
  const bool is_loop = use.kind == ResultUse::Kind::kMember && use.member == "items" &&
                       call.Is(NodeKind::kCall) && targets.Is(NodeKind::kPatternList) &&
                       whole.Is(NodeKind::kDictionaryComprehension);
  if (!is_loop) return {};
  const Node value = whole.first_named_child().Child(Field::kValue);
  return value.text() == LastNamedChild(targets).text() ? whole : Node();
}

/// True for a `return` of a function within another one, which no other file calls.
bool IsInnerReturn(const ResultUse& use) {
  if (use.kind != ResultUse::Kind::kReturned) return false;
  bool is_in_function = false;
  for (Node outer = use.node.parent(); outer; outer = outer.parent()) {
    if (outer.Is(NodeKind::kClassDefinition)) return false;
    if (!outer.Is(NodeKind::kFunctionDefinition)) continue;
    if (is_in_function) return true;
    is_in_function = true;
  }
  return false;
}

bool HasNoTensor(Node key) {
  const Node content = PlainStringContent(key);
  return content && (Words("keys-of-numbers").Has(content.text()) ||
                     Signatures::Builtin().IsNameOfOptions(content.text()));
}

/// True if the tensors of one value, which goes to `open`, are handed to `methods` and nowhere
/// else.
bool AreHandedTo(std::vector<ResultUse> open, const std::vector<std::string>& methods,
                 const FileContext& file) {
  std::set<uint32_t> renamed;  // dicts of the same tensors, each is followed once
  bool is_handed = false;
  for (size_t i = 0; i < open.size(); ++i) {
    const ResultUse use = open[i];
    if (use.kind == ResultUse::Kind::kMembership || IsInnerReturn(use)) continue;
    if (use.kind == ResultUse::Kind::kPassed) {
      if (!Takes(use.node, use.value, methods, file)) return false;
      is_handed = true;
      continue;
    }
    if (const Node other = RenamedOf(use)) {
      if (!renamed.insert(other.id()).second) continue;
      const std::vector<ResultUse> more = file.results().OfValue(other);
      open.insert(open.end(), more.begin(), more.end());
      continue;
    }
    const Item item = ItemOf(use);
    if (!item.node) return false;
    if (Takes(item.node.parent().parent(), item.node, methods, file)) {
      is_handed = true;
    } else if (!HasNoTensor(item.key)) {
      return false;
    }
  }
  return is_handed;
}

}  // namespace

const Argument* DefaultArgument::GivenIn(const std::vector<Argument>& arguments) const {
  if (index < 0) return FindKeyword(arguments, keyword);
  return FindArgument(arguments, static_cast<size_t>(index), keyword);
}

bool IsExcluded(const std::vector<Argument>& arguments, const std::vector<std::string>& excluded) {
  return std::ranges::any_of(arguments, [&](const Argument& argument) {
    if (argument.is_splat) return true;
    if (argument.keyword.empty()) return false;
    const std::string spelled = fmt::format("{}={}", argument.keyword, argument.value.text());
    return std::ranges::any_of(excluded, [&](const std::string& one) {
      return one == argument.keyword || one == spelled;
    });
  });
}

bool IsHandedTo(Node call, const std::string& function, const std::vector<std::string>& methods,
                const FileContext& file) {
  if (methods.empty()) return false;
  static const std::vector<std::string> kNotThrough;
  std::vector<ResultUse> uses;
  for (const ResultUse& use : file.results().Of(function, kNotThrough)) {
    if (use.origin == call) uses.push_back(use);
  }
  return AreHandedTo(std::move(uses), methods, file);
}

bool IsGivenInOtherBranch(Node call, const DefaultArgument& argument) {
  const std::vector<Argument> own = ArgumentsOf(call);
  if (own.empty()) return false;
  Node branch = call;
  Node choice = call.parent();
  while (choice && !choice.Is(NodeKind::kIfStatement) &&
         !choice.Is(NodeKind::kConditionalExpression)) {
    if (choice.Is(NodeKind::kFunctionDefinition)) return false;
    branch = choice;
    choice = choice.parent();
  }
  if (!choice) return false;
  return std::ranges::any_of(NodesIn(choice), [&](Node other) {
    if (!other.Is(NodeKind::kCall) || branch.range().Contains(other.range())) return false;
    if (other.Child(Field::kFunction).text() != call.Child(Field::kFunction).text()) return false;
    const std::vector<Argument> arguments = ArgumentsOf(other);
    const Argument* given = argument.GivenIn(arguments);
    return given != nullptr && !given->value.Is(NodeKind::kNone) &&
           arguments.front().value.text() == own.front().value.text();
  });
}

}  // namespace transplt
