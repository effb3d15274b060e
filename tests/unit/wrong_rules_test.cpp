// SPDX-License-Identifier: Apache-2.0
#include "wrong_rules.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>

#include "rule_kinds_for_tests.h"
#include "transplt/engine/rule_set.h"

namespace transplt {
namespace {

class WrongRules : public testing::TestWithParam<WrongRuleFile> {};

TEST_P(WrongRules, GiveOneErrorThatNamesPlaceAndRemedy) {
  const WrongRuleFile& row = GetParam();
  SCOPED_TRACE(row.title);
  const std::vector<RuleFile> files = {{"rules.json", std::string(row.text)}};
  const std::vector<Error> errors = RuleSet::Check(files, {}, RuleKindsForTests());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, Error::Code::kBadRule);
  EXPECT_EQ(errors[0].where, row.where);
  EXPECT_EQ(errors[0].what.en, row.what);
  EXPECT_FALSE(errors[0].what.zh.empty());
  EXPECT_NE(errors[0].what.zh, errors[0].what.en);
}

TEST_P(WrongRules, AreNotLoaded) {
  const std::vector<RuleFile> files = {{"rules.json", std::string(GetParam().text)}};
  const Result<RuleSet> rules = RuleSet::Load(files, {}, RuleKindsForTests());
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().what.en, GetParam().what);
}

INSTANTIATE_TEST_SUITE_P(Syntax, WrongRules, testing::ValuesIn(kWrongJson));
INSTANTIATE_TEST_SUITE_P(Content, WrongRules, testing::ValuesIn(kWrongRules));

TEST(WrongRuleTable, ShowsEachMistakeOnce) {
  std::set<std::string_view> texts;
  for (const WrongRuleFile& row : WrongRuleFiles()) {
    EXPECT_TRUE(texts.insert(row.text).second) << row.title;
  }
  EXPECT_GE(texts.size(), 30u);
}

}  // namespace
}  // namespace transplt
