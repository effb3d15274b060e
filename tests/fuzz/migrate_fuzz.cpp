// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Python file under all built-in rules: no crash, no file broken by its own edits,
// and nothing left to edit when the result is migrated again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "require.h"
#include "transplt/engine/rule_set.h"
#include "transplt/migrate/migration.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace {

transplt::RuleSet Load(const std::vector<std::string>& features) {
  transplt::RuleSelection selection;
  selection.features.insert(selection.features.end(), features.begin(), features.end());
  auto rules = transplt::LoadRules({}, true, selection);
  REQUIRE(rules);
  return *std::move(rules);
}

/// Every behaviour that an option selects.
std::vector<std::string> AllFeatures() {
  std::vector<std::string> features;
  for (const transplt::Feature& feature : transplt::KnownFeatures()) {
    if (!feature.what.empty()) features.emplace_back(feature.name);
  }
  return features;
}

const transplt::RuleSet& Rules(bool all) {
  static const transplt::RuleSet usual = Load({});
  static const transplt::RuleSet with_features = Load(AllFeatures());
  return all ? with_features : usual;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Status = transplt::FileOutcome::Status;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool all = size % 2 == 1;
  transplt::FileMigrationOptions options;
  options.mark = all;
  options.guard_imports = all;
  const auto once = transplt::MigrateText("file.py", text, Rules(all), options);
  // Beside a syntax error an edit can move what the parser can read; the file is then left alone.
  const bool is_python = std::none_of(
      once.records.begin(), once.records.end(),
      [](const auto& record) { return record.operation == transplt::Operation::kUnparsed; });
  REQUIRE(once.outcome.status != Status::kFailed || !is_python);
  if (once.outcome.status != Status::kMigrated) {
    REQUIRE(once.text == text);
    return 0;
  }
  const auto twice = transplt::MigrateText("file.py", once.text, Rules(all), options);
  REQUIRE(twice.text == once.text || !is_python);
  return 0;
}
