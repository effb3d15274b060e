// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transplt/engine/file_context.h"
#include "transplt/facts/imported_library.h"
#include "transplt/rule_kinds/optional_import.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Reports the first import of a package in a file: of a framework that the run does not migrate.
class ImportReportRule : public Rule {
 public:
  ImportReportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), packages_(fields.List("packages")) {}

  std::vector<Trigger> triggers() const override {
    std::vector<Trigger> triggers;
    for (const std::string& package : packages_) {
      const std::string root = package.substr(0, package.find('.'));
      triggers.push_back({NodeKind::kImportStatement, root});
      triggers.push_back({NodeKind::kImportFromStatement, root});
    }
    return triggers;
  }

  WordSets required_words() const override {
    WordSets words;
    for (const std::string& package : packages_)
      words.push_back({package.substr(0, package.find('.'))});
    return words;
  }

  void Check(Node statement, const FileContext& file, Findings& findings) const override {
    const Binding* first = FirstImport(file);
    if (first == nullptr || !(first->statement == statement)) return;
    findings.push_back(Row(statement.range(), header().why));
    if (IsOptionalImport(statement, file.names(), file.project())) {
      TellOptionalImport(findings.back());
    }
  }

 private:
  /// The first import without which the file does not go on, or else the first.
  const Binding* FirstImport(const FileContext& file) const {
    const Binding* first = nullptr;
    for (const Binding& binding : file.names().bindings()) {
      if (binding.kind != BindingKind::kImport || !IsOfPackages(binding.target)) continue;
      // A file of the project may have the name of a package.
      const bool is_own =
          file.project() != nullptr &&
          !file.project()->FileOfModule(file.source().path(), binding.target).empty();
      if (is_own) continue;
      if (!IsOptionalImport(binding.statement, file.names(), file.project())) return &binding;
      if (first == nullptr) first = &binding;
    }
    return first;
  }

  bool IsOfPackages(std::string_view target) const {
    return std::ranges::any_of(
        packages_, [&](const std::string& package) { return IsInside(package, target); });
  }

  std::vector<std::string> packages_;
};

}  // namespace

RuleKind ImportReportRuleKind() {
  return {"ImportReportRule",
          "Reports the import of a package in each file: the first that no `try` takes the failure "
          "of, or "
          "else the first; the rule's why is the message.",
          {{"packages", FieldType::kStringList, true,
            "The packages or their modules, for example jax and horovod.tensorflow."}},
          MakeRule<ImportReportRule>};
}

}  // namespace transplt
