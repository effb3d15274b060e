// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "transplt/migrate/run_record.h"

namespace transplt {
namespace {

ChangeRecord EditAt(const std::string& file, uint32_t line, std::vector<std::string> values = {}) {
  ChangeRecord record;
  record.file = file;
  record.start_line = record.end_line = line;
  record.column = 1;
  record.range = {line * 10, line * 10 + 4};
  record.rule_id = record.cause = "rule";
  record.before = "cuda";
  record.after = "npu";
  record.values = std::move(values);
  return record;
}

std::vector<uint32_t> GroupsOf(const RunResult& run) {
  std::vector<uint32_t> groups;
  for (const RecordedFix& fix : FixesOf(run)) groups.push_back(fix.group);
  return groups;
}

TEST(RunRecord, GroupsEditsThatShareAValue) {
  RunResult run;
  run.records = {EditAt("a.py", 1, {"x"}), EditAt("a.py", 2), EditAt("b.py", 1, {"x", "y"}),
                 EditAt("c.py", 1, {"y"})};
  EXPECT_EQ(GroupsOf(run), (std::vector<uint32_t>{1, 2, 1, 1}));
}

TEST(RunRecord, GroupsRejectedEditsWithTheOthers) {
  RunResult run;
  run.records = {EditAt("a.py", 1, {"x"}), EditAt("c.py", 1, {"x"})};
  run.rejected = {EditAt("b.py", 1, {"x"})};
  EXPECT_EQ(GroupsOf(run), (std::vector<uint32_t>{1, 1, 1}));
}

TEST(RunRecord, GroupsEditsOfOneRuleAtOnePlace) {
  RunResult run;
  run.records = {EditAt("a.py", 1), EditAt("a.py", 1)};
  run.records[1].after = "npu:0";
  EXPECT_EQ(GroupsOf(run), (std::vector<uint32_t>{1, 1}));
}

TEST(RunRecord, HoldsNeitherOpenPlacesNorImportsThatFollow) {
  RunResult run;
  run.records = {EditAt("a.py", 1), EditAt("a.py", 2), EditAt("a.py", 3)};
  run.records[0].follows = true;
  run.records[1].applicability = Applicability::kDisplayOnly;
  const std::vector<RecordedFix> fixes = FixesOf(run);
  ASSERT_EQ(fixes.size(), 1U);
  EXPECT_EQ(fixes[0].record.start_line, 3U);
}

TEST(RunRecord, IsReadAsItWasWritten) {
  RunResult run;
  run.records = {EditAt("a.py", 1), EditAt("b\xFF.py", 2)};
  RunRecord record;
  record.version = "1";
  record.input = "../../project";
  record.shown_input = "project";
  record.shown_output = "out/project_msft";
  record.options.features = {"similar"};
  record.options.disabled = {".cuda"};
  record.policy = "torch = \"2.1\"\n";
  record.options.framework.reset();
  record.options.files.exclude = {"docs/"};
  record.options.user_rules = {{"r.json", "{}", false}};
  record.options.mark = true;
  record.options.language = Language::kChinese;
  record.originals = {{"a.py", "00"}};
  record.fixes = FixesOf(run);
  record.decisions[record.fixes[0].key()] = kReject;
  record.decisions[record.fixes[1].key()] = kAccept;
  record.earlier = {{}, {{record.fixes[1].key(), std::string(kReject)}}};
  const std::string text = record.ToJson();
  const Result<RunRecord> read = RunRecord::FromJson("x", text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ToJson(), text);
  EXPECT_EQ(read->decisions, record.decisions);
  EXPECT_EQ(read->earlier, record.earlier);
  EXPECT_EQ(read->fixes[1].record.file, "b\xFF.py");
  EXPECT_TRUE(read->options.mark);
  EXPECT_EQ(read->options.disabled, record.options.disabled);
  EXPECT_EQ(read->policy, record.policy);
}

TEST(RunRecord, OfAnyOtherTextIsRefused) {
  for (const char* text : {"", "{}", "[1]", "{\"format\":1}", "{\"format\":2,\"version\":3}"}) {
    const Result<RunRecord> read = RunRecord::FromJson("out/x.json", text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().where, "out/x.json");
  }
}

TEST(RunRecord, NamesTheWayFromTheResultToTheProject) {
  EXPECT_EQ(WayTo("/home/a/project", "/home/a/out/project_msft"), "../../project");
}

}  // namespace
}  // namespace transplt
