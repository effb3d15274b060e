// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/channel_shuffle.h"

#include <algorithm>

#include "transplt/python/parameters.h"
#include "transplt/python/statement.h"

namespace transplt {

bool ArePlain(const std::vector<Argument>& arguments,
              std::initializer_list<std::string_view> texts) {
  if (arguments.size() != texts.size()) return false;
  size_t i = 0;
  for (std::string_view text : texts) {
    if (!arguments[i].keyword.empty() || arguments[i].value.text() != text) return false;
    ++i;
  }
  return true;
}

Node ValueAssignedTo(std::string_view name, Node statement) {
  if (!statement.Is(NodeKind::kExpressionStatement)) return {};
  const Node assignment = statement.first_named_child();
  const bool fits = assignment.Is(NodeKind::kAssignment) && !assignment.next_named_sibling() &&
                    assignment.Child(Field::kLeft).text() == name;
  return fits ? assignment.Child(Field::kRight) : Node();
}

namespace {

/// What `x.view(batch, groups, channels, height, width)` and its like are made of.
struct MethodCall {
  Node receiver;
  std::string_view name;
  std::vector<Argument> arguments;
};

std::optional<MethodCall> MethodCallOf(Node call) {
  if (!call.Is(NodeKind::kCall)) return std::nullopt;
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return std::nullopt;
  return MethodCall{callee.Child(Field::kObject), callee.Child(Field::kAttribute).text(),
                    ArgumentsOf(call)};
}

/// The tensor whose dimensions 1 and 2 `call` swaps, or a null node.
Node SwappedBy(Node call, const FileContext& file) {
  const std::optional<MethodCall> method = MethodCallOf(call);
  if (!method) return {};
  const auto& arguments = method->arguments;
  if (method->name == "transpose" && arguments.size() == 3 &&
      file.names().IsNamed(call.Child(Field::kFunction), "torch.transpose") &&
      arguments[1].value.text() == "1" && arguments[2].value.text() == "2") {
    return arguments[0].value;
  }
  const bool swaps = (method->name == "transpose" && ArePlain(arguments, {"1", "2"})) ||
                     (method->name == "permute" && ArePlain(arguments, {"0", "2", "1", "3", "4"}));
  return swaps ? method->receiver : Node();
}

/// True for `.view(batch, groups, channels, height, width)`.
bool Splits(const MethodCall& call) {
  if ((call.name != "view" && call.name != "reshape") || call.arguments.size() != 5) return false;
  for (const Argument& argument : call.arguments) {
    if (!argument.keyword.empty() || argument.is_splat || HasSideEffects(argument.value)) {
      return false;
    }
  }
  return true;
}

/// True for the `.view(batch, -1, height, width)` that takes the groups together again.
bool Joins(const MethodCall& call, const std::vector<Argument>& split) {
  const auto& joined = call.arguments;
  return (call.name == "view" || call.name == "reshape") && joined.size() == 4 &&
         joined[0].value.text() == split[0].value.text() &&
         joined[2].value.text() == split[3].value.text() &&
         joined[3].value.text() == split[4].value.text() && !joined[1].is_splat;
}

Node PreviousStatement(Node statement) {
  Node previous;
  for (Node other = statement.parent().first_named_child(); other && !(other == statement);
       other = other.next_named_sibling()) {
    previous = other;
  }
  return previous;
}

/// `x.view(b, g, c, h, w).transpose(1, 2).contiguous().view(b, -1, h, w)`.
std::optional<ChannelShuffle> InOneExpression(Node contiguous, Node swapped) {
  const std::optional<MethodCall> split = MethodCallOf(swapped);
  const Node whole = contiguous.parent().parent();
  if (!split || !Splits(*split) || !split->receiver.Is(NodeKind::kIdentifier) ||
      !contiguous.parent().Is(NodeKind::kAttribute)) {
    return std::nullopt;
  }
  const std::optional<MethodCall> join = MethodCallOf(whole);
  if (!join || !(join->receiver == contiguous) || !Joins(*join, split->arguments)) {
    return std::nullopt;
  }
  return ChannelShuffle{split->receiver, split->arguments, whole, {}, {}};
}

/// The same in three statements that assign to one name.
std::optional<ChannelShuffle> InStatements(Node contiguous, Node tensor) {
  const Node swap = EnclosingStatement(contiguous);
  if (!(ValueAssignedTo(tensor.text(), swap) == contiguous)) return std::nullopt;
  const Node before = PreviousStatement(swap);
  const std::optional<MethodCall> split =
      before ? MethodCallOf(ValueAssignedTo(tensor.text(), before)) : std::nullopt;
  const Node after = swap.next_named_sibling();
  if (!split || !Splits(*split) || split->receiver.text() != tensor.text() || !after) {
    return std::nullopt;
  }
  const Node joined = after.Is(NodeKind::kReturnStatement) ? after.first_named_child()
                                                           : ValueAssignedTo(tensor.text(), after);
  const std::optional<MethodCall> join = MethodCallOf(joined);
  if (!join || join->receiver.text() != tensor.text() || !Joins(*join, split->arguments)) {
    return std::nullopt;
  }
  return ChannelShuffle{tensor, split->arguments, joined, before, swap};
}

/// The names of `batch, channels, height, width = x.size()`; none if `statement` is something else.
std::vector<std::string_view> SizesOf(std::string_view tensor, Node statement) {
  if (!statement.Is(NodeKind::kExpressionStatement)) return {};
  const Node assignment = statement.first_named_child();
  const Node left = assignment.Child(Field::kLeft);
  std::string_view right = assignment.Child(Field::kRight).text();
  if (!left.Is(NodeKind::kPatternList) || !right.starts_with(tensor)) return {};
  right.remove_prefix(tensor.size());
  if (right.starts_with(".data")) right.remove_prefix(5);
  if (right != ".size()" && right != ".shape") return {};
  std::vector<std::string_view> names;
  for (Node name = left.first_named_child(); name; name = name.next_named_sibling()) {
    if (!name.Is(NodeKind::kIdentifier)) return {};
    names.push_back(name.text());
  }
  return names.size() == 4 ? names : std::vector<std::string_view>();
}

/// True for `channels // groups`.
bool IsQuotient(Node expression, std::string_view channels, std::string_view groups) {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  return expression.Is(NodeKind::kBinaryOperator) &&
         expression.Child(Field::kLeft).next_sibling().IsToken("//") &&
         expression.Child(Field::kLeft).text() == channels &&
         expression.Child(Field::kRight).text() == groups;
}

/// What the statements of a function that shuffles channels have said so far.
class ShuffleBody {
 public:
  ShuffleBody(std::string_view tensor, std::string_view groups, const FileContext& file)
      : tensor_(tensor), groups_(groups), file_(file) {}

  /// False for a statement that is no part of such a function.
  bool Take(Node statement) {
    if (is_returned_) return false;
    if (statement.Is(NodeKind::kExpressionStatement) &&
        statement.first_named_child().Is(NodeKind::kString)) {
      return true;
    }
    if (std::vector<std::string_view> sizes = SizesOf(tensor_, statement); !sizes.empty()) {
      sizes_ = std::move(sizes);
      return true;
    }
    if (TakeQuotient(statement)) return true;
    if (statement.Is(NodeKind::kReturnStatement)) return TakeReturn(statement.first_named_child());
    const Node value = ValueAssignedTo(tensor_, statement);
    if (!value) return false;
    if (!shuffle_) shuffle_ = FindShuffle(statement.parent());
    if (shuffle_ && (statement == shuffle_->view || statement == shuffle_->swap)) return true;
    return TakeResult(value);
  }

  bool is_returned() const { return is_returned_; }

 private:
  std::optional<ChannelShuffle> FindShuffle(Node body) const {
    for (uint32_t id = body.id(); id < body.end_id(); ++id) {
      const Node call = body.tree().node(id);
      if (std::optional<ChannelShuffle> found = ChannelShuffleAt(call, file_)) return found;
    }
    return std::nullopt;
  }

  bool TakeQuotient(Node statement) {
    if (sizes_.empty() || !statement.Is(NodeKind::kExpressionStatement)) return false;
    const Node assignment = statement.first_named_child();
    if (!assignment.Is(NodeKind::kAssignment)) return false;
    if (!assignment.Child(Field::kLeft).Is(NodeKind::kIdentifier)) return false;
    if (!IsQuotient(assignment.Child(Field::kRight), sizes_[1], groups_)) return false;
    quotient_ = assignment.Child(Field::kLeft).text();
    return true;
  }

  bool TakeReturn(Node value) {
    is_returned_ = true;
    if (has_result_) return value.text() == tensor_;
    if (!shuffle_ && value) shuffle_ = FindShuffle(value.parent().parent());
    return TakeResult(value);
  }

  bool TakeResult(Node value) {
    has_result_ = true;
    if (value.Is(NodeKind::kCall) &&
        file_.names().IsNamed(value.Child(Field::kFunction), "transplt_similar.shuffle_channels")) {
      return ArePlain(ArgumentsOf(value), {tensor_, groups_});
    }
    if (!shuffle_ || !(value == shuffle_->result) || sizes_.empty()) return false;
    const std::vector<Argument>& split = shuffle_->split;
    const Node part = split[2].value;
    return shuffle_->tensor.text() == tensor_ && split[0].value.text() == sizes_[0] &&
           split[1].value.text() == groups_ &&
           (part.text() == quotient_ || IsQuotient(part, sizes_[1], groups_)) &&
           split[3].value.text() == sizes_[2] && split[4].value.text() == sizes_[3];
  }

  std::string_view tensor_;
  std::string_view groups_;
  const FileContext& file_;
  std::vector<std::string_view> sizes_;
  std::string_view quotient_;
  std::optional<ChannelShuffle> shuffle_;
  bool has_result_ = false;
  bool is_returned_ = false;
};

}  // namespace

std::optional<ChannelShuffle> ChannelShuffleAt(Node contiguous, const FileContext& file) {
  const std::optional<MethodCall> call = MethodCallOf(contiguous);
  if (!call || call->name != "contiguous" || !call->arguments.empty()) return std::nullopt;
  const Node swapped = SwappedBy(call->receiver, file);
  if (!swapped) return std::nullopt;
  return swapped.Is(NodeKind::kIdentifier) ? InStatements(contiguous, swapped)
                                           : InOneExpression(contiguous, swapped);
}

bool IsChannelShuffle(Node definition, const FileContext& file) {
  const Node tensor = ParameterOf(definition, 0, "");
  const Node groups = ParameterOf(definition, 1, "");
  if (!tensor || !groups || ParameterOf(definition, 2, "")) return false;
  if (definition.parent().Is(NodeKind::kDecoratedDefinition)) return false;
  ShuffleBody body(tensor.text(), groups.text(), file);
  for (Node statement = definition.Child(Field::kBody).first_named_child(); statement;
       statement = statement.next_named_sibling()) {
    if (!body.Take(statement)) return false;
  }
  return body.is_returned();
}

}  // namespace transplt
