// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/version_range.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace transplt {
namespace {

bool InRange(std::string_view range, std::string_view version) {
  const Result<VersionRange> parsed = VersionRange::Parse(range);
  const Result<Version> number = ParseVersion(version);
  EXPECT_TRUE(parsed) << range;
  EXPECT_TRUE(number) << version;
  return parsed && number && (*parsed).Contains(*number);
}

TEST(VersionRange, IncludesItsBoundsOnlyWithAnEqualsSign) {
  EXPECT_TRUE(InRange(">=2.1,<2.5", "2.1"));
  EXPECT_TRUE(InRange(">=2.1,<2.5", "2.4.9"));
  EXPECT_FALSE(InRange(">=2.1,<2.5", "2.5"));
  EXPECT_FALSE(InRange(">2.1", "2.1.0"));
  EXPECT_TRUE(InRange("<=2.1", "2.1"));
  EXPECT_FALSE(InRange("<2.1", "2.1"));
}

TEST(VersionRange, ComparesNumbersNotText) {
  EXPECT_TRUE(InRange(">=2.9", "2.10"));
  EXPECT_FALSE(InRange("<2.9", "2.10"));
}

TEST(VersionRange, TakesMissingNumbersAsZero) {
  EXPECT_TRUE(InRange(">=2.1.0", "2.1"));
  EXPECT_TRUE(InRange(">=2", "2.0.0"));
}

TEST(VersionRange, HoldsEveryVersionWithoutBounds) {
  EXPECT_TRUE(VersionRange().Contains({0, 0, 0, 0}));
}

TEST(VersionRange, HoldsOneVersionBetweenEqualInclusiveBounds) {
  EXPECT_TRUE(InRange(">=2.1,<=2.1", "2.1"));
}

TEST(VersionRange, RefusesARangeThatNothingIsIn) {
  for (std::string_view text : {">2.1,<2.1", ">=2.1,<2.1", ">2.5,<=2.1", "<1,>2"}) {
    EXPECT_FALSE(VersionRange::Parse(text)) << text;
  }
}

TEST(VersionRange, AndItsPatternRefuseWhatIsNoRange) {
  const std::regex pattern{std::string(VersionRange::kPattern)};
  for (std::string_view text :
       {"", "2.1", "==2.1", "=>2.1", "~=2.1", ">=2.1,", ">=2.", ">=2.1.0.0.0", ">=2.1 <2.5",
        ">=v2.1", ">= 1234567", ">=", "> =2.1", ">=2.1+cpu"}) {
    EXPECT_FALSE(VersionRange::Parse(text)) << text;
    EXPECT_FALSE(std::regex_search(std::string(text), pattern)) << text;
  }
}

TEST(VersionRange, AndItsPatternAcceptBlanksAroundBounds) {
  const std::regex pattern{std::string(VersionRange::kPattern)};
  for (std::string_view text : {">=2.1", "<2", " >= 2.1 , < 2.5.1.1 "}) {
    EXPECT_TRUE(VersionRange::Parse(text)) << text;
    EXPECT_TRUE(std::regex_search(std::string(text), pattern)) << text;
  }
}

TEST(ParseVersion, IgnoresWhatPackagesAppend) {
  for (std::string_view text : {"2.1", "2.1.0", "2.1.0+cu118", "2.1.0a0", "2.1.0rc1", "2.1.post3",
                                "2.1.0.dev2024", "2.1.0.0"}) {
    const Result<Version> version = ParseVersion(text);
    ASSERT_TRUE(version) << text;
    EXPECT_EQ(*version, (Version{2, 1, 0, 0})) << text;
  }
}

TEST(ParseVersion, RefusesWhatIsNoVersion) {
  for (std::string_view text : {"", "v2.1", "newest", "2.1.", "2,1", "2.1 ", "12345678"}) {
    EXPECT_FALSE(ParseVersion(text)) << text;
  }
}

}  // namespace
}  // namespace transplt
