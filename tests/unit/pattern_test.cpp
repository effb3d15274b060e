// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/pattern.h"

#include <gtest/gtest.h>

#include <string_view>

namespace transplt {
namespace {

TEST(PatternTest, FindsWhatStandsAnywhereInAText) {
  EXPECT_TRUE(Pattern("a+b").IsIn("xaab"));
  EXPECT_FALSE(Pattern("a+b").IsIn("xaac"));
}

TEST(PatternTest, TellsWhetherItIsTheWholeText) {
  EXPECT_TRUE(Pattern("a+b").Is("aab"));
  EXPECT_FALSE(Pattern("a+b").Is("xaab"));
}

TEST(PatternTest, KeepsCaseUnlessToldOtherwise) {
  EXPECT_FALSE(Pattern("cuda").IsIn("CUDA"));
  EXPECT_TRUE(Pattern("cuda", Pattern::Case::kIgnored).IsIn("CUDA"));
}

TEST(PatternTest, GivesTheGroupsOfAMatchAndLeavesThoseEmptyThatTakeNoPart) {
  const auto match = Pattern("(a)|(b)").Find("xb");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->position, 1u);
  EXPECT_EQ(match->In("xb"), "b");
  EXPECT_EQ(match->groups, (std::vector<std::string>{"", "b"}));
}

TEST(PatternTest, SeesWhatStandsBeforeThePlaceWhereItStarts) {
  constexpr std::string_view kText = "nvcc nv nvcc";
  EXPECT_FALSE(Pattern(R"(\bcc)").Find(kText, 2));
  EXPECT_EQ(Pattern(R"(\bnv)").Find(kText, 1)->position, 5u);
}

TEST(PatternTest, FindsAllMatchesAndPassesEmptyOnes) {
  const auto numbers = Pattern("[0-9]+").FindAll("3, 14 and 159");
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[2].position, 10u);
  EXPECT_EQ(Pattern("x*").FindAll("axb").size(), 4u);
}

TEST(PatternTest, FindsNothingInAnEmptyText) {
  EXPECT_FALSE(Pattern("a").Find(std::string_view()));
  EXPECT_TRUE(Pattern("a*").Is(std::string_view()));
}

}  // namespace
}  // namespace transplt
