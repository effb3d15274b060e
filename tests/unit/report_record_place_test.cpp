// SPDX-License-Identifier: Apache-2.0
#include "report_fixture.h"
#include "transplt/report/record_place.h"

namespace transplt {
namespace {

std::string ShownRegion(const ChangeRecord& record) {
  const std::optional<TextRegion> region = ExactRegion(record);
  if (!region) return "unknown";
  const auto number = [](uint32_t value) { return std::to_string(value); };
  return number(region->start.line) + ":" + number(region->start.column) + "-" +
         number(region->end.line) + ":" + number(region->end.column);
}

ChangeRecord Replacing(const std::string& before, uint32_t column, const std::string& line) {
  ChangeRecord record = Edited("a.py", 7);
  record.before = before;
  record.column = column;
  record.source_line = line;
  return record;
}

TEST(ExactRegion, CountsCharactersAndNotBytes) {
  EXPECT_EQ(ShownRegion(Replacing("torch.cuda", 5, "x = torch.cuda.f()")), "7:5-7:15");
  EXPECT_EQ(ShownRegion(Replacing("\"cuda𝄞\"", 9, "f(\"坏𝄞\", \"cuda𝄞\")")), "7:9-7:16");
}

TEST(ExactRegion, ReachesOverLines) {
  EXPECT_EQ(ShownRegion(Replacing("f(a,\r\n  b)", 5, "x = f(a,")), "7:5-8:5");
  EXPECT_EQ(ShownRegion(Replacing("f(a,\r  b,\n)", 5, "x = f(a,")), "7:5-9:2");
}

TEST(ExactRegion, OfAnInsertionIsEmpty) {
  ChangeRecord record = Replacing("", 1, "import torch");
  record.after = "import torch_npu\n";
  EXPECT_EQ(ShownRegion(record), "7:1-7:1");
}

TEST(ExactRegion, IsUnknownWhereTheTextDoesNotStandAtTheColumn) {
  EXPECT_EQ(ShownRegion(Replacing("torch.cuda", 6, "x = torch.cuda.f()")), "unknown");
  EXPECT_EQ(ShownRegion(Replacing("torch.cuda", 60, "x = torch.cuda.f()")), "unknown");
  EXPECT_EQ(ShownRegion(Replacing("f(a,\n  b)", 5, "x = f(a, c")), "unknown");
}

TEST(ExactRegion, IsUnknownWhereTheTextWasShortenedOrNotDecoded) {
  EXPECT_EQ(ShownRegion(Replacing("import a\n...\nb", 1, "import a")), "unknown");
  EXPECT_EQ(ShownRegion(Replacing("\"\uFFFD\"", 5, "x = \"\uFFFD\"")), "unknown");
}

TEST(ExactRegion, IsUnknownForAWholeFileAndInANotebook) {
  EXPECT_EQ(ShownRegion(Skipped("bin.py")), "unknown");
  ChangeRecord record = Edited("a.ipynb", 3);
  EXPECT_EQ(ShownRegion(record), "unknown");
  EXPECT_EQ(ColumnInFile(record), 0U);
  EXPECT_EQ(ColumnInFile(Edited("a.py", 3)), 5U);
}

TEST(PercentEncoded, LeavesOnlyWhatAPathOfAUriMayHold) {
  EXPECT_EQ(PercentEncoded("a-b/c_d.~py"), "a-b/c_d.~py");
  EXPECT_EQ(PercentEncoded("c:d e%f#?.py\n"), "c%3Ad%20e%25f%23%3F.py%0A");
  EXPECT_EQ(PercentEncoded("坏\xFF"), "%E5%9D%8F%FF");
}

}  // namespace
}  // namespace transplt
