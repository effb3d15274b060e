// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/rule_kinds/package_names.h"
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
            {NodeKind::kImportFromStatement, old_name_},
            {NodeKind::kString, old_name_}};
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
    if (node.Is(NodeKind::kString)) return CheckString(node, file, findings);
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

  /// `importlib.import_module("AA.BB.old_name")`
  void CheckString(Node string, const FileContext& file, Findings& findings) const {
    const Node content = PlainStringContent(string);
    if (!content || !IsImportedByName(string, file)) return;
    const std::string full = parent_ + "." + old_name_;
    const std::string_view text = content.text();
    if (text != full && !text.starts_with(full + ".")) return;
    const uint32_t start = content.range().start;
    const auto end = static_cast<uint32_t>(start + full.size());
    const auto name = static_cast<uint32_t>(end - old_name_.size());
    Report({{start, end}, {name, end}}, new_name_, file, findings);
  }

  /// `from AA.BB import old_name`: the name in the file stays, so that all uses follow.
  void CheckNames(Node statement, const FileContext& file, Findings& findings) const {
    if (file.names().ModuleOf(statement) != parent_) return;
    const Node module = statement.Child(Field::kModuleName);
    std::vector<Node> items;
    for (const Node item : NamedChildren(statement)) {
      if (item.field() == Field::kName) items.push_back(item);
    }
    for (const Node item : items) {
      const bool aliased = item.Is(NodeKind::kAliasedImport);
      const Node name = aliased ? item.Child(Field::kName) : item;
      if (name.text() != old_name_) continue;
      const std::string leaf(LastPart(new_name_));
      const uint32_t start = findings.empty() ? module.range().start : item.range().start;
      Report({{start, item.range().end}, name.range()}, aliased ? leaf : leaf + " as " + old_name_,
             file, findings);
      if (HasPart(new_name_, '.')) MoveTo(module, items.size(), findings.back());
    }
  }

  /// The new module lies deeper: `from AA.BB.new import name`.
  void MoveTo(Node module, size_t names, Finding& finding) const {
    if (finding.fix.empty()) return;
    if (names > 1) {
      return Leave(finding,
                   Say("change module {0} to {1}; import {0} in a statement of its own first",
                       "将模块 {0} 改为 {1}；请先用单独的语句导入 {0}", old_name_, new_name_));
    }
    std::string& text = finding.fix.edits.front().text;
    const bool is_dots = module.text().ends_with('.');
    text.insert(module.text().size(), (is_dots ? "" : ".") + std::string(ParentPart(new_name_)));
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

Result<std::unique_ptr<Rule>> MakeModuleNameModifyRule(RuleHeader header, const Fields& fields) {
  if (HasPart(fields.String("old_name"), '.')) {
    return BadRule(
        Say("\"old_name\" is the last part of the module alone; put \"{}\" into "
            "\"parent_module\"",
            "\"old_name\" 只写模块名的最后一段; 请将 \"{}\" 写入 \"parent_module\"",
            ParentPart(fields.String("old_name"))));
  }
  const std::string new_name = fields.String("new_name");
  if (auto mistake = FindReservedWord("new_name", new_name)) return *std::move(mistake);
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
          MakeModuleNameModifyRule};
}

}  // namespace transplt
