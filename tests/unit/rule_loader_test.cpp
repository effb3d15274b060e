// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rule_kinds_for_tests.h"
#include "transplt/engine/rule_set.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The sample of the specification's section on user rules, as it stands.
constexpr std::string_view kSample = R"({
    "rules": {
        "ArgsModifyRule": [
            {
                "func_name": "name1",
                "arg_idx": 0,
                "arg_new": "agrs0"
            },
            {
                "func_name": "name2",
                "arg_idx": 0,
                "arg_new": "agrs0"
            }
        ],
        "FuncNameModifyRule": [
            {
                "old_name": "func",
                "new_name": "new_func"
            }
        ],
        "ModuleNameModifyRule": [
            {
                "old_name": "module",
                "new_name": "new_module",
                "parent_module":"parent_module"
            }
        ]
    }
})";

RuleFile UserFile(std::string name, std::string_view text) {
  return {std::move(name), std::string(text)};
}

/// A file with one FuncNameModifyRule that has `more` fields: `, "id": "a"`.
std::string OneRule(std::string_view more) {
  return fmt::format(
      R"({{"rules": {{"FuncNameModifyRule": [{{"old_name": "f", "new_name": "g"{}}}]}}}})", more);
}

RuleSet Loaded(const std::vector<RuleFile>& files, const RuleSelection& selection = {}) {
  Result<RuleSet> rules = RuleSet::Load(files, selection, RuleKindsForTests());
  if (!rules) {
    ADD_FAILURE() << rules.error().where << ": " << rules.error().what.en;
    return {};
  }
  return *std::move(rules);
}

std::vector<std::string> Ids(const RuleSet& rules) {
  std::vector<std::string> ids;
  for (const LoadedRule& loaded : rules.rules()) ids.push_back(loaded.rule->id());
  return ids;
}

std::vector<std::string> Messages(const std::vector<RuleFile>& files,
                                  const RuleSelection& selection = {}) {
  std::vector<std::string> messages;
  for (const Error& error : RuleSet::Check(files, selection, RuleKindsForTests())) {
    messages.push_back(error.where + ": " + error.what.en);
  }
  return messages;
}

const Fields& FieldsOf(const LoadedRule& loaded) {
  return static_cast<const IdleRule&>(*loaded.rule).fields();
}

TEST(RuleLoader, LoadsTheSampleOfTheSpecificationAsItStands) {
  const RuleSet rules = Loaded({UserFile("my.json", kSample)});
  EXPECT_THAT(
      Ids(rules),
      ElementsAre("my.json#/rules/ArgsModifyRule/0", "my.json#/rules/ArgsModifyRule/1",
                  "my.json#/rules/FuncNameModifyRule/0", "my.json#/rules/ModuleNameModifyRule/0"));
}

TEST(RuleLoader, HandsTheFieldsToTheKind) {
  const RuleSet rules = Loaded({UserFile("my.json", kSample)});
  const Fields& args = FieldsOf(rules.rules()[0]);
  EXPECT_EQ(args.String("func_name"), "name1");
  EXPECT_EQ(args.Integer("arg_idx", -1), 0);
  EXPECT_FALSE(args.Has("arg_keyword"));
  EXPECT_EQ(args.String("arg_keyword", "none"), "none");
  EXPECT_THAT(args.List("white_list"), IsEmpty());
}

TEST(RuleLoader, ReadsListsAndBooleans) {
  const RuleSet rules = Loaded({UserFile("my.json", R"({"rules": {
      "ArgsModifyRule": [{"func_name": "f", "arg_new": "", "arg_keyword": "device",
                          "white_list": ["cpu", "type|bool"]}],
      "FuncNameModifyRule": [{"old_name": "f", "new_name": "g", "replace_module": true}]}})")});
  EXPECT_THAT(FieldsOf(rules.rules()[0]).List("white_list"), ElementsAre("cpu", "type|bool"));
  EXPECT_TRUE(FieldsOf(rules.rules()[1]).Boolean("replace_module", false));
}

TEST(RuleLoader, FillsTheHeader) {
  const RuleSet rules = Loaded(
      {UserFile("my.json", OneRule(R"(, "id": "f.to.g", "why": "No f.", "why_zh": "无 f。")"))});
  const RuleHeader& header = rules.rules()[0].rule->header();
  EXPECT_EQ(header.id, "f.to.g");
  EXPECT_EQ(header.kind, "FuncNameModifyRule");
  EXPECT_EQ(header.origin, "my.json#/rules/FuncNameModifyRule/0");
  EXPECT_EQ(header.why.en, "No f.");
  EXPECT_EQ(header.why.zh, "无 f。");
}

TEST(RuleLoader, ShowsAReasonInOneLanguageForBoth) {
  const RuleSet rules = Loaded({UserFile("a.json", OneRule(R"(, "why": "No f.")")),
                                UserFile("b.json", OneRule(R"(, "why_zh": "无 f。")"))});
  EXPECT_EQ(rules.rules()[0].rule->header().why.zh, "No f.");
  EXPECT_EQ(rules.rules()[1].rule->header().why.en, "无 f。");
}

TEST(RuleLoader, RunsRulesInTheOrderOfFilesThenKindsThenLists) {
  const RuleSet rules = Loaded({UserFile("b.json", R"({"rules": {
      "FuncNameModifyRule": [{"id": "1", "old_name": "f", "new_name": "g"}],
      "ArgsModifyRule": [{"id": "2", "func_name": "f", "arg_new": "", "arg_idx": 0},
                         {"id": "3", "func_name": "f", "arg_new": "", "arg_idx": 1}]}})"),
                                UserFile("a.json", OneRule(R"(, "id": "4")"))});
  EXPECT_THAT(Ids(rules), ElementsAre("1", "2", "3", "4"));
}

TEST(RuleLoader, ReadsExamplesOfBothForms) {
  const RuleSet rules =
      Loaded({UserFile("a.json", OneRule(R"json(, "examples": [{"before": "f()", "after": "g()"},
                                     {"unchanged": "h()"}])json"))});
  const std::vector<RuleExample>& examples = rules.rules()[0].examples;
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].before, "f()");
  EXPECT_EQ(examples[0].after, "g()");
  EXPECT_EQ(examples[1].before, "h()");
  EXPECT_EQ(examples[1].after, "h()");
}

TEST(RuleLoader, AcceptsASchemaReferenceForEditors) {
  EXPECT_THAT(Messages({UserFile("a.json", R"({"$schema": "./rule.schema.json", "rules": {}})")}),
              IsEmpty());
  EXPECT_THAT(Messages({UserFile("a.json", R"({"$schema": 1, "rules": {}})")}),
              ElementsAre("a.json:1:13: #/$schema: \"$schema\" must be a string, not the number 1; "
                          "write \"1\""));
}

TEST(RuleLoader, LeavesOutRulesOfOtherTorchVersions) {
  const std::vector<RuleFile> files = {UserFile("a.json", R"({"rules": {"FuncNameModifyRule": [
      {"id": "old", "old_name": "f", "new_name": "g", "torch": "<2.1"},
      {"id": "new", "old_name": "f", "new_name": "h", "torch": ">=2.1"}]}})")};
  EXPECT_THAT(Ids(Loaded(files, {.torch_version = "2.0.1"})), ElementsAre("old"));
  EXPECT_THAT(Ids(Loaded(files, {.torch_version = "2.1.0+cu118"})), ElementsAre("new"));
}

TEST(RuleLoader, LeavesOutRulesOfOtherReleasesOfTorchNpu) {
  const std::vector<RuleFile> files = {UserFile("a.json", R"({"rules": {"FuncNameModifyRule": [
      {"id": "old", "old_name": "f", "new_name": "g", "torch_npu": "<26.0.0"},
      {"id": "new", "old_name": "f", "new_name": "h", "torch_npu": ">=26.0.0"}]}})")};
  EXPECT_THAT(Ids(Loaded(files, {.torch_version = "2.8", .torch_npu = "7.3.0"})),
              ElementsAre("old"));
  EXPECT_THAT(Ids(Loaded(files, {.torch_version = "2.8"})), ElementsAre("new"));
  EXPECT_THAT(Ids(Loaded(files, {.torch_version = "2.1"})), ElementsAre("old"));
}

TEST(RuleLoader, RefusesAWrongRangeOfReleases) {
  EXPECT_THAT(Messages({UserFile("a.json", R"({"rules": {"FuncNameModifyRule": [
      {"old_name": "f", "new_name": "g", "torch_npu": ">=7.3"}]}})")}),
              ElementsAre("a.json:2:55: #/rules/FuncNameModifyRule/0/torch_npu: \">=7.3\" is not a "
                          "bound of a version range; write for example \">=26.0.0\" or "
                          "\">=6.0.rc1,<7.3.0\""));
  EXPECT_THAT(
      Messages({UserFile("a.json", R"({"rules": {"FuncNameModifyRule": [
      {"old_name": "f", "new_name": "g", "torch_npu": 7}]}})")}),
      ElementsAre("a.json:2:55: #/rules/FuncNameModifyRule/0/torch_npu: \"torch_npu\" must "
                  "be a range of versions in quotes, such as \">=7.3.0\", not the number 7"));
}

TEST(RuleLoader, RefusesAPairOfVersionsThatDoesNotExist) {
  EXPECT_THAT(Messages({}, {.torch_version = "2.6", .torch_npu = "26.0.0"}),
              ElementsAre(testing::StartsWith("--torch-npu: torch_npu 26.0.0 does not exist")));
}

TEST(RuleLoader, LeavesOutRulesOfFeaturesThatAreNotSelected) {
  const std::vector<RuleFile> files = {UserFile("a.json", R"({"rules": {"FuncNameModifyRule": [
      {"id": "plain", "old_name": "f", "new_name": "g"},
      {"id": "always", "old_name": "f", "new_name": "g", "feature_switch": ["2.1.0"]},
      {"id": "either", "old_name": "f", "new_name": "g",
       "feature_switch": ["similar", "distributed"]}]}})")};
  EXPECT_THAT(Ids(Loaded(files)), ElementsAre("plain", "always"));
  EXPECT_THAT(Ids(Loaded(files, {.features = {"distributed"}})), ElementsAre("always", "either"));
}

TEST(RuleLoader, KeepsEveryRuleForListingAndTesting) {
  const std::vector<RuleFile> files = {
      UserFile("a.json", OneRule(R"(, "torch": "<1.0", "feature_switch": ["similar"])"))};
  EXPECT_THAT(Ids(Loaded(files)), IsEmpty());
  EXPECT_EQ(Ids(Loaded(files, {.include_inactive = true})).size(), 1u);
}

TEST(RuleLoader, ChecksRulesThatAreNotSelectedAsWell) {
  EXPECT_THAT(Messages({UserFile("a.json", OneRule(R"(, "torch": "<1.0", "extra": 1)"))}).size(),
              1);
}

TEST(RuleLoader, ReportsAllErrorsOfAllFilesInTheirOrder) {
  const std::vector<RuleFile> files = {UserFile("a.json", R"({"rules": {"FuncNameModifyRule": [
  {"old_name": "", "new_nam": "g"},
  {"old_name": "f", "new_name": 1}]}})"),
                                       UserFile("b.json", "["), UserFile("c.json", "{}")};
  EXPECT_THAT(
      Messages(files),
      ElementsAre("a.json:2:16: #/rules/FuncNameModifyRule/0/old_name: \"old_name\" is empty; "
                  "write a name",
                  "a.json:2:20: #/rules/FuncNameModifyRule/0: unknown field \"new_nam\"; did you "
                  "mean \"new_name\"?",
                  "a.json:3:33: #/rules/FuncNameModifyRule/1/new_name: \"new_name\" must be a "
                  "string, not the number 1; write \"1\"",
                  "b.json:1:2: the file ends inside the \"[\" of line 1, column 1; it is cut off, "
                  "or a \"]\" is missing",
                  "c.json:1:1: #: \"rules\" is missing; a rule file holds {\"rules\": {\"KIND\": [ "
                  "... ]}}"));
}

TEST(RuleLoader, AddsThePlaceToWhatOnlyTheKindCanJudge) {
  EXPECT_THAT(
      Messages({UserFile("a.json",
                         R"({"rules": {"ArgsModifyRule": [{"func_name": "f", "arg_new": ""}]}})")}),
      ElementsAre("a.json:1:31: #/rules/ArgsModifyRule/0: needs arg_idx or arg_keyword"));
}

TEST(RuleLoader, RefusesAnIdThatAnotherFileHas) {
  EXPECT_THAT(Messages({UserFile("a.json", OneRule(R"(, "id": "x")")),
                        UserFile("b.json", OneRule(R"(, "id": "x")"))}),
              ElementsAre("b.json:1:76: #/rules/FuncNameModifyRule/0/id: the id \"x\" is taken by "
                          "a.json:1:35: #/rules/FuncNameModifyRule/0; an id names one rule only"));
}

TEST(RuleLoader, RefusesAFileThatIsGivenTwice) {
  const std::vector<RuleFile> files = {UserFile("a.json", OneRule("")),
                                       UserFile("a.json", OneRule(""))};
  const std::vector<Error> errors = RuleSet::Check(files, {}, RuleKindsForTests());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, Error::Code::kUsage);
  EXPECT_EQ(errors[0].where, "a.json");
}

TEST(RuleLoader, ListsTheKindsWhenNoneIsNear) {
  EXPECT_THAT(Messages({UserFile("a.json", R"({"rules": {"Sed": []}})")}),
              ElementsAre("a.json:1:12: #/rules: unknown rule kind \"Sed\"; the kinds are "
                          "\"ArgsModifyRule\", \"FuncNameModifyRule\", \"ModuleNameModifyRule\" "
                          "and \"ReportRule\""));
}

TEST(RuleLoader, SuggestsAChoice) {
  EXPECT_THAT(Messages({UserFile(
                  "a.json", R"({"rules": {"ReportRule": [{"names": [], "level": "unknwon"}]}})")}),
              ElementsAre("a.json:1:50: #/rules/ReportRule/0/level: \"level\" cannot be "
                          "\"unknwon\"; did you mean \"unknown\"?"));
}

TEST(RuleLoader, RefusesARegularExpressionThatCouldExhaustTheStack) {
  const std::string deep = std::string(100'000, '(') + std::string(100'000, ')');
  const std::string text =
      R"({"rules": {"ArgsModifyRule": [{"func_name": "f", "arg_new": "", "arg_idx": 0,
      "white_list": [")" +
      deep + R"("]}]}})";
  EXPECT_THAT(
      Messages({UserFile("a.json", text)}),
      ElementsAre("a.json:2:22: #/rules/ArgsModifyRule/0/white_list/0: \"white_list\" holds "
                  "a regular expression of more than 1000 characters; split it"));
}

TEST(RuleLoader, RefusesAWrongTorchVersionOfTheUser) {
  EXPECT_THAT(Messages({}, {.torch_version = "newest"}),
              ElementsAre(": \"newest\" is not a version; write it as in 2.1 or 2.1.0"));
}

TEST(RuleLoader, RefusesAnUnknownFeatureOfTheUser) {
  EXPECT_THAT(Messages({}, {.features = {"Similar_"}}),
              ElementsAre(": unknown feature \"Similar_\"; did you mean \"similar\"?"));
}

constexpr std::string_view kDocumented = R"json(, "id": "a", "why": "w", "why_zh": "中",
    "examples": [{"before": "f()", "after": "g()"}, {"unchanged": "h()"}])json";

std::vector<std::string> BuiltInMessages(std::string_view more) {
  return Messages({{"rules/a.json", OneRule(more), true}});
}

TEST(RuleLoader, TakesARuleOfTwoLibrariesWhereBothHaveTheirVersions) {
  const std::vector<RuleFile> files = {UserFile(
      "a.json",
      OneRule(R"(, "id": "a", "libraries": ["gym>=0.26"], "with_libraries": ["numpy>=2"])"))};
  const Version gym = *ParseVersion("0.26.2");
  EXPECT_THAT(Ids(Loaded(files)), ElementsAre("a"));
  EXPECT_THAT(Ids(Loaded(files, {.libraries = {{"gym", gym}}})), ElementsAre("a"));
  EXPECT_THAT(Ids(Loaded(files, {.libraries = {{"numpy", *ParseVersion("1.26.4")}}})), IsEmpty());
  EXPECT_THAT(Ids(Loaded(files, {.libraries = {{"gym", *ParseVersion("0.21.0")}}})), IsEmpty());
}

TEST(BuiltInRules, LoadWithIdReasonsAndExamples) {
  EXPECT_THAT(BuiltInMessages(kDocumented), IsEmpty());
}

TEST(BuiltInRules, AreRefusedWithoutAnyOfThem) {
  const std::string at = "rules/a.json:1:35: #/rules/FuncNameModifyRule/0: a built-in rule needs ";
  EXPECT_THAT(BuiltInMessages(""),
              ElementsAre(at + "\"id\"", at + "\"why\"", at + "\"why_zh\"",
                          at + "at least two \"examples\", one of them {\"unchanged\": ...}"));
}

TEST(BuiltInRules, AreRefusedWithoutAnExampleThatStaysUnchanged) {
  EXPECT_EQ(BuiltInMessages(R"json(, "id": "a", "why": "w", "why_zh": "中", "examples": [
                {"before": "f()", "after": "g()"}, {"before": "f(1)", "after": "g(1)"}])json")
                .size(),
            1u);
}

TEST(BuiltInRules, AreRefusedWithOneExampleOnly) {
  EXPECT_EQ(BuiltInMessages(R"json(, "id": "a", "why": "w", "why_zh": "中",
                "examples": [{"unchanged": "h()"}])json")
                .size(),
            1u);
}

}  // namespace
}  // namespace transplt
