// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/file_context.h"
#include "transplt/facts/string_place.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Reports the members of a module that no other rule knows: they stay.
class MemberReportRule : public Rule {
 public:
  MemberReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), module_(fields.String("module")) {}

  std::vector<Trigger> triggers() const override {
    const std::string last(LastPart(module_));
    return {{NodeKind::kAttribute, last},
            {NodeKind::kImportStatement, last},
            {NodeKind::kImportFromStatement, last},
            {NodeKind::kString, last}};
  }

  WordSets required_words() const override { return WordsOfName(module_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kString)) return CheckString(node, file, findings);
    if (!node.Is(NodeKind::kAttribute)) return CheckImport(node, file, findings);
    if (!file.names().IsNamed(node, module_)) return;
    CheckChain(node, file, findings);
    const Node parent = node.parent();
    if (parent.Is(NodeKind::kAssignment)) CheckAlias(parent.Child(Field::kLeft), file, findings);
  }

 private:
  bool IsUnknown(const std::string& name, const FileContext& file) const {
    return name.starts_with(module_ + ".") && file.apis().FindPrefix(name) == nullptr;
  }

  /// `x.type() == "torch.cuda.FloatTensor"`.
  void CheckString(Node string, const FileContext& file, Findings& findings) const {
    const Node content = PlainStringContent(string);
    const std::string text(content ? content.text() : std::string_view());
    if (text.find_first_of(" \t\n(") != std::string::npos || !IsUnknown(text, file)) return;
    if (!IsBareString(string) && !IsMessage(string)) Report(string.range(), text, findings);
  }

  /// The longest name that starts at `node`.
  void CheckChain(Node node, const FileContext& file, Findings& findings) const {
    while (node.parent().Is(NodeKind::kAttribute) && node.field() == Field::kObject) {
      node = node.parent();
    }
    for (const QualifiedName& name : file.names().Resolve(node)) {
      if (!name.local && IsUnknown(name.name, file)) {
        return Report(node.range(), name.name, findings);
      }
    }
  }

  /// `nvtx.range_push` after `from torch.cuda import nvtx`.
  void CheckAlias(Node alias, const FileContext& file, Findings& findings) const {
    if (!alias.Is(NodeKind::kIdentifier)) return;
    for (const Node node : NodesIn(file.tree())) {
      const bool used = node.Is(NodeKind::kIdentifier) && node.field() == Field::kObject;
      if (used && node.text() == alias.text()) CheckChain(node, file, findings);
    }
  }

  void CheckImport(Node statement, const FileContext& file, Findings& findings) const {
    const bool from = statement.Is(NodeKind::kImportFromStatement);
    const std::string module = from ? file.names().ModuleOf(statement) + "." : "";
    for (const Node item : NamedChildren(statement)) {
      if (item.field() != Field::kName) continue;
      const bool aliased = item.Is(NodeKind::kAliasedImport);
      const Node name = aliased ? item.Child(Field::kName) : item;
      const std::string full = module + std::string(name.text());
      const bool inside = full == module_ || IsUnknown(full, file);
      if (from && full != module_ && inside) Report(item.range(), full, findings);
      if (!inside || (!from && !aliased)) continue;
      CheckAlias(aliased ? item.Child(Field::kAlias) : name.first_named_child(), file, findings);
    }
  }

  void Report(TextRange range, const std::string& name, Findings& findings) const {
    findings.push_back(Row(range, WhyOf(name), Operation::kUnknown));
  }

  std::string module_;
};

}  // namespace

RuleKind MemberReportRuleKind() {
  return {
      "MemberReportRule",
      "Reports the members of a module that no other rule knows; the rule's why is the message.",
      {{"module", FieldType::kDottedName, true, "Full name, for example torch.cuda."}},
      MakeRule<MemberReportRule>};
}

}  // namespace transplt
