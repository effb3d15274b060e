// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/json_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace transplt {
namespace {

using Type = JsonValue::Type;

JsonDocument Parsed(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::Parse("a.json", text);
  if (!document) ADD_FAILURE() << document.error().where << ": " << document.error().what.en;
  return *std::move(document);
}

Error Refused(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::Parse("a.json", text);
  EXPECT_FALSE(document) << text;
  return document ? Error{} : document.error();
}

std::string PlaceOf(const JsonValue& value) {
  return fmt::format("{}:{}:{}", value.place().offset, value.place().line, value.place().column);
}

TEST(JsonDocument, ReadsEveryTypeOfValue) {
  const JsonDocument document = Parsed(
      R"({"a": null, "b": true, "c": -7, "d": 0.5, "e": "x\n\u4e2d", "f": [1, 2], "g": {}})");
  const JsonValue& root = document.root();
  ASSERT_EQ(root.type(), Type::kObject);
  EXPECT_EQ(root.Find("a")->type(), Type::kNull);
  EXPECT_TRUE(root.Find("b")->boolean());
  EXPECT_EQ(root.Find("c")->integer(), -7);
  EXPECT_EQ(root.Find("d")->number(), 0.5);
  EXPECT_EQ(root.Find("e")->string(), "x\n中");
  EXPECT_EQ(root.Find("f")->children().size(), 2u);
  EXPECT_EQ(root.Find("g")->type(), Type::kObject);
  EXPECT_EQ(root.Find("h"), nullptr);
}

TEST(JsonDocument, KeepsMembersInTheOrderOfTheFile) {
  const JsonDocument document = Parsed(R"({"z": 1, "a": 2, "m": 3})");
  std::string keys;
  for (const JsonValue* member : document.root().children()) keys += member->key();
  EXPECT_EQ(keys, "zam");
}

TEST(JsonDocument, KnowsOffsetLineAndColumnOfEachValue) {
  const JsonDocument document = Parsed("{\n  \"a\" : [10, \"b\",true,\n\t{ } , -1.5e3]\n}");
  const JsonValue& list = *document.root().Find("a");
  EXPECT_EQ(PlaceOf(document.root()), "0:1:1");
  EXPECT_EQ(list.key_place().column, 3u);
  EXPECT_EQ(PlaceOf(list), "10:2:9");
  EXPECT_EQ(PlaceOf(*list.children()[0]), "11:2:10");
  EXPECT_EQ(PlaceOf(*list.children()[1]), "15:2:14");
  EXPECT_EQ(PlaceOf(*list.children()[2]), "19:2:18");
  EXPECT_EQ(PlaceOf(*list.children()[3]), "26:3:2");
  EXPECT_EQ(PlaceOf(*list.children()[4]), "32:3:8");
}

TEST(JsonDocument, CountsColumnsInCharactersAndOffsetsInBytes) {
  const JsonDocument document = Parsed(R"({"键": "值", "b": 1})");
  EXPECT_EQ(PlaceOf(*document.root().Find("b")), "20:1:17");
}

TEST(JsonDocument, EndsLinesAtLineFeedCarriageReturnOrBoth) {
  const JsonDocument document = Parsed("[1,\r\n2,\r3,\n4]");
  const auto& elements = document.root().children();
  EXPECT_EQ(PlaceOf(*elements[1]), "5:2:1");
  EXPECT_EQ(PlaceOf(*elements[2]), "8:3:1");
  EXPECT_EQ(PlaceOf(*elements[3]), "11:4:1");
}

TEST(JsonDocument, AcceptsAByteOrderMarkThatTakesNoColumn) {
  const JsonDocument document = Parsed("\xEF\xBB\xBF{\"a\": 1}");
  EXPECT_EQ(PlaceOf(document.root()), "3:1:1");
  EXPECT_EQ(PlaceOf(*document.root().Find("a")), "9:1:7");
}

TEST(JsonDocument, EscapesSlashAndTildeInPointers) {
  const JsonDocument document = Parsed(R"({"a/b": [0, {"c~d": 1}]})");
  const JsonValue& inner = *document.root().children()[0]->children()[1]->children()[0];
  EXPECT_EQ(document.root().pointer(), "");
  EXPECT_EQ(inner.pointer(), "/a~1b/1/c~0d");
  EXPECT_EQ(document.Where(inner), "a.json:1:21: #/a~1b/1/c~0d");
  EXPECT_EQ(document.WhereKey(inner), "a.json:1:14: #/a~1b/1");
}

TEST(JsonDocument, KeepsControlCharactersOutOfPlacesAndQuotes) {
  const JsonDocument document = Parsed(R"({"a\n\u001b[31m": 1})");
  EXPECT_EQ(document.Where(*document.root().children()[0]), "a.json:1:19: #/a%0A%1B[31m");
  EXPECT_EQ(QuoteForMessage("a\x1b[31m\"\n"), R"("a\u001b[31m\"\n")");
}

TEST(JsonDocument, CutsLongQuotesBetweenCharacters) {
  EXPECT_EQ(QuoteForMessage("中中中", 4), "\"中...\"");
  EXPECT_EQ(QuoteForMessage("abcd", 4), "\"abcd\"");
}

TEST(JsonDocument, StaysValidWhenMoved) {
  JsonDocument first = Parsed(R"({"a": [1]})");
  const JsonDocument second = std::move(first);
  EXPECT_EQ(second.root().Find("a")->children()[0]->pointer(), "/a/0");
}

TEST(JsonDocument, NamesBothPlacesOfADuplicateKey) {
  const Error error = Refused("{\"a\": {\n  \"k\": 1,\n  \"l\": 2, \"k\": 3}}");
  EXPECT_EQ(error.where, "a.json:3:11: #/a");
  EXPECT_EQ(error.what.en,
            "the key \"k\" stands twice in this object, first at line 2, column 3; delete or "
            "rename one of the two");
}

TEST(JsonDocument, AllowsAKeyAgainInAnotherObject) {
  EXPECT_EQ(Parsed(R"([{"k": 1}, {"k": {"k": 2}}])").root().children().size(), 2u);
}

TEST(JsonDocument, AcceptsNestingUpToTheLimitAndNoDeeper) {
  const size_t limit = JsonDocument::kMaxDepth;
  Parsed(std::string(limit, '[') + std::string(limit, ']'));
  const Error error = Refused(std::string(limit + 1, '[') + std::string(limit + 1, ']'));
  EXPECT_EQ(error.where, "a.json:1:65");
  EXPECT_EQ(error.what.en.substr(0, 45), "lists and objects are nested deeper than 64; ");
}

TEST(JsonDocument, RefusesAMillionBracketsWithoutFollowingThem) {
  EXPECT_EQ(Refused(std::string(1'000'000, '[')).where, "a.json:1:65");
}

TEST(JsonDocument, RefusesMoreThanTenMebibytes) {
  const std::string text = "\"" + std::string(JsonDocument::kMaxBytes - 2, 'a') + "\"";
  EXPECT_EQ(Parsed(text).root().string().size(), JsonDocument::kMaxBytes - 2);
  const Error error = Refused(text + " ");
  EXPECT_EQ(error.where, "a.json");
  EXPECT_EQ(error.what.en, "the file is larger than 10 MiB; split it");
}

TEST(JsonDocument, RefusesMoreThanHalfAMillionValues) {
  std::string text = "[0";
  for (size_t i = 1; i < JsonDocument::kMaxValues; ++i) text += ",0";
  EXPECT_EQ(Refused(text + "]").what.en, "the file holds more than 500000 values; split it");
}

TEST(JsonDocument, ReadsIntegersBeyond64BitsAsNumbers) {
  const JsonDocument document = Parsed("[9223372036854775807, 9223372036854775808]");
  EXPECT_EQ(document.root().children()[0]->integer(), INT64_MAX);
  EXPECT_EQ(document.root().children()[1]->type(), Type::kNumber);
}

TEST(JsonDocument, SpeaksChineseAsWell) {
  EXPECT_EQ(Refused("[1,]").what.zh, "多余的尾随逗号；请删除 \"]\" 前的 \",\"");
}

TEST(JsonDocument, ReportsWithTheCodeOfABadInput) {
  EXPECT_EQ(Refused("[").code, Error::Code::kBadInput);
}

/// A mistake of JSON that the rows of wrong_rules.h do not show.
struct Row {
  std::string text;
  std::string where;
  std::string what;
};

class JsonMistakes : public testing::TestWithParam<Row> {};

TEST_P(JsonMistakes, AreExplainedAtTheirPlace) {
  const Error error = Refused(GetParam().text);
  EXPECT_EQ(error.where, "a.json:" + GetParam().where);
  EXPECT_EQ(error.what.en.substr(0, GetParam().what.size()), GetParam().what);
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonMistakes,
    testing::Values(
        Row{" \r\n\t", "1:1", "the file is empty"}, Row{"\xEF\xBB\xBF", "1:1", "the file is empty"},
        Row{std::string("\0{\0}", 4), "1:1", "the file is UTF-16"},
        Row{"[1,,2]", "1:4", "a comma with nothing before it"},
        Row{"[,1]", "1:2", "a comma with nothing before it"},
        Row{R"({,"a": 1})", "1:2", "a comma with nothing before it"},
        Row{R"({"a"})", "1:5", "the key before this has no value"},
        Row{R"({"a":})", "1:6", "the key before this has no value"},
        Row{R"({"a": , "b": 1})", "1:7", "a comma with nothing before it"},
        Row{R"({"a" 1})", "1:5", "missing \":\""}, Row{R"(["a": 1])", "1:5", "a list has no keys"},
        Row{"[1; 2]", "1:3", "\";\" between values"},
        Row{R"({"a": 1]})", "1:8", "\"]\" cannot close the \"{\" of line 1, column 1; write \"}\""},
        Row{"[1", "1:3", "the file ends inside the \"[\" of line 1, column 1"},
        Row{R"({"a": )", "1:7", "the file ends inside the \"{\""},
        Row{R"(["a)", "1:2", "the file ends inside the string"},
        Row{"[\"中", "1:2", "the file ends inside the string"},
        Row{R"(["a\)", "1:2", "the file ends inside the string"},
        Row{"[\"a\tb\"]", "1:4", "a control character inside a string"},
        Row{R"(["\u12G4"])", "1:3", "\\u wants four hexadecimal digits"},
        Row{R"(["\ud83d"])", "1:3", "\\u wants four hexadecimal digits"},
        Row{R"(["\ude00"])", "1:3", "\\u wants four hexadecimal digits"},
        Row{"[\"\\ud83d\\ude00\xFF\"]", "1:15", "the file is not valid UTF-8"},
        Row{"[\"\\u4e2d\xFF\"]", "1:9", "the file is not valid UTF-8"},
        Row{"[\"\xC4\"]", "1:3", "the file is not valid UTF-8"},
        Row{"[+1]", "1:2", "+1 is not a number"}, Row{"[.5]", "1:2", ".5 is not a number"},
        Row{"[1.]", "1:2", "1. is not a number"}, Row{"[0x1F]", "1:2", "0x1F is not a number"},
        Row{"[-Infinity]", "1:2", "-Infinity is not a number"},
        Row{"[1e999]", "1:2", "1e999 is not a number"}, Row{"[1] [2]", "1:5", "text after the end"},
        Row{"[[1]]]", "1:6", "one \"]\" too many"}, Row{"[true false]", "1:6", "missing \",\""},
        Row{"[1 'a']", "1:3", "missing \",\""}, Row{"[nope]", "1:2", "the text nope has no quotes"},
        Row{"[`a`]", "1:2", "unexpected \"`\"; a value is expected here"},
        Row{"[1 + 2]", "1:4", "unexpected \"+\"; \",\" or \"]\" is expected here"},
        Row{R"({"a": 1 + 2})", "1:9", "unexpected \"+\"; \",\" or \"}\" is expected here"},
        Row{R"({1: 2})", "1:2", "the key 1 has no quotes; write \"1\""},
        Row{R"({[]: 2})", "1:2", "unexpected \"[\"; a key in double quotes is expected here"},
        Row{"}", "1:1", "unexpected \"}\""}));

TEST(JsonDocument, AcceptsExactlyWhatTheLibraryAcceptsAfterAnyOneByteChange) {
  const std::string good =
      "{\"r\": [{\"a\": \"x\\u00e9\\\\\", \"b\": -1.5e2, \"c\": [true, null, {}]}, 07, \"中\"]}";
  const std::string_view bytes("\"'\\{}[]:,#/u0-.eE \n\tx\xC4\xAD\x00", 23);
  for (size_t i = 0; i <= good.size(); ++i) {
    for (const char byte : bytes) {
      for (const size_t removed : {size_t{0}, size_t{1}}) {
        std::string text = good;
        text.replace(i, removed, 1, byte);
        const Result<JsonDocument> document = JsonDocument::Parse("a.json", text);
        EXPECT_EQ(static_cast<bool>(document), nlohmann::json::accept(text)) << text;
        if (document) continue;
        EXPECT_FALSE(document.error().what.zh.empty()) << text;
      }
    }
  }
}

TEST(JsonDocument, ExplainsEveryTruncationInsideTheText) {
  const std::string good = "{\"r\": [{\"a\": \"x\\u00e9\", \"b\": -1.5e2,\n \"c\": [true, {}]}]}";
  for (size_t size = 0; size < good.size(); ++size) {
    const Error error = Refused(good.substr(0, size));
    EXPECT_NE(error.where.find("a.json:"), std::string::npos) << size;
    EXPECT_FALSE(error.what.en.empty()) << size;
  }
}

}  // namespace
}  // namespace transplt
