// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/written_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Renames a module where it is spelled as a member of its parent: in attributes and in imports.
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
        Report({node.range(), chain.parts.back().range()}, new_name_, file, findings);
      }
      return;
    }
    if (node.Is(NodeKind::kImportFromStatement)) CheckNames(node, file, findings);
    for (uint32_t id = node.id() + 1; id < node.end_id(); ++id) {
      Node path = node.tree().node(id);
      if (path.Is(NodeKind::kDottedName)) CheckPath(path, node, file, findings);
    }
  }

 private:
  /// A module in the text: all that spells it, and its last name there.
  struct Spelling {
    TextRange whole;
    TextRange name;
  };

  /// `import AA.BB.old_name`, `from AA.BB.old_name import x`.
  void CheckPath(Node path, Node statement, const FileContext& file, Findings& findings) const {
    if (statement.Is(NodeKind::kImportFromStatement) && path.field() != Field::kModuleName) return;
    std::string prefix;
    for (const Node part : NamedChildren(path)) {
      if (prefix == parent_ && part.text() == old_name_) {
        const TextRange whole{path.range().start, part.range().end};
        Report({whole, part.range()}, new_name_, file, findings);
      }
      if (!prefix.empty()) prefix.push_back('.');
      prefix.append(part.text());
    }
  }

  /// `from AA.BB import old_name`: the name in the file stays, so that all uses follow.
  void CheckNames(Node statement, const FileContext& file, Findings& findings) const {
    if (file.names().ModuleOf(statement) != parent_) return;
    const uint32_t start = statement.Child(Field::kModuleName).range().start;
    for (const Node item : NamedChildren(statement)) {
      const bool aliased = item.Is(NodeKind::kAliasedImport);
      const Node name = aliased ? item.Child(Field::kName) : item;
      if (item.field() != Field::kName || name.text() != old_name_) continue;
      const bool is_first = findings.empty() || findings.back().rule_id != id();
      Report({{is_first ? start : item.range().start, item.range().end}, name.range()},
             aliased ? new_name_ : new_name_ + " as " + old_name_, file, findings);
    }
  }

  /// The whole spelling is edited: another rule must not change a part of it.
  void Report(const Spelling& found, const std::string& text, const FileContext& file,
              Findings& findings) const {
    Finding finding = Change(
        found.name, Say("change module {} to {}", "将模块 {} 改为 {}", old_name_, new_name_));
    const std::string_view bytes = file.source().bytes();
    finding.fix.Replace(
        found.whole, std::string(TextRange{found.whole.start, found.name.start}.In(bytes)) + text +
                         std::string(TextRange{found.name.end, found.whole.end}.In(bytes)));
    const std::string prefix = parent_ + ".";
    finding.needs_device_import = file.apis().target().Owns(prefix + new_name_);
    if (IsOwnWithout(prefix + old_name_, prefix + new_name_, file)) {
      Leave(finding, Say("{0}{1} is of this project, which has no {0}{2}: rename its file first",
                         "{0}{1} 属于本项目，而项目中没有 {0}{2}：请先重命名其文件", prefix,
                         old_name_, new_name_));
    }
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
