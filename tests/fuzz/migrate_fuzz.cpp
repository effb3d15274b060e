// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Python file under all built-in rules: no crash, no file broken by its own edits,
// and nothing left to edit when the result is migrated again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/engine/rule_set.h"
#include "transplt/migrate/migration.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace {

const transplt::RuleSet& Rules() {
  static const auto rules = transplt::LoadRules({}, true);
  REQUIRE(rules);
  return *rules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Status = transplt::FileOutcome::Status;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto once = transplt::MigrateText("file.py", text, Rules(), true);
  // Beside a syntax error an edit can move what the parser can read; the file is then left alone.
  const bool is_python = std::none_of(
      once.records.begin(), once.records.end(),
      [](const auto& record) { return record.operation == transplt::Operation::kUnparsed; });
  REQUIRE(once.outcome.status != Status::kFailed || !is_python);
  if (once.outcome.status != Status::kMigrated) {
    REQUIRE(once.text == text);
    return 0;
  }
  const auto twice = transplt::MigrateText("file.py", once.text, Rules(), true);
  REQUIRE(twice.text == once.text || !is_python);
  return 0;
}
