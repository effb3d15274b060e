// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report_fixture.h"
#include "transplt/report/sarif.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

Json Log(const RunResult& run, std::string_view root = "") {
  std::string text;
  WriteSarif(run, root, [&](std::string_view piece) { text.append(piece); });
  return Json::parse(text);
}

Json Results(const RunResult& run) { return Log(run)["runs"][0]["results"]; }

RunResult RunOfRecord(const ChangeRecord& record) {
  RunResult run;
  run.records = {record};
  return run;
}

TEST(Sarif, NamesItsVersionAndTheTool) {
  const Json log = Log(SampleRun());
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"].size(), 1U);
  const Json& driver = log["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "transplt");
  EXPECT_EQ(driver["version"], "0.1.0");
}

TEST(Sarif, TakesTheLevelFromTheSeverity) {
  const std::vector<std::pair<Severity, std::string>> levels = {
      {Severity::kStopsImport, "error"},  {Severity::kStopsRun, "error"},
      {Severity::kMayGoWrong, "warning"}, {Severity::kSlower, "note"},
      {Severity::kNoEffect, "note"},      {Severity::kNote, "note"}};
  for (const auto& [severity, level] : levels) {
    ChangeRecord record = LeftOpen("a.py", 7, Operation::kSuggestion);
    record.severity = severity;
    const Json run = Log(RunOfRecord(record))["runs"][0];
    EXPECT_EQ(run["results"][0]["level"], level) << Name(severity);
    EXPECT_EQ(run["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"], level);
  }
}

TEST(Sarif, DescribesACauseByItsReasonAndRemedy) {
  ChangeRecord record = LeftOpen("a.py", 7, Operation::kUnsupported);
  record.cause = "data-parallel";
  const Json run = Log(RunOfRecord(record))["runs"][0];
  const Json& rule = run["tool"]["driver"]["rules"][0];
  EXPECT_EQ(rule["id"], "data-parallel");
  EXPECT_THAT(rule["fullDescription"]["text"].get<std::string>(),
              testing::HasSubstr("drives several devices from one process"));
  EXPECT_THAT(rule["help"]["text"].get<std::string>(),
              testing::HasSubstr("start one process per NPU"));
  EXPECT_EQ(run["results"][0]["ruleId"], "data-parallel");
  EXPECT_EQ(run["results"][0]["properties"]["ruleId"], "torch.cuda.jiterator");
}

TEST(Sarif, NamesTheRuleOfEachResultByItsIndexToo) {
  const Json run = Log(SampleRun())["runs"][0];
  ASSERT_EQ(run["results"].size(), 3U);
  for (const Json& result : run["results"]) {
    const Json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()];
    EXPECT_EQ(rule["id"], result["ruleId"]);
  }
}

TEST(Sarif, PlacesAResultBelowTheRoot) {
  const Json log = Log(RunOfRecord(Edited("a b.py", 3)), "src/");
  const Json& place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"], (Json{{"uri", "src/a%20b.py"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(place["region"],
            (Json{{"startLine", 3}, {"startColumn", 5}, {"endLine", 3}, {"endColumn", 15}}));
  EXPECT_TRUE(log["runs"][0]["originalUriBaseIds"].contains("%SRCROOT%"));
  EXPECT_EQ(log["runs"][0]["columnKind"], "unicodeCodePoints");
}

TEST(Sarif, HasNoColumnsInANotebook) {
  ChangeRecord record = LeftOpen("a.ipynb", 7, Operation::kUnsupported);
  const Json result = Results(RunOfRecord(record))[0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"], (Json{{"startLine", 7}}));
}

TEST(Sarif, FixesAnEditWhoseTextIsKnown) {
  const Json result = Results(RunOfRecord(Edited("a.py", 3)))[0];
  ASSERT_EQ(result["fixes"].size(), 1U);
  const Json& change = result["fixes"][0]["artifactChanges"][0];
  EXPECT_EQ(change["artifactLocation"]["uri"], "a.py");
  EXPECT_EQ(change["replacements"][0]["deletedRegion"]["endColumn"], 15);
  EXPECT_EQ(change["replacements"][0]["insertedContent"]["text"], "torch.npu");
}

TEST(Sarif, HasNoFixWhereNothingIsEditedOrTheTextIsNotKnownOrTheEditIsMade) {
  EXPECT_FALSE(
      Results(RunOfRecord(LeftOpen("a.py", 7, Operation::kUnsupported)))[0].contains("fixes"));
  ChangeRecord elsewhere = Edited("a.py", 3);
  elsewhere.before = "import torch";
  EXPECT_FALSE(Results(RunOfRecord(elsewhere))[0].contains("fixes"));
  RunResult made = RunOfRecord(Edited("a.py", 3));
  made.in_place = true;
  EXPECT_FALSE(Results(made)[0].contains("fixes"));
}

TEST(Sarif, TellsOfFilesThatWereNotLookedAtInTheInvocation) {
  const Json invocation = Log(SampleRun())["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  const Json& notifications = invocation["toolExecutionNotifications"];
  ASSERT_EQ(notifications.size(), 2U);
  EXPECT_EQ(notifications[0]["level"], "warning");
  EXPECT_EQ(notifications[0]["message"]["text"], "binary file");
  EXPECT_EQ(notifications[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "bin.py");
  EXPECT_EQ(notifications[1]["level"], "error");
}

TEST(Sarif, DoublesBracesAndBreaksUpWhatLooksLikeALink) {
  ChangeRecord record = LeftOpen("a.py", 7, Operation::kSuggestion);
  record.message.en = "write {\"NPU\": 1} for x[0](3)";
  EXPECT_EQ(Results(RunOfRecord(record))[0]["message"]["text"],
            "write {{\"NPU\": 1}} for x[0] (3)");
}

TEST(Sarif, HasNoEmptyMessage) {
  ChangeRecord record = LeftOpen("a.py", 7, Operation::kSuggestion);
  record.message = {};
  const Json run = Log(RunOfRecord(record))["runs"][0];
  EXPECT_EQ(run["results"][0]["message"]["text"], "torch.cuda.jiterator");
  EXPECT_NE(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "");
}

TEST(Sarif, TakesAnyBytes) {
  ChangeRecord record = LeftOpen("\xFF\n.py", 7, Operation::kSuggestion);
  record.message.en = record.cause = record.source_line = "\xFF\x01𝄞";
  const Json result = Results(RunOfRecord(record))[0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "%FF%0A.py");
  EXPECT_EQ(result["message"]["text"], "\uFFFD\x01𝄞");
}

TEST(Sarif, IsWholeWithoutAnyRecord) {
  const Json run = Log(RunResult())["runs"][0];
  EXPECT_EQ(run["results"], Json::array());
  EXPECT_EQ(run["tool"]["driver"]["rules"], Json::array());
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
}

}  // namespace
}  // namespace transplt
