// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/text_parts.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"

namespace transplt {
namespace {

/// Renames a function where it is called.
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
      const std::string text(replace_module_ ? new_name_ : LastPart(new_name_));
      if (range.In(file.source().bytes()) == text) continue;
      Finding finding = Change(callee.expression.range());
      finding.applicability =
          !HasPart(old_name_, '.') ? Applicability::kUnsafe : Applicability::kSafe;
      finding.message = Say("change function {} to {}", "将函数 {} 改为 {}", old_name_, new_name_);
      if (!replace_module_ && callee.expression.Is(NodeKind::kIdentifier)) {
        if (!RenameWhereBound(callee.expression, file, finding)) continue;
      }
      if (finding.fix.empty()) finding.fix.Replace(range, text);
      finding.needs_device_import = replace_module_ && file.apis().target().Owns(new_name_);
      findings.push_back(std::move(finding));
    }
  }

 private:
  /// `from lib import old` and `name = lib.old`: the name in the file stays and gets the new
  /// function. False if nothing can be renamed: the file itself defines the name.
  bool RenameWhereBound(Node name, const FileContext& file, Finding& finding) const {
    const std::string leaf(LastPart(new_name_));
    const NameTable::Meanings bindings = file.names().BindingsOf(name);
    for (const Binding* binding : bindings) {
      const Node item = binding->node.parent();
      if (binding->kind == BindingKind::kImport &&
          binding->statement.Is(NodeKind::kImportFromStatement)) {
        const bool aliased = item.Is(NodeKind::kAliasedImport);
        if (LastPart(binding->target) != LastPart(old_name_)) continue;
        if (aliased) {
          finding.fix.Replace(item.Child(Field::kName).range(), leaf);
        } else {
          finding.fix.Replace(binding->node.range(), leaf + " as " + std::string(binding->name));
        }
      } else if (binding->value.Is(NodeKind::kAttribute) &&
                 binding->value.Child(Field::kAttribute).text() == LastPart(old_name_)) {
        finding.fix.Replace(binding->value.Child(Field::kAttribute).range(), leaf);
      }
    }
    const bool is_own_name = name.text() == LastPart(old_name_);
    return bindings.empty() || !finding.fix.empty() || is_own_name;
  }

  std::string old_name_;
  std::string new_name_;
  bool replace_module_;
};

}  // namespace

RuleKind FuncNameModifyRuleKind() {
  return {"FuncNameModifyRule",
          "Renames a function where it is called, also in the branches of (a if c else b)().",
          {{"old_name", FieldType::kDottedName, true,
            "A dotted name is the full resolved name, an undotted one the last name of any call."},
           {"new_name", FieldType::kDottedName, true, "The new name."},
           {"replace_module", FieldType::kBoolean, false,
            "Replace the whole dotted callee instead of its last name."}},
          MakeRule<FuncNameModifyRule>};
}

}  // namespace transplt
