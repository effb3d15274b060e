// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "transplt/lsp/text_positions.h"

namespace transplt {
namespace {

constexpr auto kUtf8 = PositionEncoding::kUtf8;
constexpr auto kUtf16 = PositionEncoding::kUtf16;
constexpr auto kUtf32 = PositionEncoding::kUtf32;

TEST(TextPositions, CountUnitsOfTheEncoding) {
  const std::string line = "数😀é = 1";  // 3, 4 and 2 bytes
  const TextPositions positions(line);
  const size_t equals = line.find('=');
  EXPECT_EQ(positions.PositionOf(equals, kUtf8), (Position{0, 10}));
  EXPECT_EQ(positions.PositionOf(equals, kUtf16), (Position{0, 5}));
  EXPECT_EQ(positions.PositionOf(equals, kUtf32), (Position{0, 4}));
}

TEST(TextPositions, KnowEveryLineEnd) {
  const std::string text = "a\nb\r\nc\rd\r\r\ne";
  const TextPositions positions(text);
  EXPECT_EQ(positions.PositionOf(text.find('b'), kUtf16), (Position{1, 0}));
  EXPECT_EQ(positions.PositionOf(text.find('c'), kUtf16), (Position{2, 0}));
  EXPECT_EQ(positions.PositionOf(text.find('d'), kUtf16), (Position{3, 0}));
  EXPECT_EQ(positions.PositionOf(text.find('e'), kUtf16), (Position{5, 0}));
  EXPECT_EQ(positions.OffsetOf({1, 99}, kUtf16), text.find('b') + 1);
  EXPECT_EQ(positions.OffsetOf({4, 0}, kUtf16), text.find('e') - 2);
}

TEST(TextPositions, StayInTheText) {
  const TextPositions positions("a\n😀");
  EXPECT_EQ(positions.OffsetOf({9, 9}, kUtf16), 6U);
  EXPECT_EQ(positions.OffsetOf({1, 1}, kUtf16), 2U) << "the middle of a pair";
  EXPECT_EQ(positions.PositionOf(99, kUtf16), (Position{1, 2}));
  EXPECT_EQ(TextPositions("").OffsetOf({0, 0}, kUtf16), 0U);
}

TEST(TextPositions, LeadBackToTheirOffset) {
  std::mt19937 random(7);
  const char* pieces[] = {"a", "数", "😀", "é", "\n", "\r\n", "\r", "\t"};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    std::vector<size_t> borders{0};
    for (int i = 0; i < 30; ++i) {
      text += pieces[random() % std::size(pieces)];
      borders.push_back(text.size());
    }
    const TextPositions positions(text);
    for (const size_t offset : borders) {
      for (const PositionEncoding encoding : {kUtf8, kUtf16, kUtf32}) {
        const size_t back = positions.OffsetOf(positions.PositionOf(offset, encoding), encoding);
        // Between CR and LF there is no place of its own.
        const bool is_in_line_end =
            offset > 0 && offset < text.size() && text[offset - 1] == '\r' && text[offset] == '\n';
        EXPECT_EQ(back, is_in_line_end ? offset - 1 : offset);
      }
    }
  }
}

TEST(PositionIn, IsThatOfTheDecodedText) {
  const std::string bytes = "# coding: gbk\n'\xca\xfd' + x\n";  // 数
  const Result<SourceFile> file = SourceFile::FromBytes("a.py", bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(PositionIn(*file, static_cast<uint32_t>(bytes.find('x')), kUtf16), (Position{1, 6}));
  const Result<SourceFile> marked = SourceFile::FromBytes("a.py", "\xEF\xBB\xBFx = 1\n");
  ASSERT_TRUE(marked);
  EXPECT_EQ(PositionIn(*marked, 7, kUtf16), (Position{0, 4}));
}

}  // namespace
}  // namespace transplt
