// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/source_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace transplt {
namespace {

using testing::ElementsAre;

SourceFile Load(std::string bytes) {
  Result<SourceFile> file = SourceFile::FromBytes("train.py", std::move(bytes));
  if (!file) throw std::runtime_error(file.error().what.en);
  return *std::move(file);
}

/// Where `offset` stands, as "line:column".
std::string At(const SourceFile& file, uint32_t offset) {
  const LineColumn place = file.Locate(offset);
  return fmt::format("{}:{}", place.line, place.column);
}

std::vector<std::string> Lines(const SourceFile& file) {
  std::vector<std::string> lines;
  for (uint32_t line = 1; line <= file.line_count(); ++line) {
    lines.emplace_back(file.LineRange(line).In(file.bytes()));
  }
  return lines;
}

TEST(SourceFile, KnowsItsPathAndKeepsItsBytes) {
  const std::string bytes = "\xEF\xBB\xBF a\t\f\r\nb\rc\n\x1A\xC3\xA9";
  const SourceFile file = Load(bytes);
  EXPECT_EQ(file.path(), "train.py");
  EXPECT_EQ(file.bytes(), bytes);
}

TEST(SourceFile, KeepsItsViewsValidWhenMoved) {
  SourceFile file = Load("# coding: gbk\n#\x95\x5C");
  const SourceFile moved = std::move(file);
  EXPECT_EQ(moved.parse_text(), "# coding: gbk\n#xx");
  EXPECT_EQ(At(moved, 17), "2:3");
}

TEST(SourceFile, HasOneLineWhenEmpty) {
  const SourceFile file = Load("");
  EXPECT_THAT(Lines(file), ElementsAre(""));
  EXPECT_EQ(At(file, 0), "1:1");
  EXPECT_EQ(file.LineEndAt(0), "\n");
}

TEST(SourceFile, EndsLinesAtEveryKindOfLineEnd) {
  EXPECT_THAT(Lines(Load("a\nb\r\nc\rd\n\re\r\r\nf")),
              ElementsAre("a", "b", "c", "d", "", "e", "", "f"));
}

TEST(SourceFile, CountsWhatFollowsTheLastLineEndAsALine) {
  EXPECT_THAT(Lines(Load("a\n")), ElementsAre("a", ""));
  EXPECT_THAT(Lines(Load("a\r\n")), ElementsAre("a", ""));
  EXPECT_THAT(Lines(Load("a\r")), ElementsAre("a", ""));
  EXPECT_THAT(Lines(Load("a")), ElementsAre("a"));
}

TEST(SourceFile, DoesNotEndLinesAtOtherControlCharacters) {
  EXPECT_THAT(Lines(Load("a\fb\vc\x1C\u0085\u2028")), ElementsAre("a\fb\vc\x1C\u0085\u2028"));
}

TEST(SourceFile, GivesAnEmptyRangeForALineThatDoesNotExist) {
  const SourceFile file = Load("a\nb");
  EXPECT_EQ(file.LineRange(0), (TextRange{3, 3}));
  EXPECT_EQ(file.LineRange(3), (TextRange{3, 3}));
}

TEST(SourceFile, LocatesBytesOfMixedLines) {
  const SourceFile file = Load("ab\r\nc\rd\n");
  EXPECT_EQ(At(file, 0), "1:1");
  EXPECT_EQ(At(file, 1), "1:2");
  EXPECT_EQ(At(file, 2), "1:3") << "the CR";
  EXPECT_EQ(At(file, 3), "1:4") << "the LF belongs to the line that it ends";
  EXPECT_EQ(At(file, 4), "2:1");
  EXPECT_EQ(At(file, 6), "3:1");
  EXPECT_EQ(At(file, 8), "4:1") << "the end of the file";
}

TEST(SourceFile, LocatesAnOffsetBehindTheEndAtTheEnd) {
  EXPECT_EQ(At(Load("ab\nc"), 100), "2:2");
  EXPECT_EQ(At(Load("é\né"), 100), "2:2");
}

TEST(SourceFile, CountsCodePointsOfUtf8) {
  const SourceFile file = Load("x\ns = 'é模😀', y");
  EXPECT_EQ(At(file, 7), "2:6");
  EXPECT_EQ(At(file, 9), "2:7");
  EXPECT_EQ(At(file, 10), "2:7") << "inside a character";
  EXPECT_EQ(At(file, 11), "2:7");
  EXPECT_EQ(At(file, 12), "2:8");
  EXPECT_EQ(At(file, 16), "2:9");
  EXPECT_EQ(At(file, 17), "2:10");
}

TEST(SourceFile, CountsTheCharactersOfGbkAsOne) {
  const SourceFile file = Load("# coding: gbk\ns = '\x95\x5C\xC4\xA3' + y\n");
  EXPECT_EQ(At(file, 19), "2:6");
  EXPECT_EQ(At(file, 20), "2:6") << "inside a character";
  EXPECT_EQ(At(file, 21), "2:7");
  EXPECT_EQ(At(file, 23), "2:8");
}

TEST(SourceFile, DoesNotCountTheBom) {
  const SourceFile file = Load("\xEF\xBB\xBFs = 'é', y\nz");
  EXPECT_EQ(At(file, 0), "1:1");
  EXPECT_EQ(At(file, 2), "1:1");
  EXPECT_EQ(At(file, 3), "1:1");
  EXPECT_EQ(At(file, 4), "1:2");
  EXPECT_EQ(At(file, 10), "1:7");
  EXPECT_EQ(At(file, 15), "2:1");
}

TEST(SourceFile, LocatesInAnyEncodingAsACharacterCountSays) {
  // Half of the characters have two bytes, none of which is a line end, over several checkpoints.
  std::mt19937 random(1);
  std::string bytes = "# coding: gbk\n";
  std::vector<LineColumn> places;  // of each byte of what follows
  LineColumn place{2, 1};
  for (int i = 0; i < 20000; ++i) {
    const bool pair = random() % 2 == 0;
    bytes += pair ? "\x95\x5C" : random() % 5000 == 0 ? "\n" : "a";
    places.insert(places.end(), pair ? 2 : 1, place);
    place = bytes.back() == '\n' ? LineColumn{place.line + 1, 1}
                                 : LineColumn{place.line, place.column + 1};
  }
  const SourceFile file = Load(bytes);
  EXPECT_GT(file.line_count(), 2U);
  for (uint32_t i = 0; i < places.size(); ++i) {
    const LineColumn found = file.Locate(14 + i);
    ASSERT_EQ(found.line, places[i].line) << "byte " << i;
    ASSERT_EQ(found.column, places[i].column) << "byte " << i;
  }
}

TEST(SourceFile, FindsTheLineEndOfTheLineThatHoldsAnOffset) {
  const SourceFile file = Load("a\r\nb\nc\rd");
  EXPECT_EQ(file.LineEndAt(0), "\r\n");
  EXPECT_EQ(file.LineEndAt(1), "\r\n");
  EXPECT_EQ(file.LineEndAt(2), "\r\n");
  EXPECT_EQ(file.LineEndAt(3), "\n");
  EXPECT_EQ(file.LineEndAt(5), "\r");
  EXPECT_EQ(file.LineEndAt(6), "\r");
  EXPECT_EQ(file.LineEndAt(7), "\r") << "the last line has none: that of the line before";
  EXPECT_EQ(file.LineEndAt(8), "\r") << "the end of the file";
}

TEST(SourceFile, FindsTheLineEndBehindTheLastLine) {
  EXPECT_EQ(Load("a\nb\r\n").LineEndAt(5), "\r\n");
  EXPECT_EQ(Load("a\r\nb\n").LineEndAt(5), "\n");
  EXPECT_EQ(Load("a").LineEndAt(1), "\n");
  EXPECT_EQ(Load("\r\n\r\n").LineEndAt(4), "\r\n");
  EXPECT_EQ(Load("a\r\r\n").LineEndAt(1), "\r");
}

TEST(SourceFile, LocatesFastInALineOfManyMegabytes) {
  std::string bytes = "data = ['é'";
  while (bytes.size() < (10U << 20U)) bytes += ", 'é', 12345678";
  const SourceFile file = Load(bytes);
  const auto start = std::chrono::steady_clock::now();
  uint32_t last = 0;
  for (uint32_t i = 0; i < 5000; ++i) last = file.Locate(i * 2000).column;
  // Counting from the start of the line each time would take a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_LT(last, 9'998'000U);
  EXPECT_GT(last, 9'000'000U);
}

}  // namespace
}  // namespace transplt
