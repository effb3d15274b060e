// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The clause that catches `exception` alone: `except E:`, `except E as e:`; or a null node.
Node ClauseThatCatches(Node exception) {
  Node holder = exception.parent();
  if (holder.Is(NodeKind::kAsPattern) && holder.first_named_child() == exception) {
    holder = holder.parent();
  }
  return holder.Is(NodeKind::kExceptClause) ? holder : Node();
}

/// The name that `except E as name` gives the exception, or a null node.
Node NameOfCaught(Node exception) {
  const Node pattern = exception.parent();
  if (!pattern.Is(NodeKind::kAsPattern)) return {};
  for (uint32_t id = exception.end_id(); id < pattern.end_id(); ++id) {
    const Node node = pattern.tree().node(id);
    if (node.Is(NodeKind::kIdentifier)) return node;
  }
  return {};
}

Node BlockOf(Node clause) {
  for (const Node part : NamedChildren(clause)) {
    if (part.Is(NodeKind::kBlock)) return part;
  }
  return {};
}

/// True if another clause of the same statement is tried after `clause`.
bool HasLaterClause(Node clause) {
  for (Node next = clause.next_named_sibling(); next; next = next.next_named_sibling()) {
    if (next.Is(NodeKind::kExceptClause)) return true;
  }
  return false;
}

/// Catches an exception that the NPU does not raise by the class and the text of what it raises.
class ExceptionModifyRule : public Rule {
 public:
  ExceptionModifyRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), raised_(fields.String("raised")), text_(fields.String("text")) {
    entry_.old_name = fields.String("exception");
    entry_.rule_id = id();
  }

  const ApiEntry* api_entry() const override { return &entry_; }

  std::vector<Trigger> triggers() const override {
    const std::string last(LastPart(entry_.old_name));
    return {{NodeKind::kAttribute, last}, {NodeKind::kIdentifier, last}};
  }

  WordSets required_words() const override { return WordsOfName(entry_.old_name); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (IsInImport(node) || !file.names().IsNamed(node, entry_.old_name)) return;
    if (node.parent().Is(NodeKind::kAttribute)) return;  // asked for as a whole
    Finding finding =
        Change(node.range(), Say("catch {} and look for \"{}\" in its text",
                                 "捕获 {} 并检查其文本是否包含 \"{}\"", raised_, text_));
    const Node clause = ClauseThatCatches(node);
    if (clause && !HasLaterClause(clause)) finding.fix = Rewrite(node, clause);
    if (finding.fix.empty()) {
      Leave(finding, WhyOf(entry_.old_name));
    }
    findings.push_back(std::move(finding));
  }

 private:
  /// `except E:` -> `except RuntimeError as error:` with a test in front of its statements. Empty
  /// where the statements share the line of the clause.
  Fix Rewrite(Node exception, Node clause) const {
    const Node block = BlockOf(clause);
    const Node first = block ? block.first_named_child() : Node();
    const std::optional<std::string> outer = MarginOf(clause);
    const std::optional<std::string> inner = first ? MarginOf(first) : std::nullopt;
    if (!outer || !inner || inner->size() <= outer->size()) return {};
    const std::string_view bytes = exception.tree().source().bytes();
    const Node caught = NameOfCaught(exception);
    const std::string name = caught ? std::string(caught.text()) : UnusedName(exception.tree());
    const std::string_view line_end = !HasPart(bytes, "\r\n") ? "\n" : "\r\n";
    Fix fix;
    fix.Replace(exception.range(), raised_ + (caught ? "" : " as " + name));
    fix.Insert(first.range().start,
               fmt::format("if \"{0}\" not in str({1}):{2}{3}{4}raise{2}{3}", text_, name, line_end,
                           *inner, inner->substr(outer->size())));
    return fix;
  }

  /// A name that the file does not use yet.
  static std::string UnusedName(const SyntaxTree& tree) {
    std::string name = "error";
    const auto is_used = [&] {
      for (uint32_t id = 0; id < tree.size(); ++id) {
        if (tree.node(id).Is(NodeKind::kIdentifier) && tree.node(id).text() == name) return true;
      }
      return false;
    };
    while (is_used()) name = "caught_" + name;
    return name;
  }

  ApiEntry entry_;
  std::string raised_;
  std::string text_;
};

Result<std::unique_ptr<Rule>> MakeExceptionModifyRule(RuleHeader header, const Fields& fields) {
  const std::string text = fields.String("text");
  if (text.empty() || text.find_first_of("\"\\\n") != std::string::npos) {
    return BadRule(Say("\"text\" must be a text without quotes, backslashes and line ends",
                       "\"text\" 必须是不含引号、反斜杠与换行的文本"));
  }
  return MakeRule<ExceptionModifyRule>(std::move(header), fields);
}

}  // namespace

RuleKind ExceptionModifyRuleKind() {
  return {"ExceptionModifyRule",
          "Catches an exception that the NPU does not raise by the class and the text of what it "
          "raises; what has another text is raised again. Where that cannot be written, and where "
          "the exception is named otherwise, the place is reported with the rule's why.",
          {{"exception", FieldType::kDottedName, true, "The full name of the exception."},
           {"raised", FieldType::kDottedName, true, "The class that the NPU raises: RuntimeError."},
           {"text", FieldType::kString, true, "What its text holds: out of memory."}},
          MakeExceptionModifyRule};
}

}  // namespace transplt
