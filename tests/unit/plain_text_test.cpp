// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/plain_text.h"

#include <gtest/gtest.h>

namespace transplt {
namespace {

TEST(PlainText, KeepsValidUtf8) {
  const std::string text = "a\tß€𝄞\n";
  EXPECT_EQ(ValidUtf8(text), text);
}

TEST(PlainText, ReplacesEveryByteThatIsNotUtf8) {
  EXPECT_EQ(ValidUtf8("a\xFF"), "a\uFFFD");
  EXPECT_EQ(ValidUtf8("\xE4\xB8"), "\uFFFD\uFFFD") << "cut off";
  EXPECT_EQ(ValidUtf8("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(ValidUtf8("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(ValidUtf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(ValidUtf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "above U+10FFFF";
  EXPECT_EQ(ValidUtf8(std::string_view("a\0b", 3)), "a\uFFFDb");
}

TEST(PlainText, LeavesNothingInALineThatMovesTheCursor) {
  EXPECT_EQ(OneLine("a\nb\tc\x1B[31m\x7F"), "a b c\uFFFD[31m\uFFFD");
  EXPECT_EQ(OneLine("\u202Ex\u009B"), "\uFFFDx\uFFFD");
}

TEST(PlainText, SpellsOutWhatWouldMoveTheCursor) {
  EXPECT_EQ(VisibleText("a\tb\r\nc\n"), "a\tb\r\nc\n");
  EXPECT_EQ(VisibleText("\x1B[31m\x7F\b\rx"), "^[[31m^?^H^Mx");
  EXPECT_EQ(VisibleText("\u202Ex\u009B"), "<U+202E>x<U+009B>");
  EXPECT_EQ(VisibleText("\x9B\xFF"), "<9B><FF>");
  EXPECT_EQ(VisibleText("中文 é"), "中文 é");
}

TEST(PlainText, CutsALineBetweenCharacters) {
  EXPECT_EQ(FitColumns("abcdef", 6), "abcdef");
  EXPECT_EQ(FitColumns("abcdefg", 6), "abcde…");
  EXPECT_EQ(FitColumns("äöüäöüä", 6), "äöüäö…");
}

TEST(PlainText, CountsWideCharactersTwice) {
  EXPECT_EQ(FitColumns("中文字", 6), "中文字");
  EXPECT_EQ(FitColumns("中文字符", 6), "中文…");
  EXPECT_EQ(FitColumns("a中文字", 6), "a中文…");
}

}  // namespace
}  // namespace transplt
