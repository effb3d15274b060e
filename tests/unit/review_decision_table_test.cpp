// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "transplt/review/decision_table.h"

namespace transplt {
namespace {

constexpr std::string_view kHeader =
    "File,Start Line,End Line,Operation Type,Message,Column,Rule ID,Applicability,Before,After,"
    "Cause,Severity,Decision\n";

std::string Row(std::string_view decision) {
  return "a.py,3,3,MODIFY,why,1,rule,safe,x,y,cause,," + std::string(decision) + "\n";
}

std::string DecisionIn(const std::string& text) {
  const auto rows = ReadDecisionTable("t.csv", text);
  if (!rows) return rows.error().where + ": " + rows.error().what.en;
  return rows->size() == 1 ? rows->front().decision : "not one row";
}

std::string Utf16(std::string_view ascii, bool is_little) {
  std::string text = is_little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : ascii) {
    if (!is_little) text.push_back('\0');
    text.push_back(c);
    if (is_little) text.push_back('\0');
  }
  return text;
}

TEST(DecisionTable, KnowsTheWordsInAnyCaseAndWithBlanks) {
  for (const char* word : {"accept", "A", " yes ", "Y", "\tACCEPT"}) {
    EXPECT_EQ(DecisionIn(std::string(kHeader) + Row(word)), "accept") << word;
  }
  for (const char* word : {"reject", "R", " No", "n", "REJECT\xC2\xA0"}) {
    EXPECT_EQ(DecisionIn(std::string(kHeader) + Row(word)), "reject") << word;
  }
  EXPECT_EQ(DecisionIn(std::string(kHeader) + Row("  ")), "");
}

TEST(DecisionTable, NamesTheLineOfAnUnknownWord) {
  EXPECT_TRUE(DecisionIn(std::string(kHeader) + Row("") + Row("perhaps")).starts_with("t.csv:3: "));
}

TEST(DecisionTable, CountsTheLinesInsideOfQuotes) {
  const std::string row = "a.py,3,3,MODIFY,why,1,rule,safe,\"x\n\ny\",z,cause,,\n";
  EXPECT_TRUE(DecisionIn(std::string(kHeader) + row + Row("perhaps")).starts_with("t.csv:5: "));
}

TEST(DecisionTable, ReadsUtf16InBothOrders) {
  const std::string text = std::string(kHeader) + Row("reject");
  EXPECT_EQ(DecisionIn(Utf16(text, true)), "reject");
  EXPECT_EQ(DecisionIn(Utf16(text, false)), "reject");
}

TEST(DecisionTable, ReadsSemicolonsAndTabs) {
  for (const char separator : {';', '\t'}) {
    std::string text = std::string(kHeader) + Row("reject");
    std::replace(text.begin(), text.end(), ',', separator);
    EXPECT_EQ(DecisionIn(text), "reject");
  }
}

TEST(DecisionTable, KeepsQuotesSeparatorsAndLineEndsOfAField) {
  const auto rows = ReadDecisionTable(
      "t.csv", std::string(kHeader) +
                   "a.py,3,3,MODIFY,why,1,rule,safe,\"f(\"\"a\"\", b)\r\nc\",z,cause,,no\r\n");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().before, "f(\"a\", b)\r\nc");
  EXPECT_EQ(rows->front().decision, "reject");
}

TEST(DecisionTable, TakesColumnsInAnyOrderAndPassesOverOthers) {
  const auto rows = ReadDecisionTable(
      "t.csv",
      "decision,mine,FILE,start line,column,rule id,message,before,after,applicability\n"
      "no,note,a.py,3,1,rule,why,x,y,display-only\n");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().file, "a.py");
  EXPECT_FALSE(rows->front().is_edit);
}

TEST(DecisionTable, RefusesATableWithoutItsColumns) {
  EXPECT_TRUE(DecisionIn("File,Decision\na.py,no\n").starts_with("t.csv:1: there is no column"));
  EXPECT_TRUE(DecisionIn("").starts_with("t.csv:1: "));
  EXPECT_TRUE(DecisionIn("\n\n").starts_with("t.csv:1: "));
}

TEST(DecisionTable, RefusesAnOpenQuote) {
  EXPECT_TRUE(DecisionIn(std::string(kHeader) + "\"a.py,no\n")
                  .starts_with("t.csv:2: a quote is never closed"));
}

TEST(DecisionTable, ReadsARowThatLacksItsLastFields) {
  EXPECT_EQ(DecisionIn(std::string(kHeader) + "a.py,3\n"), "");
}

}  // namespace
}  // namespace transplt
