// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

constexpr std::string_view kSimilarModule = "transplt_similar";

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

/// Writes the shuffle of channels (view, transpose, contiguous, view) as one call of the module
/// that is written beside the program: an index_select, which is a computation on the NPU and not a
/// copy of views, by an index that stays on the device.
class ChannelShuffleRule : public Rule {
 public:
  explicit ChannelShuffleRule(RuleHeader header) : Rule(std::move(header)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, "contiguous"}}; }

  WordSets required_words() const override { return {{"contiguous"}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const std::optional<MethodCall> contiguous = MethodCallOf(node);
    if (!contiguous || !contiguous->arguments.empty()) return;
    const Node swapped = SwappedBy(contiguous->receiver, file);
    if (!swapped) return;
    if (swapped.Is(NodeKind::kIdentifier)) {
      CheckStatements(node, swapped, file, findings);
    } else {
      CheckChain(node, swapped, findings);
    }
  }

 private:
  /// The tensor whose dimensions 1 and 2 `call` swaps, or a null node.
  static Node SwappedBy(Node call, const FileContext& file) {
    const std::optional<MethodCall> method = MethodCallOf(call);
    if (!method) return {};
    const auto& arguments = method->arguments;
    if (method->name == "transpose" && arguments.size() == 3 &&
        file.names().IsNamed(call.Child(Field::kFunction), "torch.transpose") &&
        arguments[1].value.text() == "1" && arguments[2].value.text() == "2") {
      return arguments[0].value;
    }
    const bool swaps =
        (method->name == "transpose" && ArePlain(arguments, {"1", "2"})) ||
        (method->name == "permute" && ArePlain(arguments, {"0", "2", "1", "3", "4"}));
    return swaps ? method->receiver : Node();
  }

  /// True for `.view(batch, groups, channels, height, width)`.
  static bool Splits(const MethodCall& call) {
    if ((call.name != "view" && call.name != "reshape") || call.arguments.size() != 5) return false;
    for (const Argument& argument : call.arguments) {
      if (!argument.keyword.empty() || argument.is_splat || HasSideEffects(argument.value)) {
        return false;
      }
    }
    return true;
  }

  /// True for the `.view(batch, -1, height, width)` that takes the groups together again.
  static bool Joins(const MethodCall& call, const std::vector<Argument>& split) {
    const auto& joined = call.arguments;
    return (call.name == "view" || call.name == "reshape") && joined.size() == 4 &&
           joined[0].value.text() == split[0].value.text() &&
           joined[2].value.text() == split[3].value.text() &&
           joined[3].value.text() == split[4].value.text() && !joined[1].is_splat;
  }

  /// `transplt_similar.shuffle_channels(x, groups)`.
  static std::string Selection(std::string_view tensor, const std::vector<Argument>& split) {
    return fmt::format("{}.shuffle_channels({}, {})", kSimilarModule, tensor,
                       split[1].value.text());
  }

  Finding Found(TextRange range) const {
    Finding finding = Change(
        range, Say("shuffle the channels by index_select, with an index that stays on the device",
                   "用 index_select 重排通道, 索引常驻设备"));
    finding.needs_import = fmt::format("import {}", kSimilarModule);
    return finding;
  }

  /// `x.view(b, g, c, h, w).transpose(1, 2).contiguous().view(b, -1, h, w)`.
  void CheckChain(Node contiguous, Node swapped, Findings& findings) const {
    const std::optional<MethodCall> split = MethodCallOf(swapped);
    const Node whole = contiguous.parent().parent();
    if (!split || !Splits(*split) || !split->receiver.Is(NodeKind::kIdentifier) ||
        !contiguous.parent().Is(NodeKind::kAttribute)) {
      return;
    }
    const std::optional<MethodCall> join = MethodCallOf(whole);
    if (!join || !(join->receiver == contiguous) || !Joins(*join, split->arguments)) return;
    Finding finding = Found(whole.range());
    finding.fix.Replace(whole.range(), Selection(split->receiver.text(), split->arguments));
    findings.push_back(std::move(finding));
  }

  /// The value of `name = value`, a statement on lines of its own; else a null node.
  static Node ValueOf(Node statement, std::string_view name) {
    if (!statement.Is(NodeKind::kExpressionStatement)) return {};
    const Node assignment = statement.first_named_child();
    const bool fits = assignment.Is(NodeKind::kAssignment) && !assignment.next_named_sibling() &&
                      assignment.Child(Field::kLeft).text() == name;
    return fits ? assignment.Child(Field::kRight) : Node();
  }

  static Node PreviousStatement(Node statement) {
    Node previous;
    for (Node other = statement.parent().first_named_child(); other && !(other == statement);
         other = other.next_named_sibling()) {
      previous = other;
    }
    return previous;
  }

  /// Takes a statement out with its lines; nothing if it shares them.
  static std::optional<Edit> Remove(Node statement, const SourceFile& source) {
    const StatementPlace place(statement, source);
    const uint32_t start = source.LineRange(source.Locate(statement.range().start).line).start;
    const std::string_view after =
        TextRange{statement.range().end, place.insertion()}.In(source.bytes());
    if (place.shares_line() || HasPart(after, '#')) return std::nullopt;
    return Edit{{start, place.insertion()}, ""};
  }

  /// The same in three statements that assign to one name.
  void CheckStatements(Node contiguous, Node tensor, const FileContext& file,
                       Findings& findings) const {
    const Node swap = EnclosingStatement(contiguous);
    if (!(ValueOf(swap, tensor.text()) == contiguous)) return;
    const Node before = PreviousStatement(swap);
    const std::optional<MethodCall> split =
        before ? MethodCallOf(ValueOf(before, tensor.text())) : std::nullopt;
    const Node after = swap.next_named_sibling();
    if (!split || !Splits(*split) || split->receiver.text() != tensor.text() || !after) return;
    const Node joined = after.Is(NodeKind::kReturnStatement) ? after.first_named_child()
                                                             : ValueOf(after, tensor.text());
    const std::optional<MethodCall> join = MethodCallOf(joined);
    if (!join || join->receiver.text() != tensor.text() || !Joins(*join, split->arguments)) return;
    const std::optional<Edit> no_split = Remove(before, file.source());
    const std::optional<Edit> no_swap = Remove(swap, file.source());
    if (!no_split || !no_swap) return;
    Finding finding = Found({before.range().start, joined.range().end});
    finding.fix.edits = {
        *no_split, *no_swap, {joined.range(), Selection(tensor.text(), split->arguments)}};
    findings.push_back(std::move(finding));
  }
};

Result<std::unique_ptr<Rule>> MakeChannelShuffleRule(RuleHeader header, const Fields& /*fields*/) {
  return std::unique_ptr<Rule>(std::make_unique<ChannelShuffleRule>(std::move(header)));
}

}  // namespace

RuleKind ChannelShuffleRuleKind() {
  return {"ChannelShuffleRule",
          "Writes a shuffle of channels (view, transpose, contiguous, view) as "
          "transplt_similar.shuffle_channels, an index_select.",
          {},
          MakeChannelShuffleRule};
}

}  // namespace transplt
