// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/consistency.h"

#include <algorithm>
#include <optional>

#include "transplt/engine/file_context.h"
#include "transplt/facts/receiver.h"
#include "transplt/facts/string_place.h"
#include "transplt/facts/value_flows.h"

namespace transplt {
namespace {

constexpr std::string_view kModule = "torch.cuda.";
constexpr int kLongestName = 8;

/// Where findings are, so that it is quick to ask about thousands of them.
class Places {
 public:
  explicit Places(const Findings& findings) {
    for (const Finding& finding : findings) {
      if (!finding.range.empty()) ranges_.push_back(finding.range);
    }
    std::ranges::sort(ranges_, [](TextRange a, TextRange b) { return a.start < b.start; });
    uint32_t end = 0;
    for (TextRange range : ranges_) ends_.push_back(end = std::max(end, range.end));
  }

  /// True if one of them has a byte in common with `range`.
  bool Touch(TextRange range) const {
    const auto behind =
        std::lower_bound(ranges_.begin(), ranges_.end(), range.end,
                         [](TextRange place, uint32_t end) { return place.start < end; });
    return behind != ranges_.begin() &&
           ends_[static_cast<size_t>(behind - ranges_.begin()) - 1] > range.start;
  }

 private:
  std::vector<TextRange> ranges_;  // by their start
  std::vector<uint32_t> ends_;     // how far those up to each of them reach
};

class Consistency {
 public:
  Consistency(const FileContext& file, const EditList& edits, const Findings& open,
              const Findings& decided)
      : file_(file), edits_(edits), open_(open), decided_(decided) {}

  Findings Run() {
    const SyntaxTree& tree = file_.tree();
    for (uint32_t id = 0; id < tree.size(); ++id) {
      const Node mention = MentionAt(tree.node(id));
      if (mention && !HasEdit(mention.range())) Judge(mention);
    }
    return std::move(findings_);
  }

 private:
  /// `torch.cuda.x`, `x.cuda()`, and strings that stand where a device is wanted. What an alias
  /// stands for (`tc.synchronize`) moves where the alias is bound.
  Node MentionAt(Node node) const {
    if (node.Is(NodeKind::kStringContent)) return StringAt(node);
    if (!node.Is(NodeKind::kIdentifier) || node.field() != Field::kAttribute ||
        node.text() != "cuda") {
      return {};
    }
    Node chain = node.parent();
    if (chain.parent().Is(NodeKind::kCall) && chain.field() == Field::kFunction) {
      Text ignored;  // a row of the call says it
      const bool is_own =
          IsForeignReceiver(chain.Child(Field::kObject), node.text(), file_.code(), &ignored);
      return is_own ? Node() : chain;
    }
    // No name of torch is longer; a chain of thousands of parts is none.
    for (int parts = 0; parts < kLongestName && chain.parent().Is(NodeKind::kAttribute) &&
                        chain.field() == Field::kObject;
         ++parts) {
      chain = chain.parent();
    }
    if (chain.parent().Is(NodeKind::kAttribute) && chain.field() == Field::kObject) return {};
    const bool of_cuda = std::ranges::any_of(
        file_.names().Resolve(chain),
        [](const QualifiedName& name) { return !name.local && name.name.starts_with(kModule); });
    return of_cuda ? chain : Node();
  }

  Node StringAt(Node content) const {
    const std::string_view text = content.text();
    if (text != "cuda" && !text.starts_with("cuda:")) return {};
    const Node string = content.parent();
    const bool named = PlainStringContent(string) == content &&
                       file_.values().VerdictOf(string).kind == Verdict::Kind::kDevice;
    return named ? string : Node();
  }

  bool HasEdit(TextRange range) const {
    const auto& edits = edits_.edits();
    auto accepted = edits_.From(range.start);
    if (accepted != edits.begin()) --accepted;  // may reach into the range
    for (; accepted != edits.end() && accepted->edit.range.start <= range.end; ++accepted) {
      const TextRange edit = accepted->edit.range;
      if (edit.start < range.end && (edit.end > range.start || edit.start == range.start)) {
        return true;
      }
    }
    return false;
  }

  void Judge(Node mention) {
    if (decided_.Touch(mention.range())) return;
    for (Node node = mention, parent = node.parent(); parent;
         node = parent, parent = parent.parent()) {
      if (parent.Is(NodeKind::kFunctionDefinition) || parent.Is(NodeKind::kModule)) {
        if (!open_.Touch(mention.range()) && HasEditOf(parent)) {
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
  bool HasEditOf(Node scope) {
    if (!scope.Is(NodeKind::kModule)) return HasEdit(scope.range());
    if (!module_has_edit_) module_has_edit_ = ModuleHasEdit(scope);
    return *module_has_edit_;
  }

  bool ModuleHasEdit(Node scope) const {
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
    findings_.push_back(RowAt(mention.range(), id, std::move(message), Operation::kSuggestion,
                              Severity::kMayGoWrong));
  }

  const FileContext& file_;
  const EditList& edits_;
  const Places open_;
  const Places decided_;
  std::optional<bool> module_has_edit_;
  Findings findings_;
};

}  // namespace

Findings HalfMigrated(const FileContext& file, const EditList& edits, const Findings& open,
                      const Findings& decided) {
  if (edits.empty() || file.IsOtherFramework()) return {};
  return Consistency(file, edits, open, decided).Run();
}

}  // namespace transplt
