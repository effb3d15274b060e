// SPDX-License-Identifier: Apache-2.0
// Any bytes as a rule file: loaded, or refused with errors that name the file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/engine/rule_set.h"
#include "transplt/rule_kinds/rule_kinds.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<transplt::RuleFile> files = {
      {"fuzz.json", std::string(reinterpret_cast<const char*>(data), size), false}};
  const auto errors = transplt::RuleSet::Check(files, {}, transplt::RuleKinds());
  const auto rules = transplt::RuleSet::Load(files, {}, transplt::RuleKinds());
  REQUIRE(errors.empty() == static_cast<bool>(rules));
  for (const transplt::Error& error : errors) {
    REQUIRE(error.where.starts_with("fuzz.json"));
    REQUIRE(!error.what.en.empty());
  }
  return 0;
}
