// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/served_branch.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace transplt {
namespace {

constexpr std::string_view kDevice = "npu";

bool IsLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// True if `text` has the device as a word of its own or between underscores, in any case.
bool NamesDevice(std::string_view text) {
  for (size_t at = 0; at + kDevice.size() <= text.size(); ++at) {
    const bool same =
        std::equal(kDevice.begin(), kDevice.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                   [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
    if (!same || (at > 0 && IsLetterOrDigit(text[at - 1]))) continue;
    const size_t end = at + kDevice.size();
    if (end == text.size() || !IsLetterOrDigit(text[end])) return true;
  }
  return false;
}

/// `not is_npu_available()`: what it guards is not for the NPU.
bool IsNegated(Node condition) {
  while (condition.Is(NodeKind::kParenthesizedExpression)) {
    condition = condition.first_named_child();
  }
  return condition.Is(NodeKind::kNotOperator);
}

bool AsksForDevice(Node condition) { return condition && NamesDevice(condition.text()); }

/// True if what holds when `condition` does is a branch for the NPU.
bool Serves(Node condition) { return AsksForDevice(condition) && !IsNegated(condition); }

/// True if a clause of the chain other than the one that holds `node` serves the NPU.
bool ChainServes(Node statement, Node clause_of_node) {
  const Node first = statement.Child(Field::kCondition);
  const bool is_in_first = clause_of_node == statement;
  if (is_in_first && AsksForDevice(first))
    return IsNegated(first) && statement.Child(Field::kAlternative);
  bool others = !is_in_first && Serves(first);
  for (Node clause = statement.first_named_child(); clause; clause = clause.next_named_sibling()) {
    if (!clause.Is(NodeKind::kElifClause)) continue;
    if (clause == clause_of_node) {
      if (AsksForDevice(clause.Child(Field::kCondition))) return false;
    } else {
      others = others || Serves(clause.Child(Field::kCondition));
    }
  }
  return others;
}

bool SpeaksOfCuda(Node node) { return node && node.text().find("cuda") != std::string_view::npos; }

/// `"cuda" if torch.cuda.is_available() else "npu"`, and the same as a statement.
bool AlternativeServes(Node condition, Node alternative) {
  return SpeaksOfCuda(condition) && !AsksForDevice(condition) && alternative &&
         !SpeaksOfCuda(alternative) && NamesDevice(alternative.text());
}

/// True if a statement before this one in its block has left it where there is an NPU:
/// `if is_npu_available(): return "npu"`.
bool IsLeftBefore(Node statement) {
  if (!statement.parent().Is(NodeKind::kBlock)) return false;
  for (Node before = statement.parent().first_named_child(); before && !(before == statement);
       before = before.next_named_sibling()) {
    if (!before.Is(NodeKind::kIfStatement) || before.Child(Field::kAlternative) ||
        !Serves(before.Child(Field::kCondition))) {
      continue;
    }
    Node last;
    const Node body = before.Child(Field::kConsequence);
    for (Node inner = body.first_named_child(); inner; inner = inner.next_named_sibling()) {
      last = inner;
    }
    if (last.Is(NodeKind::kReturnStatement) || last.Is(NodeKind::kRaiseStatement)) return true;
  }
  return false;
}

bool IsServedElsewhere(Node node) {
  for (Node inner = node, outer = node.parent(); outer; inner = outer, outer = outer.parent()) {
    switch (outer.kind()) {
      case NodeKind::kIfStatement: {
        const bool is_clause = inner.Is(NodeKind::kElifClause) || inner.Is(NodeKind::kElseClause);
        if (ChainServes(outer, is_clause ? inner : outer)) return true;
        if (!is_clause &&
            AlternativeServes(outer.Child(Field::kCondition), outer.Child(Field::kAlternative))) {
          return true;
        }
        break;
      }
      case NodeKind::kConditionalExpression: {
        const Node yes = outer.first_named_child();
        const Node condition = yes.next_named_sibling();
        const Node otherwise = condition ? condition.next_named_sibling() : Node();
        if (!(inner == otherwise) && AlternativeServes(condition, otherwise)) return true;
        if (inner == condition || !AsksForDevice(condition)) break;
        if ((inner == yes) == IsNegated(condition)) return true;
        break;
      }
      case NodeKind::kFunctionDefinition:
      case NodeKind::kClassDefinition:
        return false;
      default:
        break;
    }
    if (IsLeftBefore(inner)) return true;
  }
  return false;
}

}  // namespace

void LeaveServedBranches(const SyntaxTree& tree, std::vector<Finding>& findings) {
  if (!NamesDevice(tree.source().bytes())) return;
  for (Finding& finding : findings) {
    if (finding.fix.empty() || !IsServedElsewhere(tree.NodeAt(finding.range))) continue;
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.needs_npu_import = false;
    finding.message = {
        "left as it is, because the program already has a branch for npu: " + finding.message.en,
        "程序已有 npu 的分支, 保持原样: " + finding.message.zh};
    finding.fix = {};
  }
}

}  // namespace transplt
