// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/kept_guards.h"

#include <algorithm>

namespace transplt {
namespace {

constexpr std::string_view kRuleId = "condition-of-cuda";

/// A condition and what runs only where it holds.
struct Guard {
  Node condition;
  Node body;
};

bool HasToken(Node node, std::string_view text) {
  for (Node child = node.first_child(); child; child = child.next_sibling()) {
    if (child.IsToken(text)) return true;
  }
  return false;
}

Guard GuardAt(Node holder) {
  switch (holder.kind()) {
    case NodeKind::kIfStatement:
    case NodeKind::kElifClause: {
      const Node condition = holder.Child(Field::kCondition);
      const bool negated = condition.Is(NodeKind::kNotOperator);
      return {condition, holder.Child(negated ? Field::kAlternative : Field::kConsequence)};
    }
    case NodeKind::kConditionalExpression: {
      const Node yes = holder.first_named_child();
      const Node condition = yes ? yes.next_named_sibling() : Node();
      if (!condition.Is(NodeKind::kNotOperator)) return {condition, yes};
      return {condition, condition.next_named_sibling()};
    }
    case NodeKind::kBooleanOperator: {
      const Node left = holder.first_named_child();
      return left && HasToken(holder, "and") ? Guard{left, left.next_named_sibling()} : Guard();
    }
    default:
      return {};
  }
}

bool Holds(Node node, TextRange range) { return node && node.range().Contains(range); }

class KeptGuards {
 public:
  KeptGuards(const SyntaxTree& tree, std::vector<Finding>& findings)
      : tree_(tree), findings_(findings) {}

  std::vector<Finding> Run() {
    // Inner guards first: what one of them keeps from other devices needs no guard around it.
    for (uint32_t id = tree_.size(); id-- > 0;) {
      const Guard guard = GuardAt(tree_.node(id));
      if (!guard.condition || !guard.body) continue;
      if (StaysWithCuda(guard.body)) KeepIn(guard.condition);
      const bool kept = std::any_of(kept_.begin(), kept_.end(),
                                    [&](TextRange range) { return Holds(guard.condition, range); });
      if (kept) served_.push_back(guard.body);
    }
    return LeaveOne();
  }

 private:
  void KeepIn(Node condition) {
    for (Finding& finding : findings_) {
      if (finding.fix.empty() || !Holds(condition, finding.range)) continue;
      finding.fix = {};
      finding.operation = Operation::kSuggestion;
      finding.applicability = Applicability::kDisplayOnly;
      finding.message = Say("the condition stays: what it protects works with CUDA alone",
                            "条件保持不变: 其保护的代码仅适用于 CUDA");
      finding.rule_id = kRuleId;
      kept_.push_back(finding.range);
    }
  }

  /// Of all that is said about a condition that stays, only that it stays.
  std::vector<Finding> LeaveOne() {
    std::vector<Finding> left;
    std::erase_if(findings_, [&](const Finding& finding) {
      return finding.fix.empty() && finding.rule_id != kRuleId &&
             std::any_of(kept_.begin(), kept_.end(), [&](TextRange kept) {
               return kept.Contains(finding.range) || kept.start == finding.range.start;
             });
    });
    for (const Finding& finding : findings_) {
      if (finding.rule_id == kRuleId) left.push_back(finding);
    }
    return left;
  }

  bool StaysWithCuda(Node body) const {
    return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
      if (finding.applicability != Applicability::kDisplayOnly) return false;
      if (finding.operation != Operation::kSuggestion &&
          finding.operation != Operation::kUnsupported &&
          finding.operation != Operation::kUnknown) {
        return false;
      }
      return Holds(body, finding.range) && NamesCuda(finding.range) && !IsServed(finding.range);
    });
  }

  bool NamesCuda(TextRange range) const {
    const std::string_view text = range.In(tree_.source().bytes());
    return text.find("cuda") != std::string_view::npos ||
           text.find("nccl") != std::string_view::npos;
  }

  bool IsServed(TextRange range) const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](TextRange kept) { return kept.Contains(range); }) ||
           std::any_of(served_.begin(), served_.end(),
                       [&](Node body) { return Holds(body, range); });
  }

  const SyntaxTree& tree_;
  std::vector<Finding>& findings_;
  std::vector<TextRange> kept_;  // of conditions
  std::vector<Node> served_;     // bodies that only CUDA enters
};

}  // namespace

std::vector<Finding> KeepGuards(const SyntaxTree& tree, std::vector<Finding>& findings) {
  const bool any_left = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.applicability == Applicability::kDisplayOnly;
  });
  return any_left ? KeptGuards(tree, findings).Run() : std::vector<Finding>();
}

}  // namespace transplt
