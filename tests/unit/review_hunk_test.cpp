// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transplt/review/hunk.h"

namespace transplt {
namespace {

std::string Shown(const std::vector<HunkLine>& lines) {
  std::string text;
  for (const HunkLine& line : lines) {
    text += std::to_string(line.number) + line.sign + line.text + "\n";
  }
  return text;
}

ChangeRecord EditRecord(uint32_t line, uint32_t column, std::string before, std::string after) {
  ChangeRecord record;
  record.file = "a.py";
  record.start_line = record.end_line = line;
  record.column = column;
  record.before = std::move(before);
  record.after = std::move(after);
  return record;
}

TEST(Hunk, ShowsTheEditWithTwoLinesAround) {
  const auto source = *SourceFile::FromBytes("a.py", "1\n2\n3\nx.cuda()\n5\n6\n7\n");
  EXPECT_EQ(Shown(HunkOf(EditRecord(4, 3, "cuda", "npu"), &source)),
            "2 2\n3 3\n4-x.cuda()\n0+x.npu()\n5 5\n6 6\n");
}

TEST(Hunk, OfTheFirstAndOnlyLineHasNothingAround) {
  const auto source = *SourceFile::FromBytes("a.py", "é = x.cuda()");
  EXPECT_EQ(Shown(HunkOf(EditRecord(1, 7, "cuda", "npu"), &source)),
            "1-é = x.cuda()\n0+é = x.npu()\n");
}

TEST(Hunk, ShowsSeveralLines) {
  const auto source = *SourceFile::FromBytes("a.py", "f(1,\r\n  2)\r\n");
  ChangeRecord record = EditRecord(1, 3, "1,\r\n  2", "2,\n  1");
  record.end_line = 2;
  EXPECT_EQ(Shown(HunkOf(record, &source)), "1-f(1,\n2-  2)\n0+f(2,\n0+  1)\n3 \n");
}

TEST(Hunk, OfALongLineShowsThePartWithTheEdit) {
  const auto source = *SourceFile::FromBytes("a.py", std::string(5000, 'x') + ".cuda()");
  const auto lines = HunkOf(EditRecord(1, 5002, "cuda", "npu"), &source);
  EXPECT_THAT(Shown(lines), testing::HasSubstr("x.npu()"));
  EXPECT_LT(Shown(lines).size(), 200U);
}

TEST(Hunk, OfATextThatIsNotThereShowsTheRecordAlone) {
  const auto source = *SourceFile::FromBytes("a.py", "other\n");
  EXPECT_EQ(Shown(HunkOf(EditRecord(1, 3, "cuda", "npu"), &source)), "1-cuda\n0+npu\n");
  EXPECT_EQ(Shown(HunkOf(EditRecord(9, 3, "cuda", "npu"), nullptr)), "9-cuda\n0+npu\n");
}

TEST(Hunk, HoldsNoControlCharacters) {
  const auto source = *SourceFile::FromBytes("a.py", "x.cuda() # \x1B[31m\n");
  EXPECT_THAT(Shown(HunkOf(EditRecord(1, 3, "cuda", "npu"), &source)),
              testing::Not(testing::HasSubstr("\x1B")));
}

}  // namespace
}  // namespace transplt
