// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "transplt/rewrite/selection.h"

namespace transplt {
namespace {

Finding Replace(TextRange range, const std::string& rule, const std::string& text) {
  Finding finding;
  finding.range = range;
  finding.rule_id = rule;
  finding.fix.edits = {{range, text}};
  return finding;
}

class RejectedFix : public ::testing::Test {
 protected:
  const SourceFile source_ = *SourceFile::FromBytes("a.py", "one two three\n");
  FixDecisions decisions_ = {{{"a.py", {0, 3}, "r"}, std::string(kReject)}};
  Selection selection_{source_, &decisions_};

  std::string Text() const { return selection_.edits().ApplyTo(source_.bytes()); }
};

TEST_F(RejectedFix, IsNotCarriedOut) {
  selection_.Add(Replace({0, 3}, "r", "1"));
  selection_.Add(Replace({4, 7}, "r", "2"));
  EXPECT_EQ(Text(), "one 2 three\n");
  EXPECT_EQ(selection_.rejected().size(), 1U);
}

TEST_F(RejectedFix, KeepsItsPlaceFromOthers) {
  selection_.Add(Replace({0, 3}, "r", "1"));
  selection_.Add(Replace({0, 7}, "other", "12"));
  EXPECT_EQ(Text(), "one two three\n");
}

TEST_F(RejectedFix, IsNotMadeByAnotherWithTheSameEdits) {
  selection_.Add(Replace({0, 3}, "r", "1"));
  selection_.Add(Replace({0, 3}, "other", "1"));
  EXPECT_EQ(Text(), "one two three\n");
}

TEST_F(RejectedFix, DoesNotKeepAwayWhatFollowsFromOthers) {
  selection_.Add(Replace({0, 3}, "r", "1"));
  selection_.AddWhatFollows({Replace({0, 3}, "import", "zero")});
  EXPECT_EQ(Text(), "zero two three\n");
  EXPECT_EQ(selection_.chosen(), 0U);
}

TEST_F(RejectedFix, IsKnownByItsFile) {
  decisions_ = {{{"b.py", {0, 3}, "r"}, std::string(kReject)}};
  selection_.Add(Replace({0, 3}, "r", "1"));
  EXPECT_EQ(Text(), "1 two three\n");
}

}  // namespace
}  // namespace transplt
