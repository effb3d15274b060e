// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/packed_json.h"

#include <gtest/gtest.h>

#include <string>

namespace transplt {
namespace {

constexpr std::string_view kText = R"({
  "null": null, "yes": true, "no": false, "minus": -7, "large": 9007199254740993,
  "half": -0.5, "text": "x\n\u4e2d", "empty": "", "list": [1, [], {}],
  "rows": [{"id": "a", "examples": [{"before": "b"}]}]
})";

JsonDocument Parsed() { return *JsonDocument::Parse("a.json", kText); }

/// Everything that a value tells, and its children the same way.
std::string Told(const JsonValue& value) {
  std::string told = value.pointer() + "@" + std::to_string(value.place().offset) + ":" +
                     std::to_string(value.place().line) + ":" +
                     std::to_string(value.place().column) + "/" +
                     std::to_string(value.key_place().offset) + " ";
  switch (value.type()) {
    case JsonValue::Type::kNull:
      told += "null";
      break;
    case JsonValue::Type::kBoolean:
      told += value.boolean() ? "true" : "false";
      break;
    case JsonValue::Type::kInteger:
      told += std::to_string(value.integer());
      break;
    case JsonValue::Type::kNumber:
      told += std::to_string(value.number());
      break;
    case JsonValue::Type::kString:
      told += value.string();
      break;
    case JsonValue::Type::kList:
      told += "[]";
      break;
    case JsonValue::Type::kObject:
      told += "{}";
      break;
  }
  told += "\n";
  for (const JsonValue* child : value.children()) told += Told(*child);
  return told;
}

TEST(PackedJson, GivesBackEveryValueWithItsNameAndPlace) {
  const JsonDocument document = Parsed();
  const JsonDocument unpacked = UnpackJson("b.json", PackJson(document, {}));
  EXPECT_EQ(unpacked.name(), "b.json");
  EXPECT_EQ(Told(unpacked.root()), Told(document.root()));
}

TEST(PackedJson, LeavesOutMembersOfAName) {
  const JsonDocument unpacked = UnpackJson("b.json", PackJson(Parsed(), {"examples"}));
  const JsonValue* row = unpacked.root().Find("rows")->children().front();
  EXPECT_EQ(row->Find("id")->string(), "a");
  EXPECT_EQ(row->Find("examples"), nullptr);
  EXPECT_EQ(row->children().size(), 1U);
}

TEST(PackedJsonDeathTest, BytesThatEndTooSoonEndTheProgram) {
  const std::string packed = PackJson(Parsed(), {});
  EXPECT_DEATH(UnpackJson("b.json", std::string_view(packed).substr(0, packed.size() - 1)), "");
}

}  // namespace
}  // namespace transplt
