// SPDX-License-Identifier: Apache-2.0
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

  std::vector<std::vector<std::string>> required_words() const override {
    return WordsOfName(old_name_);
  }

  void Check(Node node, const FileContext& file, std::vector<Finding>& findings) const override {
    for (const Callee& callee : CalleesOf(node)) {
      if (!MatchesName(callee, old_name_, file)) continue;
      const bool whole = replace_module_ && !callee.is_branch;
      const TextRange range = whole ? callee.expression.range() : callee.last_name.range();
      const std::string text(whole ? new_name_ : LastPart(new_name_));
      if (range.In(file.source().bytes()) == text) continue;
      Finding finding;
      finding.range = callee.expression.range();
      finding.rule_id = id();
      finding.applicability =
          old_name_.find('.') == std::string::npos ? Applicability::kUnsafe : Applicability::kSafe;
      finding.message = Say("change function {} to {}", "将函数 {} 改为 {}", old_name_, new_name_);
      finding.fix.edits.push_back({range, text});
      finding.needs_npu_import = whole && IsNpuName(new_name_);
      findings.push_back(std::move(finding));
    }
  }

 private:
  std::string old_name_;
  std::string new_name_;
  bool replace_module_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<FuncNameModifyRule>(std::move(header), fields));
}

}  // namespace

RuleKind FuncNameModifyRuleKind() {
  return {"FuncNameModifyRule",
          "Renames a function where it is called, also in the branches of (a if c else b)().",
          {{"old_name", FieldType::kDottedName, true,
            "A dotted name is the full resolved name, an undotted one the last name of any call."},
           {"new_name", FieldType::kDottedName, true, "The new name."},
           {"replace_module", FieldType::kBoolean, false,
            "Replace the whole dotted callee instead of its last name."}},
          Make};
}

}  // namespace transplt
