// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Renames a module where it is spelled as a member of its parent: in attributes, and in the
/// dotted paths of imports.
class ModuleNameModifyRule : public Rule {
 public:
  ModuleNameModifyRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        old_name_(fields.String("old_name")),
        new_name_(fields.String("new_name")),
        parent_(fields.String("parent_module")) {}

  std::vector<Trigger> triggers() const override {
    return {{NodeKind::kAttribute, old_name_},
            {NodeKind::kMemberType, old_name_},
            {NodeKind::kImportStatement, old_name_},
            {NodeKind::kImportFromStatement, old_name_}};
  }

  WordSets required_words() const override { return WordsOfName(parent_ + "." + old_name_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Is(NodeKind::kAttribute) || node.Is(NodeKind::kMemberType)) {
      const Chain chain = ChainOf(node);
      Node parent =
          node.Is(NodeKind::kAttribute) ? node.Child(Field::kObject) : node.first_named_child();
      if (!chain.parts.empty() &&
          std::ranges::any_of(file.names().Resolve(parent),
                              [&](const QualifiedName& name) { return name.name == parent_; })) {
        Report(chain.parts.back(), file, findings);
      }
      return;
    }
    for (uint32_t id = node.id() + 1; id < node.end_id(); ++id) {
      Node path = node.tree().node(id);
      if (path.Is(NodeKind::kDottedName)) CheckPath(path, node, file, findings);
    }
  }

 private:
  /// `import AA.BB.old_name`, `from AA.BB.old_name import x`; not `from AA.BB import old_name`.
  void CheckPath(Node path, Node statement, const FileContext& file, Findings& findings) const {
    if (statement.Is(NodeKind::kImportFromStatement) && path.field() != Field::kModuleName) return;
    std::string prefix;
    for (const Node part : NamedChildren(path)) {
      if (prefix == parent_ && part.text() == old_name_) Report(part, file, findings);
      if (!prefix.empty()) prefix.push_back('.');
      prefix.append(part.text());
    }
  }

  void Report(Node name, const FileContext& file, Findings& findings) const {
    Finding finding = Change(
        name.range(), Say("change module {} to {}", "将模块 {} 改为 {}", old_name_, new_name_));
    finding.fix.Replace(name.range(), new_name_);
    finding.needs_device_import = file.apis().target().Owns(parent_ + "." + new_name_);
    findings.push_back(std::move(finding));
  }

  std::string old_name_;
  std::string new_name_;
  std::string parent_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  if (HasPart(fields.String("old_name"), '.')) {
    return BadRule(
        Say("\"old_name\" is the last part of the module alone; put \"{}\" into "
            "\"parent_module\"",
            "\"old_name\" 只写模块名的最后一段; 请将 \"{}\" 写入 \"parent_module\"",
            ParentPart(fields.String("old_name"))));
  }
  return MakeRule<ModuleNameModifyRule>(std::move(header), fields);
}

}  // namespace

RuleKind ModuleNameModifyRuleKind() {
  return {"ModuleNameModifyRule",
          "Renames a module where it is spelled after its parent module.",
          {{"old_name", FieldType::kDottedName, true, "The last part of the module's name."},
           {"new_name", FieldType::kDottedName, true, "What takes its place."},
           {"parent_module", FieldType::kDottedName, true,
            "Full name of the parent module, for example torch.cuda of torch.cuda.amp."}},
          Make};
}

}  // namespace transplt
