// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "transplt/base/packed_json.h"
#include "transplt/base/requirement.h"
#include "transplt/engine/library_releases.h"
#include "transplt/engine/version_range.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {

namespace {

/// False if the file begins with the name of a framework that is not migrated, or with `without_`
/// and the name of one that is.
bool IsFor(const RuleFile& file, Framework framework, bool tensorflow) {
  constexpr std::string_view kWithout = "without_";
  std::string_view name = std::string_view(file.name).substr(file.name.rfind('/') + 1);
  const bool without = name.starts_with(kWithout);
  if (without) name.remove_prefix(kWithout.size());
  return std::ranges::none_of(kFrameworks, [&](Framework other) {
    const bool is_migrated = other == framework || (other == Framework::kTensorflow && tensorflow);
    return is_migrated == without && name.starts_with(NameOf(other));
  });
}

}  // namespace

std::vector<RuleFile> BuiltinRuleFiles() {
  std::vector<RuleFile> files;
  for (const BuiltinRuleText& file : BuiltinRuleTexts()) {
    files.push_back({std::string(file.name), std::string(file.text), true, nullptr});
  }
  return files;
}

std::vector<RuleFile> BuiltinRuleFiles(Framework framework, bool tensorflow) {
  std::vector<RuleFile> files = BuiltinRuleFiles();
  std::erase_if(files, [&](const RuleFile& file) { return !IsFor(file, framework, tensorflow); });
  return files;
}

const std::vector<RuleFile>& ReadBuiltinRules() {
  static const std::vector<RuleFile> files = [] {
    std::vector<RuleFile> read;
    for (const BuiltinRuleText& file : BuiltinRuleTexts()) {
      const std::string name(file.name);
      read.push_back(
          {name, {}, true, std::make_shared<const JsonDocument>(UnpackJson(name, file.packed()))});
    }
    return read;
  }();
  return files;
}

bool MustBeReplaced(const std::string& package, const Version& version, const RuleSet& rules) {
  return std::ranges::any_of(rules.rules(), [&](const LoadedRule& loaded) {
    const Fields& fields = loaded.notes.fields;
    if (!fields.Has("needed")) return false;
    const std::vector<std::string> packages = fields.List("packages");
    const bool is_meant = std::ranges::any_of(
        packages, [&](const std::string& pattern) { return NamesPackage(pattern, package); });
    const Result<VersionRange> needed = VersionRange::Parse(fields.String("needed"));
    return is_meant && needed && !needed->Contains(version);
  });
}

namespace {

/// Adds the newest that there is for the Python of `libraries`, of packages that it does not have.
/// Returns whether there were any.
bool AddNewestForPython(std::vector<std::pair<std::string, Version>>& libraries) {
  const auto find = [&](std::string_view package) {
    return std::ranges::find_if(
        libraries, [&](const auto& library) { return NamesPackage(package, library.first); });
  };
  const auto python = find("python");
  if (python == libraries.end()) return false;
  const size_t before = libraries.size();
  const std::string name = fmt::format("{}.{}", python->second[0], python->second[1]);
  for (const auto& [package, newest] : NewestForPython(name)) {
    if (find(package) == libraries.end()) libraries.emplace_back(package, newest);
  }
  return libraries.size() > before;
}

}  // namespace

Result<RuleSet> LoadRules(const std::vector<RuleFile>& user_rules, bool builtin_rules,
                          const RuleSelection& selection) {
  std::vector<RuleFile> files = user_rules;
  if (builtin_rules) {
    for (const RuleFile& file : ReadBuiltinRules()) {
      if (IsFor(file, selection.framework, selection.tensorflow)) files.push_back(file);
    }
  }
  Result<RuleSet> rules = RuleSet::Load(files, selection, RuleKinds());
  if (!rules || !selection.of_package.empty()) return rules;
  // Whoever does as the report says has the newest version of these, beside which others may have
  // to go as well: nibabel, for one, by the NumPy that it gets.
  RuleSelection with_replaced = selection;
  const auto is_replaced = [&](const std::pair<std::string, Version>& library) {
    return MustBeReplaced(library.first, library.second, *rules);
  };
  while (rules && std::erase_if(with_replaced.libraries, is_replaced) != 0) {
    rules = RuleSet::Load(files, with_replaced, RuleKinds());
  }
  if (rules && AddNewestForPython(with_replaced.libraries)) {
    rules = RuleSet::Load(files, with_replaced, RuleKinds());
  }
  return rules;
}

}  // namespace transplt
