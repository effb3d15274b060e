// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/python_2.h"

#include <algorithm>
#include <utility>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/syntax/indentation.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True for `print x` and not for `print (x), y`, which both versions read.
bool IsWithoutParentheses(Node statement, std::string_view word) {
  return !Trimmed(statement.text().substr(word.size())).starts_with('(');
}

/// `except Error, e`: behind `except` stands more than one expression.
bool HasTwoValues(Node clause) {
  const NamedChildren children(clause);
  return std::ranges::count_if(children, [](Node child) { return !child.Is(NodeKind::kBlock); }) >
         1;
}

bool HasOldComparison(Node comparison) {
  const std::string_view text = comparison.text();
  if (!HasPart(text, "<>")) return false;
  return std::ranges::none_of(NodesIn(comparison),
                              [](Node node) { return node.Is(NodeKind::kString); });
}

/// True if a line without its indentation may be a statement of Python 2.
bool MayBeOld(std::string_view line) {
  for (const std::string_view word : {"print", "exec", "except", "raise"}) {
    if (!line.starts_with(word)) continue;
    const std::string_view rest = line.substr(word.size());
    if (!rest.starts_with(' ')) return false;
    const bool needs_comma = word == "except" || word == "raise";
    const char first = Trimmed(rest).empty() ? '(' : Trimmed(rest).front();
    return first != '(' && first != '=' && (!needs_comma || HasPart(rest, ','));
  }
  return false;
}

/// What Python 3 would have there, or an empty Text for what it reads.
Text WhatIsOld(Node node) {
  switch (node.kind()) {
    case NodeKind::kPrintStatement:
      if (!IsWithoutParentheses(node, "print")) return {};
      return Say("a print statement", "print 语句");
    case NodeKind::kExecStatement:
      if (!IsWithoutParentheses(node, "exec")) return {};
      return Say("an exec statement", "exec 语句");
    case NodeKind::kExceptClause:
      if (!HasTwoValues(node)) return {};
      return Say("`except Error, name`", "`except Error, name`");
    case NodeKind::kRaiseStatement:
      if (!node.first_named_child().Is(NodeKind::kExpressionList)) return {};
      return Say("`raise Error, text`", "`raise Error, text`");
    case NodeKind::kComparisonOperator:
      if (!HasOldComparison(node)) return {};
      return Say("`<>`", "`<>`");
    case NodeKind::kInteger:
      if (!node.text().ends_with('L') && !node.text().ends_with('l')) return {};
      return Say("a long integer such as 10L", "10L 形式的长整数");
    case NodeKind::kIdentifier:
      if (node.text() != "async") return {};
      return Say("`async` as a name, a keyword since Python 3.7",
                 "以 `async` 为名称, 自 Python 3.7 起为关键字");
    default:
      return {};
  }
}

/// `async` of `x.cuda(async=True)`, an argument of torch that has another name now.
bool IsRenamedArgument(Node name) {
  if (name.text() != "async" || name.field() != Field::kName) return false;
  const Node argument = name.parent();
  if (!argument.Is(NodeKind::kKeywordArgument)) return false;
  const Node callee = argument.parent().parent().Child(Field::kFunction);
  return callee.Is(NodeKind::kAttribute) &&
         Words("methods-with-async").Has(callee.Child(Field::kAttribute).text());
}

Finding UnreadableRow(TextRange place, const Text& what, std::string_view cause) {
  Finding row = RowAt(place, "syntax", what, Operation::kUnsupported, Severity::kStopsImport);
  row.cause = cause;
  return row;
}

Finding OldSyntaxRow(TextRange place, const Text& old) {
  const Text what = {
      old.en +
          ": Python 3 does not read this file; translate it first, for example with 2to3, "
          "which comes with Python up to 3.12",
      old.zh + ": Python 3 无法读取该文件; 请先转换, 例如使用 Python 3.12 及以下自带的 2to3"};
  return UnreadableRow(place, what, "python-2");
}

Finding RenamedArgument(Node name) {
  Finding finding = RowAt(name.range(), "async-argument",
                          Say("`async` is a keyword since Python 3.7: the argument is called "
                              "non_blocking now",
                              "`async` 自 Python 3.7 起为关键字: 该参数现名 non_blocking"),
                          Operation::kModify);
  finding.applicability = Applicability::kSafe;
  finding.fix.Replace(name.range(), "non_blocking");
  return finding;
}

}  // namespace

bool MayHoldPython2(std::string_view bytes) {
  if (HasPart(bytes, "async=") || HasPart(bytes, "async =") || HasPart(bytes, "<>")) return true;
  if (MixesTabs(bytes)) return true;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    if (MayBeOld(Trimmed(bytes.substr(0, end)))) return true;
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return false;
}

Findings CheckPython2(const SyntaxTree& tree) {
  Findings findings;
  bool is_told = false;
  for (const Node node : NodesIn(tree)) {
    const Text old = WhatIsOld(node);
    if (old.empty() || tree.IsUnparsed(node.range())) continue;
    if (IsRenamedArgument(node)) {
      findings.push_back(RenamedArgument(node));
      continue;
    }
    if (std::exchange(is_told, true)) continue;
    const bool is_clause = node.Is(NodeKind::kExceptClause);  // its head, without its block
    findings.push_back(OldSyntaxRow((is_clause ? node.first_named_child() : node).range(), old));
  }
  if (is_told || !MixesTabs(tree.source().bytes())) return findings;
  if (const auto place = AmbiguousIndentation(tree)) {
    const Text tabs =
        Say("tabs and blanks indent one block, which Python 3 refuses (TabError): indent it with "
            "blanks alone, for example with expand --initial -t 8, which is how Python 2 reads it",
            "同一代码块混用制表符与空格缩进, Python 3 会拒绝 (TabError): 请统一使用空格, 例如 "
            "expand --initial -t 8, Python 2 即如此读取");
    const auto end = static_cast<uint32_t>(std::string_view(tree.source().bytes())
                                               .substr(0, place->end)
                                               .find_first_of("\r\n", place->start));
    findings.push_back(UnreadableRow({place->start, std::min(place->end, end)}, tabs, "tabs"));
  }
  return findings;
}

}  // namespace transplt
