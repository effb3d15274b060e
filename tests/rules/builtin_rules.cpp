// SPDX-License-Identifier: Apache-2.0
#include "builtin_rules.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "transplt/engine/engine.h"
#include "transplt/migrate/file_migration.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {
namespace {

RuleSet Load(const RuleSelection& selection) {
  Result<RuleSet> rules = RuleSet::Load(BuiltinRuleFiles(), selection, RuleKinds());
  if (!rules) throw std::runtime_error(rules.error().where + ": " + rules.error().what.en);
  return *std::move(rules);
}

/// The rules of one version of PyTorch, with those of a feature, ready to run.
struct VersionRules {
  VersionRules(std::string_view version, const std::string& feature)
      : rules(Load({.torch_version = std::string(version), .features = {"normal", feature}})),
        engine(rules) {}

  bool Has(const std::string& id) const {
    return std::any_of(rules.rules().begin(), rules.rules().end(),
                       [&](const LoadedRule& loaded) { return loaded.rule->id() == id; });
  }

  RuleSet rules;
  Engine engine;
};

const VersionRules& RulesOf(std::string_view version, const std::string& feature) {
  static std::map<std::pair<std::string_view, std::string>, std::unique_ptr<VersionRules>> loaded;
  std::unique_ptr<VersionRules>& rules = loaded[{version, feature}];
  if (rules == nullptr) rules = std::make_unique<VersionRules>(version, feature);
  return *rules;
}

}  // namespace

std::vector<BuiltinExample> BuiltinExamples() {
  std::vector<BuiltinExample> examples;
  const RuleSet all = Load({.include_inactive = true});
  for (const LoadedRule& loaded : all.rules()) {
    const std::string& id = loaded.rule->id();
    const std::string feature = loaded.IsOptional() ? loaded.features.front() : "normal";
    const auto version =
        std::find_if(kTorchVersions.begin(), kTorchVersions.end(),
                     [&](std::string_view v) { return RulesOf(v, feature).Has(id); });
    for (size_t i = 0; i < loaded.examples.size(); ++i) {
      examples.push_back({id, loaded.rule->header().kind, i, i + 1 == loaded.examples.size(),
                          version == kTorchVersions.end() ? std::string_view() : *version, feature,
                          loaded.examples[i].before, loaded.examples[i].after});
    }
  }
  return examples;
}

MigratedText Migrate(const std::string& text, std::string_view torch_version,
                     const std::string& feature) {
  Parser parser;
  FileMigration migration =
      MigrateFile("example.py", text, RulesOf(torch_version, feature).engine, nullptr, parser, {});
  return {migration.text.value_or(text), std::move(migration.records),
          std::move(migration.outcome)};
}

}  // namespace transplt
