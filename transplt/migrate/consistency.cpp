// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/consistency.h"

#include <algorithm>

#include "transplt/rule_kinds/value_role.h"

namespace transplt {
namespace {

constexpr std::string_view kModule = "torch.cuda.";

class Consistency {
 public:
  Consistency(const FileContext& file, const EditList& edits, const std::vector<Finding>& open,
              const std::vector<Finding>& decided)
      : file_(file), edits_(edits), open_(open), decided_(decided) {}

  std::vector<Finding> Run() {
    const SyntaxTree& tree = file_.tree();
    for (uint32_t id = 0; id < tree.size(); ++id) {
      const Node node = tree.node(id);
      if (IsOfCuda(node) && !HasEdit(node.range())) Judge(node);
    }
    return std::move(findings_);
  }

 private:
  /// `torch.cuda.x`, `x.cuda()`, and strings that stand where a device is wanted.
  bool IsOfCuda(Node node) const {
    if (node.Is(NodeKind::kString)) {
      const Node content = PlainStringContent(node);
      const std::string_view text = content ? content.text() : std::string_view();
      const bool device = text == "cuda" || text.starts_with("cuda:");
      return device && RoleOf(node, file_).kind == ValueRole::Kind::kNamed;
    }
    if (!node.Is(NodeKind::kAttribute)) return false;
    const Node parent = node.parent();
    if (parent.Is(NodeKind::kAttribute) && node.field() == Field::kObject) return false;
    const bool called = parent.Is(NodeKind::kCall) && node.field() == Field::kFunction;
    if (called && node.Child(Field::kAttribute).text() == "cuda") return true;
    if (!IsSpelledOut(node)) return false;
    const std::vector<QualifiedName> names = file_.names().Resolve(node);
    return std::any_of(names.begin(), names.end(), [](const QualifiedName& name) {
      return !name.local && name.name.starts_with(kModule);
    });
  }

  /// False for `amp.autocast` and `tc.synchronize`: what the alias stands for moves where it is
  /// bound.
  static bool IsSpelledOut(Node chain) {
    for (Node node = chain; node.Is(NodeKind::kAttribute); node = node.Child(Field::kObject)) {
      if (node.Child(Field::kAttribute).text() == "cuda") return true;
    }
    return false;
  }

  bool HasEdit(TextRange range) const {
    const auto& edits = edits_.edits();
    const auto first = std::lower_bound(
        edits.begin(), edits.end(), range.start,
        [](const EditList::Accepted& a, uint32_t at) { return a.edit.range.end < at; });
    return std::any_of(first, edits.end(), [&](const EditList::Accepted& accepted) {
      const TextRange edit = accepted.edit.range;
      return edit.start < range.end && (edit.end > range.start || edit.start == range.start);
    });
  }

  static bool IsIn(const std::vector<Finding>& findings, TextRange range) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.range.start < range.end && range.start < finding.range.end;
    });
  }

  void Judge(Node mention) {
    if (IsIn(decided_, mention.range())) return;
    for (Node node = mention, parent = node.parent(); parent;
         node = parent, parent = parent.parent()) {
      if (parent.Is(NodeKind::kFunctionDefinition) || parent.Is(NodeKind::kModule)) {
        if (!IsIn(open_, mention.range()) && HasEditOf(parent)) {
          Report(mention, "half-migrated-rest",
                 Say("this is still about CUDA, and other parts of the same function were migrated",
                     "此处仍针对 CUDA, 而同一函数的其他部分已迁移"));
        }
        return;
      }
      const Node condition = ConditionOf(parent);
      const Node branch = BranchOf(parent);
      if (!condition || !branch) continue;
      if (node == condition && HasEdit(branch.range())) {
        return Report(mention, "half-migrated-guard",
                      Say("this condition still asks about CUDA, and what it guards was migrated",
                          "该条件仍针对 CUDA, 而其保护的代码已迁移"));
      }
      if (node == branch && HasEdit(condition.range())) {
        return Report(mention, "half-migrated-guard",
                      Say("this is still about CUDA, and the condition before it was migrated",
                          "此处仍针对 CUDA, 而其前的条件已迁移"));
      }
    }
  }

  static Node ConditionOf(Node holder) {
    if (holder.Is(NodeKind::kIfStatement) || holder.Is(NodeKind::kElifClause)) {
      return holder.Child(Field::kCondition);
    }
    return holder.Is(NodeKind::kConditionalExpression)
               ? holder.first_named_child().next_named_sibling()
               : Node();
  }

  static Node BranchOf(Node holder) {
    return holder.Is(NodeKind::kConditionalExpression) ? holder.first_named_child()
                                                       : holder.Child(Field::kConsequence);
  }

  /// An edit in the function itself, or, of a module, outside functions and classes.
  bool HasEditOf(Node scope) const {
    if (!scope.Is(NodeKind::kModule)) return HasEdit(scope.range());
    for (Node child = scope.first_child(); child; child = child.next_sibling()) {
      const bool other = child.Is(NodeKind::kFunctionDefinition) ||
                         child.Is(NodeKind::kClassDefinition) ||
                         child.Is(NodeKind::kDecoratedDefinition);
      const bool import =
          child.Is(NodeKind::kImportStatement) || child.Is(NodeKind::kImportFromStatement);
      if (!other && !import && HasEdit(child.range())) return true;
    }
    return false;
  }

  void Report(Node mention, std::string_view id, Text message) {
    Finding finding;
    finding.range = mention.range();
    finding.rule_id = id;
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = std::move(message);
    findings_.push_back(std::move(finding));
  }

  const FileContext& file_;
  const EditList& edits_;
  const std::vector<Finding>& open_;
  const std::vector<Finding>& decided_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> HalfMigrated(const FileContext& file, const EditList& edits,
                                  const std::vector<Finding>& open,
                                  const std::vector<Finding>& decided) {
  if (edits.empty() || file.IsOtherFramework()) return {};
  return Consistency(file, edits, open, decided).Run();
}

}  // namespace transplt
