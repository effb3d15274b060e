// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/python/arguments.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/device_text.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kArgument = "{}";

/// Adds statements behind the one that calls a function, which does for CUDA what they do for the
/// other device.
class StatementAfterCallRule : public Rule {
 public:
  StatementAfterCallRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        statements_(fields.List("statements")),
        done_by_(fields.List("done_by")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& name : functions_) triggers.push_back({NodeKind::kCall, name});
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& name : functions_) {
      for (std::vector<std::string>& of_name : WordsOfName(name)) {
        words.push_back(std::move(of_name));
      }
    }
    return words;
  }

  void Check(Node call, const FileContext& file, Findings& findings) const override {
    // A library sees to itself.
    const bool is_meant = std::ranges::any_of(functions_, [&](const std::string& name) {
      return Calls(call, name, file) && !file.IsOwn(name);
    });
    if (!is_meant || IsDone(call, file)) return;
    const std::string about(call.Child(Field::kFunction).text());
    const std::optional<std::string> lines = LinesBehind(call, file);
    if (!lines) return findings.push_back(Row(call.range(), WhyOf(about)));
    Finding finding = Change(call.range(), WhyOf(about));
    finding.fix.Insert(StatementPlace(EnclosingStatement(call), file.tree().source()).insertion(),
                       *lines);
    finding.needs_device_import = true;
    findings.push_back(std::move(finding));
  }

 private:
  /// True if the program does it itself, behind the call.
  bool IsDone(Node call, const FileContext& file) const {
    Node scope = call;
    while (scope.parent() && !scope.Is(NodeKind::kFunctionDefinition)) scope = scope.parent();
    return std::ranges::any_of(done_by_, [&](const std::string& name) {
      return std::ranges::any_of(file.NodesSaying(LastPart(name)), [&](Node said) {
        const Node other = CallOf(said);
        return other.range().start > call.range().start && scope.IsAncestorOf(other) &&
               Calls(other, name, file);
      });
    });
  }

  /// The call whose callee ends in the identifier `name`, or a null node.
  static Node CallOf(Node name) {
    const Node callee = name.parent().Is(NodeKind::kAttribute) ? name.parent() : name;
    return callee.field() == Field::kFunction ? callee.parent() : Node();
  }

  /// The text of the statements; nothing where it cannot be written.
  std::optional<std::string> LinesBehind(Node call, const FileContext& file) const {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Node statement = EnclosingStatement(call);
    const bool is_simple = statement.Is(NodeKind::kExpressionStatement);
    if (!is_simple || arguments.empty() || arguments[0].is_splat) return std::nullopt;
    const Node argument = arguments[0].value;
    if (!argument.Is(NodeKind::kIdentifier) && !argument.Is(NodeKind::kAttribute)) {
      return std::nullopt;
    }
    const StatementPlace place(statement, file.tree().source());
    if (place.shares_line()) return std::nullopt;
    std::string lines;
    for (std::string line : statements_) {
      for (size_t at = line.find(kArgument); at != std::string::npos; at = line.find(kArgument)) {
        line.replace(at, kArgument.size(), argument.text());
      }
      const std::optional<std::string> spelled =
          HasPart(line, "torch.") ? TorchTextAt(call, line, file) : line;
      if (!spelled) return std::nullopt;
      lines += place.Join(*spelled);
    }
    return lines;
  }

  std::vector<std::string> functions_;
  std::vector<std::string> statements_;
  std::vector<std::string> done_by_;
};

}  // namespace

RuleKind StatementAfterCallRuleKind() {
  return {
      "StatementAfterCallRule",
      "Adds statements behind the statement that calls a function; where they cannot be written "
      "there, the rule's why is the message.",
      {{"functions", FieldType::kStringList, true, "The functions by their full names."},
       {"statements", FieldType::kStringList, true,
        "Lines of Python; {} stands for the first argument of the call."},
       {"done_by", FieldType::kStringList, false,
        "Functions: nothing is added where the program calls one of them behind the call."},
       {"source", FieldType::kString, false, "Where this is documented."}},
      MakeRule<StatementAfterCallRule>};
}

}  // namespace transplt
