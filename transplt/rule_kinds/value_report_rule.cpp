// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/file_context.h"
#include "transplt/engine/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/value_role.h"

namespace transplt {
namespace {

/// Reports strings that are exactly one of a list: names of environment variables without a
/// counterpart, for example.
class ValueReportRule : public Rule {
 public:
  ValueReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        values_(fields.List("values")),
        compared_(fields.Boolean("compared", false)) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& value : values_) {
      triggers.push_back({NodeKind::kString, value.substr(0, value.find(' '))});
    }
    return triggers;
  }

  std::vector<std::vector<std::string>> required_words() const override {
    std::vector<std::vector<std::string>> words;
    for (const std::string& value : values_) words.push_back({value.substr(0, value.find(' '))});
    return words;
  }

  void Check(Node string, const FileContext& file, std::vector<Finding>& findings) const override {
    const Node content = PlainStringContent(string);
    if (!content || IsBareString(string) || file.IsOtherFramework()) return;
    for (const std::string& value : values_) {
      const bool found = compared_ ? content.text().find(value) != std::string_view::npos
                                   : content.text() == value;
      if (!found || (compared_ && !IsCompared(string))) continue;
      Finding finding;
      finding.range = string.range();
      finding.rule_id = id();
      finding.operation = Operation::kSuggestion;
      finding.applicability = Applicability::kDisplayOnly;
      finding.message = {value + ": " + header().why.en, value + ": " + header().why.zh};
      findings.push_back(std::move(finding));
      return;
    }
  }

 private:
  std::vector<std::string> values_;
  bool compared_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  return std::unique_ptr<Rule>(std::make_unique<ValueReportRule>(std::move(header), fields));
}

}  // namespace

RuleKind ValueReportRuleKind() {
  return {"ValueReportRule",
          "Reports strings that are exactly one of the values; the rule's why is the message.",
          {{"values", FieldType::kStringList, true,
            "The values, each a word; or phrases, if compared."},
           {"compared", FieldType::kBoolean, false,
            "Strings that hold the phrase and are compared with something."}},
          Make};
}

}  // namespace transplt
