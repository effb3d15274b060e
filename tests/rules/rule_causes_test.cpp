// SPDX-License-Identifier: Apache-2.0
// What the built-in rules say about the places that they leave to a person.
#include <gmock/gmock.h>

#include <algorithm>

#include "transplt/report/causes.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

std::vector<RuleHeader> AllHeaders() {
  std::vector<RuleHeader> headers;
  const Result<RuleSet> rules = LoadRules({}, true, {.include_inactive = true});
  EXPECT_TRUE(rules);
  for (const LoadedRule& loaded : rules->rules()) headers.push_back(loaded.rule->header());
  return headers;
}

TEST(RuleCauses, AreInTheTableOrAnotherRule) {
  const std::vector<RuleHeader> headers = AllHeaders();
  for (const RuleHeader& header : headers) {
    if (header.cause.empty()) continue;
    const bool is_known = std::ranges::count(KnownCauses(), header.cause, &KnownCause::id) == 1 ||
                          std::ranges::count(headers, header.cause, &RuleHeader::id) > 0;
    EXPECT_TRUE(is_known) << header.id << ": " << header.cause;
  }
}

TEST(RuleCauses, OfBuiltInReportsHaveASeverity) {
  for (const RuleHeader& header : AllHeaders()) {
    const bool reports = header.kind.find("Report") != std::string::npos;
    // A library's severity follows from its effect; what is unknown stops the run.
    if (!reports || header.kind == "LibraryReportRule" || header.kind == "MemberReportRule") {
      continue;
    }
    EXPECT_TRUE(header.severity.has_value()) << header.id;
  }
}

}  // namespace
}  // namespace transplt
