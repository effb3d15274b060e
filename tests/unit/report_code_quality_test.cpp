// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>

#include "report_fixture.h"
#include "transplt/report/code_quality.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

Json Issues(const RunResult& run, std::string_view root = "") {
  std::string text;
  WriteCodeQuality(run, root, [&](std::string_view piece) { text.append(piece); });
  return Json::parse(text);
}

TEST(CodeQuality, HasWhatGitLabReads) {
  RunResult run;
  run.records = {LeftOpen("a.py", 7, Operation::kUnsupported)};
  Json issues = Issues(run, "src/");
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0]["fingerprint"].get<std::string>().size(), 32U);
  issues[0].erase("fingerprint");
  EXPECT_EQ(issues[0],
            (Json{{"description", "no counterpart on the NPU"},
                  {"check_name", "torch.cuda.jiterator"},
                  {"severity", "critical"},
                  {"location", {{"path", "src/a.py"}, {"lines", {{"begin", 7}, {"end", 7}}}}}}));
}

TEST(CodeQuality, OrdersTheSeverities) {
  const std::vector<std::pair<Severity, std::string>> names = {
      {Severity::kStopsImport, "blocker"}, {Severity::kStopsRun, "critical"},
      {Severity::kMayGoWrong, "major"},    {Severity::kSlower, "minor"},
      {Severity::kNoEffect, "info"},       {Severity::kNote, "info"}};
  for (const auto& [severity, name] : names) {
    RunResult run;
    run.records = {LeftOpen("a.py", 7, Operation::kUnsupported)};
    run.records[0].severity = severity;
    EXPECT_EQ(Issues(run)[0]["severity"], name);
  }
}

TEST(CodeQuality, HasAFingerprintOfItsOwnForEachPlace) {
  RunResult run;
  for (uint32_t line = 1; line <= 9; ++line) {
    run.records.push_back(LeftOpen("a.py", line, Operation::kUnsupported));
  }
  std::set<std::string> fingerprints;
  for (const Json& issue : Issues(run)) fingerprints.insert(issue["fingerprint"]);
  EXPECT_EQ(fingerprints.size(), 9U);
}

TEST(CodeQuality, LeavesOutEditsAndPutsAWholeFileAtItsFirstLine) {
  const Json issues = Issues(SampleRun());
  ASSERT_EQ(issues.size(), 3U);
  EXPECT_EQ(issues[2]["location"],
            (Json{{"path", "bin.py"}, {"lines", {{"begin", 1}, {"end", 1}}}}));
}

TEST(CodeQuality, TakesAnyBytesAndAnEmptyRun) {
  RunResult run;
  EXPECT_EQ(Issues(run), Json::array());
  run.records = {LeftOpen("\xFF\n.py", 7, Operation::kUnsupported)};
  EXPECT_EQ(Issues(run)[0]["location"]["path"], "\uFFFD\n.py");
}

}  // namespace
}  // namespace transplt
