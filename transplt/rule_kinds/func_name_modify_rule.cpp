// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/rule_kinds/written_names.h"

namespace transplt {
namespace {

/// Renames a function that is known by its full name, in every spelling: the names that imports
/// and assignments give it stay, so that all uses follow.
class FullNameModifyRule : public Rule {
 public:
  FullNameModifyRule(std::unique_ptr<Rule> rename, std::string old_name, std::string new_name)
      : Rule(rename->header()),
        rename_(std::move(rename)),
        old_name_(std::move(old_name)),
        new_name_(std::move(new_name)) {}

  const ApiEntry* api_entry() const override { return rename_->api_entry(); }
  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers = rename_->triggers();
    triggers.push_back({NodeKind::kIdentifier, std::string(LastPart(old_name_))});
    return triggers;
  }
  WordSets required_words() const override { return rename_->required_words(); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const size_t first = findings.size();
    if (node.Is(NodeKind::kIdentifier)) {
      CheckStarred(node, file, findings);
    } else {
      rename_->Check(node, file, findings);
    }
    for (Finding& finding : std::span(findings).subspan(first)) {
      if (finding.fix.empty()) continue;
      if (IsOwnWithout(ParentPart(old_name_), new_name_, file)) {
        Leave(finding,
              Say("{0} is of this project, which has no {1}: rename the definition first",
                  "{0} 属于本项目，而项目中没有 {1}：请先修改其定义", old_name_, new_name_));
      } else if (!finding.needs_import.empty()) {
        RequireModule(ParentPart(new_name_), node, file, finding);
      }
    }
  }

 private:
  /// `old()` after `from lib import *`, which binds no name that could stay.
  void CheckStarred(Node name, const FileContext& file, Findings& findings) const {
    const std::string_view module = ParentPart(old_name_);
    if (!IsOneOf(module, file.names().star_imports()) || !file.names().IsNamed(name, old_name_) ||
        !file.names().BindingsOf(name).empty()) {
      return;
    }
    Finding finding =
        Change(name.range(), Say("change {} to {}", "将 {} 改为 {}", old_name_, new_name_));
    const bool stays = ParentPart(new_name_) == module;
    finding.fix.Replace(name.range(), stays ? std::string(LastPart(new_name_)) : new_name_);
    finding.needs_device_import = file.apis().target().Owns(new_name_);
    // RequireModule() judges about it.
    if (!stays && !finding.needs_device_import) finding.needs_import = "import";
    findings.push_back(std::move(finding));
  }

  std::unique_ptr<Rule> rename_;
  std::string old_name_;
  std::string new_name_;
};

/// Renames a function that is known by its last name alone, where it is called.
class FuncNameModifyRule : public Rule {
 public:
  FuncNameModifyRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        old_name_(fields.String("old_name")),
        new_name_(fields.String("new_name")),
        replace_module_(fields.Boolean("replace_module", false)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, old_name_}}; }

  WordSets required_words() const override { return WordsOfName(old_name_); }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    for (const Callee& callee : CalleesOf(node)) {
      if (!MatchesName(callee, old_name_, file)) continue;
      const TextRange range =
          replace_module_ ? callee.expression.range() : callee.last_name.range();
      if (range.In(file.source().bytes()) == new_name_) continue;
      Finding finding = Change(callee.expression.range());
      finding.applicability = Applicability::kUnsafe;
      finding.message = Say("change function {} to {}", "将函数 {} 改为 {}", old_name_, new_name_);
      if (const Node definition = OwnDefinition(callee.expression, file)) {
        Leave(finding, Say("{} is defined at line {} of this file, and keeps its name: rename it "
                           "there and where it is used",
                           "{} 在本文件第 {} 行定义，保持原名：请在定义及使用处一并修改", old_name_,
                           file.source().Locate(definition.range().start).line));
      } else if (replace_module_) {
        finding.fix.Replace(range, new_name_);
        finding.needs_device_import = file.apis().target().Owns(new_name_);
        const std::string_view module = ParentPart(new_name_);
        if (!finding.needs_device_import && !module.empty()) {
          RequireModule(module, node, file, finding);
        }
      } else {
        RenameWhereBound(callee, file, finding);
        if (finding.fix.empty()) continue;
      }
      findings.push_back(std::move(finding));
    }
  }

 private:
  /// What in this file gives the name its meaning, other than an import or an alias; or null.
  Node OwnDefinition(Node callee, const FileContext& file) const {
    if (callee.Is(NodeKind::kAttribute)) {
      const Node holder = file.classes().EnclosingClass(callee);
      const Node object = callee.Child(Field::kObject);
      if (!holder || !object.Is(NodeKind::kIdentifier)) return {};
      const NameTable::Meanings meanings = file.names().BindingsOf(object);
      const bool is_self = !meanings.empty() && !meanings.front()->value &&
                           meanings.front()->kind == BindingKind::kParameter &&
                           file.classes().ClassDefines(holder, old_name_);
      return is_self ? holder : Node();
    }
    for (const Binding* binding : file.names().BindingsOf(callee)) {
      const bool is_alias =
          binding->kind == BindingKind::kAssignment && LeafOf(*binding).text() == old_name_;
      if (binding->kind != BindingKind::kImport && !is_alias) return binding->node;
    }
    return {};
  }

  /// `old` of the assignment `old = lib.old`
  static Node LeafOf(const Binding& binding) {
    return binding.value.Is(NodeKind::kAttribute) ? binding.value.Child(Field::kAttribute) : Node();
  }

  /// `from lib import old` and `old = lib.old`: the name in the file stays and gets the new
  /// function, so that all uses follow.
  void RenameWhereBound(const Callee& callee, const FileContext& file, Finding& finding) const {
    const bool is_name = callee.expression.Is(NodeKind::kIdentifier);
    const std::vector<const Binding*> bindings =
        is_name ? file.names().BindingsOf(callee.expression) : std::vector<const Binding*>();
    if (bindings.empty()) finding.fix.Replace(callee.last_name.range(), new_name_);
    for (const Binding* binding : bindings) {
      if (binding->kind == BindingKind::kAssignment) {
        finding.fix.Replace(LeafOf(*binding).range(), new_name_);
      } else if (binding->statement.Is(NodeKind::kImportFromStatement) &&
                 LastPart(binding->target) == old_name_) {
        const Node item = binding->node.parent();
        const bool aliased = item.Is(NodeKind::kAliasedImport);
        finding.fix.Replace(aliased ? item.Child(Field::kName).range() : binding->node.range(),
                            aliased ? new_name_ : new_name_ + " as " + old_name_);
      }
    }
  }

  std::string old_name_;
  std::string new_name_;
  bool replace_module_;
};

Result<std::unique_ptr<Rule>> MakeFuncNameModifyRule(RuleHeader header, const Fields& fields) {
  const std::string old_name = fields.String("old_name");
  const std::string new_name = fields.String("new_name");
  const bool replace_module = fields.Boolean("replace_module", false);
  if (auto mistake = FindReservedWord("new_name", new_name)) return *std::move(mistake);
  const std::string_view module = ParentPart(new_name);
  if (!replace_module && !module.empty() && module != ParentPart(old_name)) {
    Error mistake = BadRule(
        Say("\"new_name\" is in {}, but only the last name is replaced; add \"replace_module\": "
            "true, or write \"{}\"",
            "\"new_name\" 位于 {}，但只替换最后一段名称；请加上 \"replace_module\": true，或写成 "
            "\"{}\"",
            module, LastPart(new_name)));
    mistake.where = "new_name";
    return mistake;
  }
  if (!HasPart(old_name, '.')) return MakeRule<FuncNameModifyRule>(std::move(header), fields);
  std::string full(new_name);
  if (!replace_module && module.empty()) full = std::string(ParentPart(old_name)) + "." + new_name;
  Fields of_rename;
  of_rename.Set("old_name", old_name);
  of_rename.Set("new_name", full);
  Result<std::unique_ptr<Rule>> rename = ApiRenameRuleKind().make(std::move(header), of_rename);
  if (!rename) return rename;
  return std::unique_ptr<Rule>(
      std::make_unique<FullNameModifyRule>(*std::move(rename), old_name, full));
}

}  // namespace

RuleKind FuncNameModifyRuleKind() {
  return {"FuncNameModifyRule",
          "Renames a function: under its full name in every spelling, by its last name where it is "
          "called, also in the branches of (a if c else b)().",
          {{"old_name", FieldType::kDottedName, true,
            "A dotted name is the full resolved name, an undotted one the last name of any call."},
           {"new_name", FieldType::kDottedName, true, "The new name."},
           {"replace_module", FieldType::kBoolean, false,
            "Replace the whole dotted callee instead of its last name."}},
          MakeFuncNameModifyRule};
}

}  // namespace transplt
