// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/shuffled_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/channel_shuffle.h"

namespace transplt {
namespace {

/// True for what has names of its own, or runs later.
bool IsScope(Node node) {
  switch (node.kind()) {
    case NodeKind::kFunctionDefinition:
    case NodeKind::kClassDefinition:
    case NodeKind::kLambda:
    case NodeKind::kListComprehension:
    case NodeKind::kSetComprehension:
    case NodeKind::kDictionaryComprehension:
    case NodeKind::kGeneratorExpression:
    case NodeKind::kGlobalStatement:
    case NodeKind::kNonlocalStatement:
      return true;
    default:
      return false;
  }
}

/// False for the word behind a dot and for the keyword of an argument.
bool IsVariableName(Node identifier) {
  const Node parent = identifier.parent();
  const bool is_member = parent.Is(NodeKind::kAttribute) && identifier.field() == Field::kAttribute;
  const bool is_keyword =
      parent.Is(NodeKind::kKeywordArgument) && identifier.field() == Field::kName;
  return !is_member && !is_keyword;
}

/// The one method `forward` of a class, if it is `def forward(self, x)` without decorators.
Node PlainForward(Node definition) {
  Node forward;
  for (Node member = definition.Child(Field::kBody).first_named_child(); member;
       member = member.next_named_sibling()) {
    const bool is_decorated = member.Is(NodeKind::kDecoratedDefinition);
    const Node method = is_decorated ? member.Child(Field::kDefinition) : member;
    if (!method.Is(NodeKind::kFunctionDefinition)) continue;
    if (method.Child(Field::kName).text() != "forward") continue;
    if (forward || is_decorated || method.text().starts_with("async")) return {};
    forward = method;
  }
  if (!forward) return {};
  size_t count = 0;
  for (Node parameter = forward.Child(Field::kParameters).first_named_child(); parameter;
       parameter = parameter.next_named_sibling()) {
    ++count;
    const bool is_plain = parameter.Is(NodeKind::kIdentifier) ||
                          (parameter.Is(NodeKind::kTypedParameter) &&
                           parameter.first_named_child().Is(NodeKind::kIdentifier));
    if (!is_plain) return {};
  }
  return count == 2 ? forward : Node();
}

/// What the methods of one block are about, and the edits that they need.
class BlockEdits {
 public:
  BlockEdits(Node forward, const FileContext& file)
      : forward_(forward),
        file_(file),
        self_(forward.Child(Field::kParameters).first_named_child().text()),
        input_(ParameterOf(forward, 0, "").text()) {}

  bool Collect() {
    if (IsBoundAgain() || !ReadBody()) return false;
    if (splits_ == 0 || joins_ == 0 || shuffles_ == 0) return false;
    return std::all_of(names_.begin(), names_.end(), [this](std::string_view name) {
      return name != input_ && name != self_ && AreAllKnown(name);
    });
  }

  std::vector<Edit> edits() && {
    const Node first = forward_;
    const std::string margin = MarginOf(first).value_or("");
    edits_.push_back({{first.range().start, first.range().start},
                      fmt::format("@{}.takes_halves\n{}", kSimilarModule, margin)});
    return std::move(edits_);
  }

 private:
  Node Callee(Node call) const { return call.Child(Field::kFunction); }

  /// True if the body gives the name of the input to something else.
  bool IsBoundAgain() const {
    const Node body = forward_.Child(Field::kBody);
    const std::vector<Binding>& bindings = file_.names().bindings();
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
      return binding.name == input_ && body.IsAncestorOf(binding.node);
    });
  }

  /// Every node of the body, in the order of the text.
  bool ReadBody() {
    const Node body = forward_.Child(Field::kBody);
    for (uint32_t id = body.id() + 1; id < body.end_id(); ++id) {
      const Node node = body.tree().node(id);
      if (IsScope(node) || node.Is(NodeKind::kYield) || node.Is(NodeKind::kAwait)) return false;
      if (node.Is(NodeKind::kReturnStatement) && !ReadReturn(node)) return false;
      if (node.Is(NodeKind::kCall) && !ReadCall(node)) return false;
      if (!node.Is(NodeKind::kIdentifier) || node.text() != input_ || !IsVariableName(node))
        continue;
      const Node parent = node.parent();
      const bool is_changed =
          parent.Is(NodeKind::kAugmentedAssignment) && node == parent.Child(Field::kLeft);
      if (is_changed || IsAssigned(node) || parent.Is(NodeKind::kDeleteStatement)) return false;
      if (!known_.contains(node.id())) {
        edits_.push_back({node.range(), fmt::format("{}.whole({})", kSimilarModule, input_)});
      }
    }
    return true;
  }

  bool ReadCall(Node call) {
    if (IsSplit(call)) {
      edits_.push_back({call.range(), fmt::format("{}.halves({})", kSimilarModule, input_)});
      return true;
    }
    if (IsShuffle(call)) return TakeShuffle(call);
    if (IsCat(call)) return known_.contains(call.id()) || TakeJoin(call);
    return true;
  }

  /// `a, b = x.chunk(2, dim=1)` or `torch.chunk(x, 2, 1)`.
  bool IsSplit(Node call) {
    const Node assignment = call.parent();
    const Node left = assignment.Child(Field::kLeft);
    if (!assignment.Is(NodeKind::kAssignment) || !left.Is(NodeKind::kPatternList)) return false;
    size_t targets = 0;
    for (Node target = left.first_named_child(); target; target = target.next_named_sibling()) {
      if (!target.Is(NodeKind::kIdentifier)) return false;
      ++targets;
    }
    if (targets != 2) return false;
    std::vector<Argument> arguments = ArgumentsOf(call);
    Node tensor;
    if (file_.names().IsNamed(Callee(call), "torch.chunk") && !arguments.empty()) {
      tensor = arguments[0].keyword.empty() ? arguments[0].value : Node();
      arguments.erase(arguments.begin());
    } else if (Callee(call).Is(NodeKind::kAttribute) &&
               Callee(call).Child(Field::kAttribute).text() == "chunk") {
      tensor = Callee(call).Child(Field::kObject);
    }
    const bool fits = tensor.Is(NodeKind::kIdentifier) && tensor.text() == input_ &&
                      arguments.size() == 2 && IsArgument(arguments[0], "chunks", "2") &&
                      IsArgument(arguments[1], "dim", "1");
    if (!fits) return false;
    known_.insert(tensor.id());
    ++splits_;
    return true;
  }

  static bool IsArgument(const Argument& argument, std::string_view keyword,
                         std::string_view text) {
    return (argument.keyword.empty() || argument.keyword == keyword) && !argument.is_splat &&
           argument.value.text() == text;
  }

  /// `torch.cat((a, b), dim=1)` of parts that stand there.
  bool IsCat(Node call) const {
    return file_.names().IsNamed(Callee(call), "torch.cat") ||
           file_.names().IsNamed(Callee(call), "torch.concat");
  }

  /// The parts that `cat` joins along the channels, or a null node.
  Node PartsOf(Node cat) const {
    const std::vector<Argument> arguments = ArgumentsOf(cat);
    if (arguments.size() != 2 || !arguments[0].keyword.empty() || arguments[0].is_splat) return {};
    if (!IsArgument(arguments[1], "dim", "1") && !IsArgument(arguments[1], "axis", "1")) return {};
    const Node parts = arguments[0].value;
    if (!parts.Is(NodeKind::kTuple) && !parts.Is(NodeKind::kList)) return {};
    size_t count = 0;
    for (Node part = parts.first_named_child(); part; part = part.next_named_sibling()) {
      if (part.Is(NodeKind::kListSplat)) return {};
      ++count;
    }
    return count > 1 ? parts : Node();
  }

  /// Writes the parts in place of the call that joins them, with `first` and `last` around them.
  bool TakeParts(Node cat, std::string first = "", std::string last = "") {
    const Node parts = PartsOf(cat);
    if (!parts) return false;
    const TextRange before{cat.range().start, parts.range().start};
    const TextRange after{parts.range().end, cat.range().end};
    const std::string_view text = file_.source().bytes();
    if (HasPart(before.In(text), '#') || HasPart(after.In(text), '#')) return false;
    edits_.push_back({before, std::move(first)});
    edits_.push_back({after, std::move(last)});
    known_.insert(cat.id());
    ++joins_;
    return true;
  }

  /// `out = torch.cat(...)`; one that does not reach a shuffle is none of ours.
  bool TakeJoin(Node cat) {
    const Node assignment = cat.parent();
    const Node target = assignment.Child(Field::kLeft);
    const bool is_value = assignment.Is(NodeKind::kAssignment) &&
                          assignment.parent().Is(NodeKind::kExpressionStatement) &&
                          target.Is(NodeKind::kIdentifier) && !assignment.Child(Field::kType);
    if (!is_value || !ReachesShuffle(target.text())) return true;
    names_.insert(target.text());
    known_.insert(target.id());
    return TakeParts(cat);
  }

  /// True if a shuffle in the body takes `name`.
  bool ReachesShuffle(std::string_view name) const {
    const Node body = forward_.Child(Field::kBody);
    for (uint32_t id = body.id() + 1; id < body.end_id(); ++id) {
      const Node call = body.tree().node(id);
      if (!call.Is(NodeKind::kCall) || !IsShuffle(call)) continue;
      if (ArgumentsOf(call)[0].value.text() == name) return true;
    }
    return false;
  }

  /// The function of this file that `call` calls, or a null node.
  Node FunctionOf(Node call) const {
    const Node callee = Callee(call);
    if (!callee.Is(NodeKind::kIdentifier)) return {};
    Node function;
    for (const Binding* binding : file_.names().BindingsOf(callee)) {
      if (function || binding->kind != BindingKind::kFunction) return {};
      function = binding->statement;
    }
    if (function.Is(NodeKind::kDecoratedDefinition)) return {};
    return function;
  }

  bool IsShuffle(Node call) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.empty() || !arguments[0].keyword.empty() || arguments[0].is_splat) return false;
    for (const char* name : {"torch.channel_shuffle", "torch.nn.functional.channel_shuffle"}) {
      if (file_.names().IsNamed(Callee(call), name)) return arguments.size() == 2;
    }
    const Node function = FunctionOf(call);
    return function && IsChannelShuffle(function, file_);
  }

  /// The number of groups that `call` shuffles by, as text; empty if it is not a plain argument.
  std::string GroupsOf(Node call) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() == 2) {
      const bool is_plain = !arguments[1].is_splat && !HasSideEffects(arguments[1].value);
      return is_plain ? std::string(arguments[1].value.text()) : std::string();
    }
    const Node function = FunctionOf(call);
    if (arguments.size() != 1 || !function) return {};
    const Node value = ParameterOf(function, 1, "").parent().Child(Field::kValue);
    return value.Is(NodeKind::kInteger) ? std::string(value.text()) : std::string();
  }

  bool TakeShuffle(Node call) {
    const std::string groups = GroupsOf(call);
    if (groups.empty() || !IsReturned(call)) return false;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Node joined = arguments[0].value;
    const std::string first = fmt::format("{}, ", self_);
    const std::string last = arguments.size() == 1 ? ", " + groups : std::string();
    if (joined.Is(NodeKind::kIdentifier)) {
      known_.insert(joined.id());
      names_.insert(joined.text());
      edits_.push_back({joined.range(), fmt::format("{}{}{}", first, joined.text(), last)});
    } else if (!joined.Is(NodeKind::kCall) || !IsCat(joined) || !TakeParts(joined, first, last)) {
      return false;
    }
    ++shuffles_;
    edits_.push_back({Callee(call).range(), fmt::format("{}.shuffle_parts", kSimilarModule)});
    return true;
  }

  /// `return shuffle(...)`, or `y = shuffle(...)` and `return y` as the next statement.
  bool IsReturned(Node call) {
    const Node parent = call.parent();
    if (parent.Is(NodeKind::kReturnStatement)) {
      known_.insert(parent.id());
      return true;
    }
    const Node statement = parent.parent();
    const Node target = parent.Child(Field::kLeft);
    if (!parent.Is(NodeKind::kAssignment) || !target.Is(NodeKind::kIdentifier) ||
        parent.Child(Field::kType) || !statement.Is(NodeKind::kExpressionStatement)) {
      return false;
    }
    const Node next = statement.next_named_sibling();
    const Node value = next.first_named_child();
    if (!next.Is(NodeKind::kReturnStatement) || value.text() != target.text()) return false;
    known_.insert(next.id());
    known_.insert(target.id());
    known_.insert(value.id());
    names_.insert(target.text());
    return true;
  }

  /// What a block gives back is a shuffle, on every path.
  bool ReadReturn(Node statement) {
    if (known_.contains(statement.id())) return true;
    const Node value = statement.first_named_child();
    return value.Is(NodeKind::kCall) && IsShuffle(value);
  }

  /// True if nothing but joins, shuffles and returns uses `name`: it holds no tensor any more.
  bool AreAllKnown(std::string_view name) const {
    const Node body = forward_.Child(Field::kBody);
    for (uint32_t id = body.id() + 1; id < body.end_id(); ++id) {
      const Node node = body.tree().node(id);
      if (!node.Is(NodeKind::kIdentifier) || node.text() != name || !IsVariableName(node)) continue;
      if (!known_.contains(id)) return false;
    }
    return true;
  }

  Node forward_;
  const FileContext& file_;
  std::string_view self_;
  std::string_view input_;
  std::vector<Edit> edits_;
  std::set<uint32_t> known_;          // nodes that need no other look
  std::set<std::string_view> names_;  // of what is joined or shuffled
  size_t splits_ = 0;
  size_t joins_ = 0;
  size_t shuffles_ = 0;
};

}  // namespace

std::optional<std::vector<Edit>> SplitBetweenBlocks(Node definition, const FileContext& file) {
  const Node forward = PlainForward(definition);
  if (!forward || !MarginOf(forward)) return std::nullopt;
  BlockEdits block(forward, file);
  if (!block.Collect()) return std::nullopt;
  return std::move(block).edits();
}

}  // namespace transplt
