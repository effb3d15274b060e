// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/package_names.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Reports packages, images and settings of containers that a project asks for and that need CUDA.
class DependencyReportRule : public Rule {
 public:
  DependencyReportRule(RuleHeader header, PackageNames packages)
      : Rule(std::move(header)), packages_(std::move(packages)) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::vector<std::string>& words : packages_.Words()) {
      triggers.push_back({NodeKind::kString, words.front()});
    }
    return triggers;
  }

  std::vector<std::vector<std::string>> required_words() const override {
    return packages_.WordsInSetup();
  }
  std::vector<std::vector<std::string>> setting_words() const override { return packages_.Words(); }

  void Check(Node string, const FileContext& /*file*/,
             std::vector<Finding>& findings) const override {
    if (!packages_.AreRequiredBy(string)) return;
    Report(PlainStringContent(string).text(), string.range(), findings);
  }

  void CheckSetting(const Setting& setting, std::vector<Finding>& findings) const override {
    const TextRange range = packages_.FindIn(setting);
    if (range.empty()) return;
    const bool is_value =
        setting.kind != Setting::Kind::kDependency && range == setting.value_range;
    Report(is_value ? setting.value : setting.name, range, findings);
  }

 private:
  void Report(std::string_view name, TextRange range, std::vector<Finding>& findings) const {
    Finding finding;
    finding.range = range;
    finding.rule_id = id();
    finding.operation = Operation::kSuggestion;
    finding.applicability = Applicability::kDisplayOnly;
    finding.message = {std::string(name) + ": " + header().why.en,
                       std::string(name) + ": " + header().why.zh};
    findings.push_back(std::move(finding));
  }

  PackageNames packages_;
};

Result<std::unique_ptr<Rule>> Make(RuleHeader header, const Fields& fields) {
  PackageNames packages(fields.List("packages"));
  if (const std::string_view pattern = packages.FindWithoutWords(); !pattern.empty()) {
    return PackageNames::WithoutWords(pattern);
  }
  return std::unique_ptr<Rule>(
      std::make_unique<DependencyReportRule>(std::move(header), std::move(packages)));
}

}  // namespace

RuleKind DependencyReportRuleKind() {
  return {
      "DependencyReportRule",
      "Reports packages that a project asks for (requirements, environment.yml, pyproject.toml, "
      "setup.py, setup.cfg, `pip install`), and images and settings of containers; the rule's "
      "why is the message.",
      {{"packages", FieldType::kStringList, true,
        "Names as pip compares them; * stands for any text."},
       {"source", FieldType::kString, false, "Where the counterpart is documented."}},
      Make};
}

}  // namespace transplt
