// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "generators/doctor.h"
#include "generators/generator_kind.h"
#include "wrong_configurations.h"

namespace transplt {

void PrintTo(const WrongConfiguration& row, std::ostream* out) { *out << row.title; }
void PrintTo(const WrongOptions& row, std::ostream* out) { *out << row.title; }

namespace {

class WrongConfigurations : public testing::TestWithParam<WrongConfiguration> {};

TEST_P(WrongConfigurations, GetOneMistakeThatNamesPlaceAndRemedy) {
  const WrongConfiguration& row = GetParam();
  SCOPED_TRACE(row.title);
  const auto diagnosis = DiagnoseJson(std::string(row.file), row.text, nullptr);
  ASSERT_TRUE(diagnosis) << diagnosis.error().what.en;
  ASSERT_EQ(diagnosis->mistakes.size(), 1u);
  const Error& mistake = diagnosis->mistakes.front();
  EXPECT_EQ(mistake.where, std::string(row.file) + ":" + std::string(row.where));
  EXPECT_EQ(mistake.what.en, row.what);
  EXPECT_FALSE(mistake.what.zh.empty());
  EXPECT_NE(mistake.what.zh, mistake.what.en);
}

INSTANTIATE_TEST_SUITE_P(All, WrongConfigurations, testing::ValuesIn(kWrongConfigurations));

class WrongGenerateOptions : public testing::TestWithParam<WrongOptions> {};

TEST_P(WrongGenerateOptions, GetOneMistakeThatNamesTheOptionAndNoText) {
  const WrongOptions& row = GetParam();
  SCOPED_TRACE(row.title);
  const GeneratorKind* kind = FindGeneratorKind(row.kind);
  ASSERT_NE(kind, nullptr);
  GivenOptions given(row.options.begin(), row.options.end());
  const auto generated = Generate(*kind, given);
  ASSERT_TRUE(generated) << generated.error().what.en;
  ASSERT_EQ(generated->mistakes.size(), 1u);
  EXPECT_EQ(generated->mistakes.front().where, row.where);
  EXPECT_EQ(generated->mistakes.front().what.en, row.what);
  EXPECT_NE(generated->mistakes.front().what.zh, row.what);
  EXPECT_TRUE(generated->files.empty());
}

INSTANTIATE_TEST_SUITE_P(All, WrongGenerateOptions, testing::ValuesIn(kWrongOptions));

TEST(WrongConfigurationTable, ShowsAtLeastFortyMistakesEachOnce) {
  std::set<std::string_view> texts;
  for (const WrongConfiguration& row : kWrongConfigurations) {
    EXPECT_TRUE(texts.insert(row.text).second) << row.title;
  }
  EXPECT_GE(texts.size(), 40u);
}

/// Files as newer versions of the vendor's tools, and other ways to use them, have them.
class RightConfigurations : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RightConfigurations, GetNoMistake) {
  const auto diagnosis = DiagnoseJson(GetParam().first, GetParam().second, nullptr);
  ASSERT_TRUE(diagnosis) << diagnosis.error().what.en;
  for (const Error& mistake : diagnosis->mistakes) {
    ADD_FAILURE() << mistake.where << ": " << mistake.what.en;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RightConfigurations,
    testing::Values(
        std::pair("acl.json", R"({"dump": {"dump_path": "o", "dump_debug": "on"}})"),
        std::pair("acl.json", R"({"dump": {"dump_path": "o", "dump_scene": "lite_exception"}})"),
        std::pair("acl.json", R"({"profiler": {"switch": "on"}, "dump": {"dump_path": "o",
            "dump_list": [{"model_name": "m", "layer": ["a"]}], "dump_mode": "output"}})"),
        std::pair("acl.json", R"({"dump": {"dump_path": "o", "dump_list": [{}],
            "dump_op_switch": "on", "dump_data": "tensor", "dump_step": "0|3-5|10"}})"),
        std::pair("data_dump.json", R"({"common_dump_settings": {"op_debug_mode": 0,
            "dump_mode": 0, "path": "/p", "net_name": "n", "iteration": "0|5-8|100-120",
            "saved_data": "tensor", "input_output": 0, "kernels": [], "support_device": [0],
            "statistic_category": ["max", "l2norm"]}})"),
        std::pair("data_dump.json", R"({"common_dump_settings": {"dump_mode": 2, "path": "/p",
            "net_name": "n", "iteration": "all", "input_output": 2, "kernels": [],
            "support_device": [0, 1]}, "e2e_dump_settings": {"enable": true,
            "trans_flag": true, "stat_calc_mode": "host"}})"),
        std::pair("config.json", R"({"task": "statistics", "dump_path": "./d", "rank": [],
            "step": [], "level": "L1", "seed": 1, "is_deterministic": false,
            "enable_dataloader": false, "acl_config": "",
            "tensor": {"scope": [], "list": [], "file_format": "npy", "backward_input": []},
            "overflow_check": {"overflow_nums": 1, "check_mode": "all"},
            "run_ut": {"white_list": []}})"),
        std::pair("config.json", R"({"dump_path": "/d", "rank": [1, "4-6"], "step": [0, "4-6"],
            "statistics": {"tensor_list": ["relu"], "summary_mode": ["max", "min"],
            "device": "device", "data_mode": ["forward", "input"]}})"),
        std::pair("config.json", R"({"task": "tensor", "dump_path": "/d", "step": [0],
            "async_dump": true, "tensor": {"list": ["relu"], "bench_path": "/b",
            "summary_mode": "md5", "diff_nums": 5}})")));

const GeneratorKind* KindOf(const std::string& file, std::string_view text) {
  const auto diagnosis = DiagnoseJson(file, text, nullptr);
  return diagnosis ? diagnosis->kind : nullptr;
}

TEST(Doctor, KnowsAKindByItsContentWhateverTheFileIsCalled) {
  EXPECT_EQ(KindOf("a.json", R"({"dump": {}})")->name, "dump-json");
  EXPECT_EQ(KindOf("a.json", R"({"common_dump_settings": {}})")->name, "mindspore-dump");
  EXPECT_EQ(KindOf("a.json", R"({"rdr": {}})")->name, "mindspore-rdr");
  EXPECT_EQ(KindOf("a.json", R"({"task": "tensor"})")->name, "msprobe-config");
}

TEST(Doctor, TellsTwoKindsOfTheSameContentByTheName) {
  EXPECT_EQ(KindOf("folder/acl.json", R"({"dump": {}})")->name, "acl-json");
  EXPECT_EQ(KindOf("folder/dump.json", R"({"dump": {}})")->name, "dump-json");
}

TEST(Doctor, KnowsAKindByTheNameWhereTheContentSaysNothing) {
  EXPECT_EQ(KindOf("x/data_dump.json", "{}")->name, "mindspore-dump");
}

TEST(Doctor, SaysThatItDoesNotKnowAKindAndWhatThereIs) {
  const auto diagnosis = DiagnoseJson("package.json", R"({"name": "x"})", nullptr);
  ASSERT_FALSE(diagnosis);
  EXPECT_EQ(diagnosis.error().what.en,
            "cannot tell what kind of configuration this is; give --kind: acl-json, dump-json, "
            "mindspore-dump, mindspore-rdr, msprobe-config, env");
}

TEST(Doctor, TakesNoScriptForBrokenJson) {
  EXPECT_FALSE(DiagnoseJson("train.py", "import torch\n", nullptr));
  EXPECT_TRUE(DiagnoseJson("x.json", "{\"dump\": ", nullptr));
  EXPECT_TRUE(DiagnoseJson("acl.json", "# comment\n{}", nullptr));
}

TEST(Doctor, ListsAllMistakesInTheOrderOfTheText) {
  const auto diagnosis = DiagnoseJson(
      "config.json", R"({"level": "L9", "dump_path": "./d", "step": 1, "tsk": "tensor"})", nullptr);
  ASSERT_TRUE(diagnosis);
  std::vector<std::string> places;
  for (const Error& mistake : diagnosis->mistakes) places.push_back(mistake.where);
  EXPECT_EQ(places, (std::vector<std::string>{"config.json:1:11: #/level",
                                              "config.json:1:45: #/step", "config.json:1:48: #"}));
}

TEST(Doctor, TellsNotesFromMistakes) {
  const auto diagnosis =
      DiagnoseJson("config.json", R"({"task": "tensor", "dump_path": "./d"})", nullptr);
  ASSERT_TRUE(diagnosis);
  EXPECT_TRUE(diagnosis->mistakes.empty());
  ASSERT_EQ(diagnosis->notes.size(), 1u);
}

TEST(Doctor, RefusesATextThatIsLongerThanAnyPath) {
  const std::string text =
      R"({"task": "tensor", "dump_path": ")" + std::string(5000000, 'a') + "\"}";
  const auto diagnosis = DiagnoseJson("config.json", text, nullptr);
  ASSERT_TRUE(diagnosis);
  ASSERT_EQ(diagnosis->mistakes.size(), 1u);
  EXPECT_EQ(diagnosis->mistakes[0].what.en, "has 5000000 bytes; 4096 are the limit");
}

std::vector<std::string> EnvironmentMistakes(const std::vector<EnvironmentSetting>& settings) {
  std::vector<std::string> mistakes;
  const auto diagnosis = DiagnoseEnvironment("env.sh", settings);
  if (!diagnosis) return {diagnosis.error().what.en};
  for (const Error& one : diagnosis->mistakes) mistakes.push_back(one.where + ": " + one.what.en);
  return mistakes;
}

TEST(EnvironmentDoctor, ChecksTheVariablesThatItKnows) {
  EXPECT_EQ(EnvironmentMistakes({{"TASK_QUEUE_ENABLE", "on", "env.sh:1:8"}}),
            (std::vector<std::string>{R"(env.sh:1:8: must be an integer, not "on")"}));
}

TEST(EnvironmentDoctor, LeavesOtherVariablesAlone) {
  EXPECT_EQ(EnvironmentMistakes({{"PATH", "/bin", "env.sh:1:8"},
                                 {"DATA_PATH", "/d", "env.sh:2:8"},
                                 {"LD_LIBRARY_PATH", "/l", "env.sh:3:8"}}),
            std::vector<std::string>());
}

TEST(EnvironmentDoctor, SeesAMisspeltVariable) {
  EXPECT_EQ(
      EnvironmentMistakes({{"GLOG_V", "1", "env.sh:1:8"}}),
      (std::vector<std::string>{"env.sh:1:8: unknown variable GLOG_V; did you mean GLOG_v?"}));
}

TEST(EnvironmentDoctor, TakesTheLastValueOfAVariable) {
  EXPECT_EQ(EnvironmentMistakes({{"GLOG_v", "9", "env.sh:1:8"}, {"GLOG_v", "1", "env.sh:2:8"}}),
            std::vector<std::string>());
}

TEST(EnvironmentDoctor, AddsNoVariableOfItsOwn) {
  // GLOG_log_dir alone is only noted: nothing says that logs go to files.
  EXPECT_EQ(EnvironmentMistakes({{"GLOG_log_dir", "/l", "env.sh:1:8"}}),
            std::vector<std::string>());
}

}  // namespace
}  // namespace transplt
