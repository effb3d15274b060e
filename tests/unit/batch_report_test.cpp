// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/batch_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/temp_folder.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A project with one edit of `rule`, and `open` places for a person.
std::string Migrated(size_t number, const std::string& name, const std::string& rule, int open,
                     double seconds) {
  RunResult run;
  run.framework = "pytorch";
  ChangeRecord edit;
  edit.rule_id = rule;
  run.records.push_back(edit);
  for (int i = 0; i < open; ++i) {
    ChangeRecord record;
    record.rule_id = "api";
    record.operation = Operation::kUnsupported;
    record.applicability = Applicability::kDisplayOnly;
    record.message = {"no such API", ""};
    run.records.push_back(record);
  }
  run.files.push_back({"a.py", FileOutcome::Status::kMigrated, {}, 1, 0});
  return RecordLine({number, name, name, "i", "r"}, MigrationBody(run, "projects/x", "xxh128:1"),
                    RunCost{seconds, seconds, 1 << 20, ""});
}

std::string Crashed(size_t number, const std::string& name) {
  return RecordLine({number, name, name, "i", "r"},
                    AbnormalBody(ProjectOutcome::kCrashed, 11, {"please report it", ""}),
                    RunCost{0.5, 0.5, 1, ""});
}

class Merged : public testing::Test {
 protected:
  Merged() {
    folder_.Write("1", Migrated(1, "a", "x", 0, 1) + Migrated(3, "c", "x", 7, 9));
    folder_.Write("2", Migrated(2, "b", "y", 2, 3) + Crashed(4, "d"));
  }
  Result<BatchReport> Read(bool with_times = true) const {
    return ReadBatchReport({folder_ / "1", folder_ / "2"}, with_times);
  }
  TempFolder folder_;
};

TEST_F(Merged, CountsOutcomesReasonsRulesAndEffort) {
  const Result<BatchReport> report = Read();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->outcomes, ElementsAre(1, 0, 2, 0, 0, 1, 0, 0));
  EXPECT_EQ(report->safe_edits, 3U);
  EXPECT_EQ(report->left_open, 9U);
  EXPECT_EQ(report->unsupported, 9U);
  const Spread& reason = report->reasons.at({"api", "no such API"});
  EXPECT_EQ(reason.projects, 2U);
  EXPECT_EQ(reason.places, 9U);
  EXPECT_EQ(report->rules.at("x").projects, 2U);
  EXPECT_EQ(report->effort[0].projects, 1U);
  EXPECT_EQ(report->effort[1].places, 2U);
  EXPECT_EQ(report->effort[2].places, 7U);
  ASSERT_EQ(report->troubles.size(), 1U);
  EXPECT_EQ(report->troubles[0].what, "SIGSEGV: please report it");
  EXPECT_EQ(report->slowest[0].name, "c");
}

TEST_F(Merged, GivesRecordsInTheOrderOfTheManifest) {
  const Result<BatchReport> report = Read();
  ASSERT_TRUE(report);
  std::vector<size_t> numbers;
  ASSERT_TRUE(ForEachRecord(*report, {folder_ / "1", folder_ / "2"},
                            [&](const RecordPlace& place, const std::string& line) {
                              numbers.push_back(place.number);
                              EXPECT_EQ(ReadRecordHead(line)->number, place.number);
                            }));
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4));
}

TEST_F(Merged, TellsWhatIsMissingAndWhatIsUnknown) {
  Result<BatchReport> report = Read();
  ASSERT_TRUE(report);
  CompareWithManifest(*report, ParseManifest("m",
                                             "{\"path\":\"a\",\"name\":\"a\"}\n"
                                             "{\"path\":\"z\",\"name\":\"z\"}\n",
                                             ""));
  EXPECT_THAT(report->missing, ElementsAre("z"));
  EXPECT_THAT(report->unknown, ElementsAre("b", "c", "d"));
  EXPECT_FALSE(report->IsComplete());
  EXPECT_THAT(BatchReportText(*report, Language::kEnglish), HasSubstr("without a record\n  z\n"));
}

TEST_F(Merged, RefusesAProjectThatIsInTwoFiles) {
  folder_.Write("3", Crashed(9, "a"));
  const auto report = ReadBatchReport({folder_ / "1", folder_ / "3"}, true);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().where, folder_ / "3");
  EXPECT_THAT(report.error().what.en, HasSubstr(folder_ / "1"));
}

TEST_F(Merged, SaysTheSameInTextJsonAndTable) {
  const Result<BatchReport> report = Read(false);
  ASSERT_TRUE(report);
  const std::string text = BatchReportText(*report, Language::kEnglish);
  EXPECT_THAT(text, HasSubstr("Projects: 4\n         1  migrated\n         2  needs a person\n"
                              "         1  crashed\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("slowest")));
  const auto json = nlohmann::json::parse(BatchReportJson(*report));
  EXPECT_EQ(json["outcomes"]["needs_person"], 2);
  EXPECT_EQ(json["reasons"][0]["places"], 9);
  EXPECT_FALSE(json.contains("slowest"));
  EXPECT_EQ(ProjectCsvRow(Crashed(4, "=d"), false),
            "4, =d, =d,crashed,,0,0,0,0,0,0,,,SIGSEGV: please report it\n");
}

}  // namespace
}  // namespace transplt
