// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/rule_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "rule_kinds_for_tests.h"
#include "transplt/engine/rule_set.h"
#include "wrong_rules.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

bool SchemaAccepts(std::string_view text) {
  const Json schema_text = Json::parse(RuleSchema(RuleKindsForTests()));
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text),
                                          schema);
  const Json file = Json::parse(text);
  valijson::Validator validator;
  return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(file), nullptr);
}

bool LoaderAccepts(std::string_view text) {
  const std::vector<RuleFile> files = {{"rules.json", std::string(text)}};
  return RuleSet::Check(files, {}, RuleKindsForTests()).empty();
}

class WrongRuleSchema : public testing::TestWithParam<WrongRuleFile> {};

TEST_P(WrongRuleSchema, RefusesWhatASchemaCanSayAndNothingElse) {
  const WrongRuleFile& row = GetParam();
  SCOPED_TRACE(row.title);
  EXPECT_EQ(SchemaAccepts(row.text), row.mistake == Mistake::kMeaning);
  EXPECT_FALSE(LoaderAccepts(row.text));
}

INSTANTIATE_TEST_SUITE_P(All, WrongRuleSchema, testing::ValuesIn(kWrongRules));

class GoodRuleSchema : public testing::TestWithParam<std::string> {};

TEST_P(GoodRuleSchema, AcceptsWhatTheLoaderAccepts) {
  EXPECT_TRUE(LoaderAccepts(GetParam()));
  EXPECT_TRUE(SchemaAccepts(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    All, GoodRuleSchema,
    testing::Values(
        R"({"rules": {}})", R"({"$schema": "rule.schema.json", "rules": {"ReportRule": []}})",
        R"({"rules": {"ArgsModifyRule": [{"func_name": "f", "arg_new": "", "arg_idx": -1},
            {"func_name": "torch.f", "arg_new": "x", "arg_keyword": "device",
             "white_list": ["type|bool", "[(]"]}]}})",
        R"({"rules": {"FuncNameModifyRule": [{"old_name": "a.b_1", "new_name": "训练",
            "replace_module": true, "id": "a", "why": "w", "why_zh": "中",
            "feature_switch": ["normal", "2.1.0"], "torch": " >= 2.1 , <2.5.1",
            "examples": [{"before": "a", "after": "b"}, {"unchanged": "c"}]}]}})",
        R"({"rules": {"ModuleNameModifyRule": [
            {"old_name": "a", "new_name": "b", "parent_module": ""}]}})",
        R"({"rules": {"ReportRule": [{"names": ["a", ""], "level": "unknown"}]}})"));

TEST(RuleSchema, RefusesAChoiceThatDoesNotExistLikeTheLoader) {
  constexpr std::string_view kText =
      R"({"rules": {"ReportRule": [{"names": [], "level": "unsuported"}]}})";
  EXPECT_FALSE(SchemaAccepts(kText));
  EXPECT_FALSE(LoaderAccepts(kText));
}

TEST(RuleSchema, IsTheSameTextEveryTimeAndEndsItsLastLine) {
  const std::string schema = RuleSchema(RuleKindsForTests());
  EXPECT_EQ(schema, RuleSchema(RuleKindsForTests()));
  EXPECT_TRUE(schema.ends_with("}\n"));
}

TEST(RuleSchema, DescribesKindsAndFieldsInTheOrderOfTheirTable) {
  const auto schema = nlohmann::ordered_json::parse(RuleSchema(RuleKindsForTests()));
  EXPECT_EQ(schema["definitions"].begin().key(), "ArgsModifyRule");
  const auto& kind = schema["definitions"]["ArgsModifyRule"];
  EXPECT_EQ(kind["description"], "Replaces or deletes an argument of a call.");
  EXPECT_EQ(kind["properties"].begin().key(), "func_name");
  EXPECT_EQ(kind["properties"]["func_name"]["description"], "The function.");
  EXPECT_EQ(kind["required"], nlohmann::ordered_json({"func_name", "arg_new"}));
  EXPECT_EQ(kind["additionalProperties"], false);
}

}  // namespace
}  // namespace transplt
