// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "report_fixture.h"
#include "transplt/report/fingerprints.h"

namespace transplt {
namespace {

std::string FirstOf(const ChangeRecord& record) { return Fingerprints().Next(record); }

TEST(Fingerprints, StayWhenALineMovesOrIsIndented) {
  ChangeRecord moved = Edited("a.py", 90);
  moved.column = 9;
  moved.source_line = "\t    " + moved.source_line + "  ";
  EXPECT_EQ(FirstOf(moved), FirstOf(Edited("a.py", 3)));
}

TEST(Fingerprints, TellFilesCausesAndLinesApart) {
  std::set<std::string> seen = {FirstOf(Edited("a.py", 3)), FirstOf(Edited("b.py", 3))};
  ChangeRecord other = Edited("a.py", 3);
  other.cause = "nvtx";
  seen.insert(FirstOf(other));
  other = Edited("a.py", 3);
  other.source_line += " + 1";
  seen.insert(FirstOf(other));
  EXPECT_EQ(seen.size(), 4U);
}

TEST(Fingerprints, CountPlacesThatLookTheSame) {
  Fingerprints names;
  const std::string first = names.Next(Edited("a.py", 3));
  const std::string second = names.Next(Edited("a.py", 4));
  const std::string third = names.Next(Edited("a.py", 5));
  EXPECT_EQ((std::set<std::string>{first, second, third}).size(), 3U);
  Fingerprints again;
  again.Next(Edited("a.py", 13));
  EXPECT_EQ(again.Next(Edited("a.py", 14)), second);
}

TEST(Fingerprints, DoNotConfuseTheEndOfAFileNameWithACause) {
  ChangeRecord one = Edited("a", 1);
  one.cause = "1:bc";
  ChangeRecord other = Edited("a1:b", 1);
  other.cause = "c";
  EXPECT_NE(FirstOf(one), FirstOf(other));
}

}  // namespace
}  // namespace transplt
