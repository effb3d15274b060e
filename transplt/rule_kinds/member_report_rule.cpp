// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/callee.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Reports the members of a module that no other rule knows: they stay.
class MemberReportRule : public Rule {
 public:
  MemberReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), module_(fields.String("module")) {}

  std::vector<Trigger> triggers() const override {
    const std::string last(LastPart(module_));
    return {{NodeKind::kAttribute, ""}, {NodeKind::kImportFromStatement, last}};
  }

  std::vector<std::vector<std::string>> required_words() const override {
    return WordsOfName(module_);
  }

  void Check(Node node, const FileContext& file, std::vector<Finding>& findings) const override {
    if (node.Is(NodeKind::kImportFromStatement)) return CheckImport(node, file, findings);
    // Of a chain only the longest name is looked at.
    if (node.parent().Is(NodeKind::kAttribute) && node.field() == Field::kObject) return;
    for (const QualifiedName& name : file.names().Resolve(node)) {
      if (!name.local && IsUnknown(name.name, file))
        return Report(node.range(), name.name, findings);
    }
  }

 private:
  bool IsUnknown(const std::string& name, const FileContext& file) const {
    return name.starts_with(module_ + ".") && file.apis().FindPrefix(name) == nullptr;
  }

  void CheckImport(Node statement, const FileContext& file, std::vector<Finding>& findings) const {
    const std::string module = file.names().ModuleOf(statement);
    for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
      if (item.field() != Field::kName) continue;
      const Node name = item.Is(NodeKind::kAliasedImport) ? item.Child(Field::kName) : item;
      const std::string full = module + "." + std::string(name.text());
      if (IsUnknown(full, file)) Report(item.range(), full, findings);
    }
  }

  void Report(TextRange range, const std::string& name, std::vector<Finding>& findings) const {
    Finding finding;
    finding.range = range;
    finding.rule_id = id();
    finding.operation = Operation::kUnknown;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = {name + ": " + header().why.en, name + ": " + header().why.zh};
    findings.push_back(std::move(finding));
  }

  std::string module_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<MemberReportRule>(std::move(header), fields));
}

}  // namespace

RuleKind MemberReportRuleKind() {
  return {
      "MemberReportRule",
      "Reports the members of a module that no other rule knows; the rule's why is the message.",
      {{"module", FieldType::kDottedName, true, "Full name, for example torch.cuda."}},
      Make};
}

}  // namespace transplt
