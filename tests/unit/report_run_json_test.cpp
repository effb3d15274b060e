// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report_fixture.h"
#include "transplt/report/run_json.h"

namespace transplt {
namespace {

std::string RunJson(const RunResult& run) {
  std::string text;
  WriteRunJson(run, "", [&](std::string_view piece) { text.append(piece); });
  return text;
}

nlohmann::json Parsed(const RunResult& run) { return nlohmann::json::parse(RunJson(run)); }

TEST(RunJson, NamesItsSchemaAndTheRun) {
  const nlohmann::json document = Parsed(SampleRun());
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["tool"], (nlohmann::json{{"name", "transplt"}, {"version", "0.1.0"}}));
  EXPECT_EQ(document["framework"], "pytorch");
  EXPECT_EQ(document["torch_version"], "2.8");
  EXPECT_EQ(document["input"], "proj");
  EXPECT_EQ(document["output"], "out/proj_msft");
  EXPECT_EQ(document["ignored_folders"], nlohmann::json::array({".git/"}));
}

TEST(RunJson, HasEveryFieldOfARecord) {
  EXPECT_EQ(Parsed(SampleRun())["records"][0],
            (nlohmann::json{{"file", "a.py"},
                            {"start_line", 3},
                            {"end_line", 3},
                            {"column", 5},
                            {"operation", "MODIFY"},
                            {"message", "change module cuda to npu"},
                            {"rule_id", "torch.cuda"},
                            {"cause", "torch.cuda"},
                            {"severity", nullptr},
                            {"programs", nlohmann::json::array()},
                            {"settings", nlohmann::json::array()},
                            {"applicability", "safe"},
                            {"before", "torch.cuda"},
                            {"after", "torch.npu"},
                            {"source_line", "x = torch.cuda.device_count()"}}));
}

TEST(RunJson, HasNullForThePlaceOfAWholeFile) {
  const nlohmann::json record = Parsed(SampleRun())["records"][3];
  EXPECT_TRUE(record["start_line"].is_null());
  EXPECT_TRUE(record["end_line"].is_null());
  EXPECT_TRUE(record["column"].is_null());
}

TEST(RunJson, ListsFilesWithTheirReasons) {
  const nlohmann::json files = Parsed(SampleRun())["files"];
  ASSERT_EQ(files.size(), 5U);
  EXPECT_EQ(files[1], (nlohmann::json{{"file", "bin.py"},
                                      {"status", "skipped"},
                                      {"reason", "binary file"},
                                      {"edits", 0},
                                      {"left_open", 0}}));
}

TEST(RunJson, CountsEverything) {
  const nlohmann::json totals = Parsed(SampleRun())["totals"];
  EXPECT_EQ(totals["edits"], 1);
  EXPECT_EQ(totals["unsafe_edits"], 0);
  EXPECT_EQ(totals["left_open"], 3);
  EXPECT_EQ(totals["operations"]["UNSUPPORTED"], 1);
  EXPECT_EQ(totals["operations"]["DELETE"], 0);
  EXPECT_EQ(totals["files"]["failed"], 1);
  EXPECT_EQ(totals["files"]["ignored"], 4);
}

TEST(RunJson, WritesAnItemPerLine) {
  EXPECT_THAT(RunJson(SampleRun()),
              testing::HasSubstr("\n    {\"file\":\"plain.py\",\"status\":\"unchanged\",\"reason\":"
                                 "\"\",\"edits\":0,\"left_open\":0}\n  ],\n"));
}

TEST(RunJson, HasEmptyListsWhenNothingWasFound) {
  const nlohmann::json document = Parsed(RunResult());
  EXPECT_EQ(document["records"], nlohmann::json::array());
  EXPECT_EQ(document["files"], nlohmann::json::array());
}

TEST(RunJson, ReplacesBytesThatAreNotUtf8) {
  RunResult run = SampleRun();
  run.files[0].file = "\xFF.py";
  EXPECT_EQ(Parsed(run)["files"][0]["file"], "\uFFFD.py");
}

TEST(RunJson, DoesNotDependOnTime) {
  RunResult slow = SampleRun();
  slow.seconds = 99;
  EXPECT_EQ(RunJson(slow), RunJson(SampleRun()));
}

}  // namespace
}  // namespace transplt
