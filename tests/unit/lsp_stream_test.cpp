// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "transplt/lsp/file_uri.h"
#include "transplt/lsp/json_reader.h"
#include "transplt/lsp/message_stream.h"

namespace transplt {
namespace {

/// The messages in `stream`, which arrives in parts of `part` bytes.
std::vector<std::string> MessagesIn(std::string stream, size_t part) {
  MessageReader reader([&stream, part](char* buffer, size_t size) {
    const size_t count = std::min({part, size, stream.size()});
    stream.copy(buffer, count);
    stream.erase(0, count);
    return count;
  });
  std::vector<std::string> messages;
  while (std::optional<std::string> message = reader.Next()) messages.push_back(*message);
  return messages;
}

TEST(MessageReader, CutsAStreamWhereverItsPartsEnd) {
  const std::string stream = Framed("{}") + Framed("") + Framed("数\r\n\r\n");
  for (const size_t part : {1, 2, 7, 1000}) {
    EXPECT_EQ(MessagesIn(stream, part), (std::vector<std::string>{"{}", "", "数\r\n\r\n"})) << part;
  }
}

TEST(MessageReader, TakesOtherLinesOfAHeaderAndAnySpelling) {
  EXPECT_EQ(MessagesIn("Content-Type: x\r\ncontent-length:3\r\n\r\nabc", 4),
            std::vector<std::string>{"abc"});
}

TEST(MessageReader, GivesAnEmptyMessageForAHeaderWithoutALength) {
  EXPECT_EQ(MessagesIn("Content-Length: many\r\n\r\n" + Framed("{}"), 5),
            (std::vector<std::string>{"", "{}"}));
  EXPECT_EQ(MessagesIn("Content-Length: 99999999999999999999\r\n\r\n" + Framed("{}"), 5),
            (std::vector<std::string>{"", "{}"}));
}

TEST(MessageReader, EndsWhereTheStreamEnds) {
  EXPECT_TRUE(MessagesIn("", 1).empty());
  EXPECT_TRUE(MessagesIn("Content-Length: 3\r\n\r\nab", 1).empty());
  EXPECT_TRUE(MessagesIn("Content-Le", 1).empty());
}

TEST(MessageReader, LivesThroughALineThatDoesNotEnd) {
  const std::vector<std::string> messages =
      MessagesIn(std::string(100'000, 'x') + "\r\n\r\n" + Framed("{}"), 1000);
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.back(), "{}");
}

TEST(FileUri, IsReadAndWritten) {
  EXPECT_EQ(PathOfUri("file:///a%20b/%E6%95%B0.py"), "/a b/数.py");
  EXPECT_EQ(PathOfUri("file://localhost/a.py"), "/a.py");
  EXPECT_EQ(UriOfPath("/a b/数.py"), "file:///a%20b/%E6%95%B0.py");
}

TEST(FileUri, RefusesWhatNamesNoFileOfThisMachine) {
  for (const char* uri : {"", "untitled:1", "http://a/b", "file://host/a", "file:///a%2",
                          "file:///%zz", "file:///a%00b", "file:"}) {
    EXPECT_FALSE(PathOfUri(uri)) << uri;
  }
}

TEST(ParseMessage, PutsAReplacementForHalfASurrogatePair) {
  EXPECT_EQ(ParseMessage(R"(["\ud83d", "a\udc00b", "\ud83d\ude00", "\\ud83d"])"),
            (nlohmann::json{"\uFFFD", "a\uFFFDb", "😀", "\\ud83d"}));
  EXPECT_TRUE(ParseMessage("{").is_discarded());
  EXPECT_TRUE(ParseMessage(R"("\u12)").is_discarded());
}

TEST(PositionAt, IsNothingForWhatIsNoPosition) {
  const auto at = [](const char* text) { return PositionAt(nlohmann::json::parse(text), ""); };
  EXPECT_EQ(at(R"({"line": 1, "character": 2})"), (Position{1, 2}));
  for (const char* text :
       {"1", "[]", R"({"line": 1})", R"({"line": -1, "character": 2})",
        R"({"line": 1.5, "character": 2})", R"({"line": "1", "character": 2})"}) {
    EXPECT_FALSE(at(text)) << text;
  }
}

}  // namespace
}  // namespace transplt
