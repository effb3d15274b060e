// SPDX-License-Identifier: Apache-2.0
#include "builtin_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "transplt/engine/engine.h"
#include "transplt/migrate/file_migration.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {
namespace {

RuleSet Load(const std::vector<RuleFile>& files, const RuleSelection& selection) {
  Result<RuleSet> rules = RuleSet::Load(files, selection, RuleKinds());
  if (!rules) throw std::runtime_error(rules.error().where + ": " + rules.error().what.en);
  return *std::move(rules);
}

Framework FrameworkOf(std::string_view version) {
  return version == kMindspore ? Framework::kMindspore : Framework::kPytorch;
}

/// "timm 0.1": the package, and its oldest version that the range has.
std::string OldLibrary(const LibraryRange& range) {
  constexpr uint32_t kMost = 100;
  for (uint32_t version = 1; version < kMost * kMost; ++version) {
    if (range.versions.Contains({version / kMost, version % kMost, 0, 0})) {
      return fmt::format("{} {}.{}", range.package, version / kMost, version % kMost);
    }
  }
  return range.package + " 0.1";
}

std::vector<std::pair<std::string, Version>> OldVersion(const std::string& library) {
  if (library.empty()) return {};
  const size_t space = library.find(' ');
  const size_t dot = library.find('.', space);
  const auto number = [](const std::string& text) {
    return static_cast<uint32_t>(std::stoul(text));
  };
  return {{library.substr(0, space),
           {number(library.substr(space + 1, dot)), number(library.substr(dot + 1)), 0, 0}}};
}

/// The rules of one version of PyTorch, or of MindSpore, and one target, with those of
/// a feature, ready to run.
struct VersionRules {
  VersionRules(std::string_view version, std::string_view target, const std::string& feature,
               const std::string& old_library)
      : rules(Load(BuiltinRuleFiles(FrameworkOf(version), target == DefaultTarget().name),
                   {.target = std::string(target),
                    .torch_version = std::string(version == kMindspore ? kNewestTorch : version),
                    .libraries = OldVersion(old_library),
                    .features = {"normal", feature}})),
        engine(rules) {}

  bool Has(const std::string& id) const {
    return std::any_of(rules.rules().begin(), rules.rules().end(),
                       [&](const LoadedRule& loaded) { return loaded.rule->id() == id; });
  }

  RuleSet rules;
  Engine engine;
};

const VersionRules& RulesOf(std::string_view version, std::string_view target,
                            const std::string& feature, const std::string& old_library) {
  static std::map<std::tuple<std::string_view, std::string_view, std::string, std::string>,
                  std::unique_ptr<VersionRules>>
      loaded;
  std::unique_ptr<VersionRules>& rules = loaded[{version, target, feature, old_library}];
  if (rules == nullptr) {
    rules = std::make_unique<VersionRules>(version, target, feature, old_library);
  }
  return *rules;
}

/// A version and a target with which a rule runs, the defaults first; empty if there are none.
std::pair<std::string_view, std::string_view> RunOf(const std::string& id,
                                                    const std::string& feature,
                                                    const std::string& old_library) {
  for (std::string_view target :
       {std::string_view(DefaultTarget().name), std::string_view(AnyDeviceTarget().name)}) {
    for (std::string_view version : kTorchVersions) {
      if (RulesOf(version, target, feature, old_library).Has(id)) return {version, target};
    }
  }
  if (RulesOf(kMindspore, DefaultTarget().name, feature, old_library).Has(id)) {
    return {kMindspore, DefaultTarget().name};
  }
  return {};
}

}  // namespace

std::vector<BuiltinExample> BuiltinExamples() {
  std::vector<BuiltinExample> examples;
  const RuleSet all = Load(BuiltinRuleFiles(), {.include_inactive = true});
  for (const LoadedRule& loaded : all.rules()) {
    const std::string& id = loaded.rule->id();
    const std::string feature = loaded.IsOptional() ? loaded.notes.features.front() : "normal";
    const std::vector<LibraryRange>& libraries = loaded.notes.libraries;
    const bool is_for_newest =
        libraries.empty() || std::ranges::any_of(libraries, [](const LibraryRange& library) {
          return library.versions.Contains(kNewestVersion);
        });
    const std::string old_library = is_for_newest ? "" : OldLibrary(libraries.front());
    const auto [version, target] = RunOf(id, feature, old_library);
    for (size_t i = 0; i < loaded.examples.size(); ++i) {
      examples.push_back({id, loaded.rule->header().kind, i, i + 1 == loaded.examples.size(),
                          version, target, feature, old_library, loaded.examples[i].before,
                          loaded.examples[i].after});
    }
  }
  return examples;
}

MigratedText Migrate(const std::string& text, std::string_view torch_version,
                     std::string_view target, const std::string& feature,
                     const std::string& old_library) {
  Parser parser;
  FileMigrationOptions options;
  options.framework = FrameworkOf(torch_version);
  options.insert_npu_import = options.framework == Framework::kPytorch;
  FileMigration migration =
      MigrateFile("example.py", text, RulesOf(torch_version, target, feature, old_library).engine,
                  nullptr, parser, options);
  return {migration.text.value_or(text), std::move(migration.records),
          std::move(migration.outcome)};
}

}  // namespace transplt
