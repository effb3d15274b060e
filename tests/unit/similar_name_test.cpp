// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/similar_name.h"

#include <gtest/gtest.h>

#include <string>

namespace transplt {
namespace {

const std::vector<std::string_view>& Known() {
  static const std::vector<std::string_view> known = {"func_name",   "arg_new", "arg_idx",
                                                      "arg_keyword", "id",      "why"};
  return known;
}

std::string Suggested(std::string_view written) {
  return std::string(SimilarName(written, Known()).value_or("nothing"));
}

TEST(SimilarName, FindsOneLetterTooManyTooFewOrWrong) {
  EXPECT_EQ(Suggested("arg_indx"), "arg_idx");
  EXPECT_EQ(Suggested("arg_ix"), "arg_idx");
  EXPECT_EQ(Suggested("func_nane"), "func_name");
}

TEST(SimilarName, CountsSwappedNeighboursAsOneMistake) { EXPECT_EQ(Suggested("wyh"), "why"); }

TEST(SimilarName, IgnoresCaseAndSeparators) {
  EXPECT_EQ(Suggested("ArgKeyword"), "arg_keyword");
  EXPECT_EQ(Suggested("FUNC-NAME"), "func_name");
}

TEST(SimilarName, ChoosesTheNearest) { EXPECT_EQ(Suggested("arg_nex"), "arg_new"); }

TEST(SimilarName, OffersNothingThatIsNotNear) {
  EXPECT_EQ(Suggested("comment"), "nothing");
  EXPECT_EQ(Suggested("di"), "nothing");
  EXPECT_EQ(Suggested(""), "nothing");
  EXPECT_EQ(Suggested(std::string(100'000, 'a')), "nothing");
}

TEST(SuggestName, ListsWhatExistsIfNothingIsNear) {
  const Text text = SuggestName("zzz", {"a", "b", "c"}, {"there are", "有"});
  EXPECT_EQ(text.en, R"(; there are "a", "b" and "c")");
  EXPECT_EQ(text.zh, R"(；有 "a"、"b"、"c")");
}

}  // namespace
}  // namespace transplt
