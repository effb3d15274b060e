// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "builtin_rules.h"
#include "transplt/engine/engine.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/removed_names.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {
namespace {

class RuleExamples : public testing::TestWithParam<BuiltinExample> {};

bool Reports(const MigratedText& migrated, const std::string& rule_id) {
  return std::any_of(migrated.records.begin(), migrated.records.end(),
                     [&](const ChangeRecord& record) { return record.rule_id == rule_id; });
}

TEST_P(RuleExamples, MigrateAsTheyAreWrittenAndAreDoneAfterOneRun) {
  const BuiltinExample& example = GetParam();
  ASSERT_FALSE(example.torch_version.empty()) << "no version of PyTorch runs this rule";
  const MigratedText first = Migrate(example.before, example.torch_version, example.target,
                                     example.feature, example.old_library);
  EXPECT_NE(first.outcome.status, FileOutcome::Status::kFailed) << first.outcome.reason.en;
  EXPECT_EQ(first.text, example.after);
  for (const ChangeRecord& record : first.records) {
    EXPECT_EQ(record.message.en.find("conflicts with rule"), std::string::npos)
        << record.rule_id << ": " << record.message.en;
  }
  const MigratedText second = Migrate(example.after, example.torch_version, example.target,
                                      example.feature, example.old_library);
  EXPECT_EQ(second.text, example.after) << "the second run";
}

// An example of a rule that edits says something only if this very rule has made the edit; one of
// a rule that reports only if the first example is reported and the last one is not.
TEST_P(RuleExamples, AreDecidedByTheirOwnRule) {
  const BuiltinExample& example = GetParam();
  ASSERT_FALSE(example.torch_version.empty());
  const MigratedText migrated = Migrate(example.before, example.torch_version, example.target,
                                        example.feature, example.old_library);
  const bool reports_only = example.kind.ends_with("ReportRule");
  if (example.kind == "AfterNpuImportRule") return;  // writes, but finds nothing itself
  if (example.index == 0) {
    EXPECT_TRUE(Reports(migrated, example.rule_id));
  } else if (reports_only && example.is_last) {
    EXPECT_FALSE(Reports(migrated, example.rule_id));
  }
}

// Whatever a rule is for: with the other target nothing of the NPU comes into a file, and one run
// is enough.
TEST_P(RuleExamples, GiveNothingOfTheNpuForAnyAccelerator) {
  const BuiltinExample& example = GetParam();
  const MigratedText first = Migrate(example.before, kTorchVersions[0], "agnostic");
  EXPECT_NE(first.outcome.status, FileOutcome::Status::kFailed) << first.outcome.reason.en;
  const bool was_there = example.before.find("npu") != std::string::npos;
  EXPECT_TRUE(was_there || first.text.find("npu") == std::string::npos) << first.text;
  EXPECT_EQ(Migrate(first.text, kTorchVersions[0], "agnostic").text, first.text)
      << "the second run";
  for (const ChangeRecord& record : first.records) {
    EXPECT_EQ(record.message.en.find("conflicts with rule"), std::string::npos)
        << record.rule_id << ": " << record.message.en;
  }
}

std::string NameOf(const testing::TestParamInfo<BuiltinExample>& param) {
  std::string name =
      param.param.kind + "_" + param.param.rule_id + "_" + std::to_string(param.param.index);
  for (char& c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word) c = '_';
  }
  return name + "_" + std::to_string(param.index);
}

// The examples of a rule show one of the names of a package.
TEST(BuiltinRules, ReportEachRemovedNameWhereItIsImported) {
  std::map<std::string_view, std::vector<RemovedName>> by_library;
  for (const RemovedName& removed : RemovedNames()) by_library[removed.library].push_back(removed);
  for (const auto& [library, names] : by_library) {
    std::string program;
    for (const RemovedName& removed : names) {
      const std::string name(removed.api());
      const size_t dot = name.rfind('.');
      const std::string alias = fmt::format("f{}", program.size());
      program +=
          fmt::format("from {} import {} as {}", name.substr(0, dot), name.substr(dot + 1), alias);
      if (!removed.argument().empty())
        program += fmt::format("; {}({}=1)", alias, removed.argument());
      program += "\n";
    }
    const MigratedText migrated = Migrate(program, kTorchVersions[0], DefaultTarget().name);
    EXPECT_EQ(migrated.text, program);
    std::set<size_t> reported;
    for (const ChangeRecord& record : migrated.records) {
      if (record.rule_id == std::string(library) + "-removed") reported.insert(record.start_line);
    }
    for (size_t i = 0; i < names.size(); ++i)
      EXPECT_TRUE(reported.contains(i + 1)) << names[i].name;
  }
}

TEST(RemovedNames, AreInOrderAndSinceReleases) {
  const std::vector<RemovedName>& names = RemovedNames();
  ASSERT_FALSE(names.empty());
  EXPECT_TRUE(std::ranges::is_sorted(names, {}, &RemovedName::name));
  for (const RemovedName& removed : names) {
    EXPECT_TRUE(ParseVersion(removed.since)) << removed.name;
    EXPECT_NE(removed.name, removed.instead);
  }
}

TEST(RemovedNames, AreThereInOlderReleases) {
  EXPECT_EQ(FindRemovedName("timm.data.create_parser", *ParseVersion("0.6.13")), nullptr);
  EXPECT_NE(FindRemovedName("timm.data.create_parser", *ParseVersion("0.9")), nullptr);
  EXPECT_EQ(FindRemovedName("timm.data.create_transform", kNewestVersion), nullptr);
}

TEST(BuiltinRules, AreOfKindsThatAreListedOnce) {
  std::set<std::string_view> names;
  for (const RuleKind& kind : RuleKinds()) EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
}

// A rule that asks for no more than what every program of torch says has each of them parsed.
TEST(BuiltinRules, PassOverAProgramThatSaysNothingOfDevices) {
  const Result<RuleSet> rules = LoadRules({}, true, {});
  ASSERT_TRUE(rules) << rules.error().what.en;
  const Engine engine(*rules);
  const std::string_view program =
      "import os\nimport sys\nimport numpy as np\nimport torch\nfrom torch import nn\n\n\n"
      "class Net(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"
      "        self.layer = nn.Linear(size, size)\n\n    def forward(self, x):\n"
      "        for i in range(len(x)):\n            x = torch.cat((x, self.layer(x)), dim=1)\n"
      "        return x\n\n\nif __name__ == '__main__':\n    print(Net(3), os.name, sys.path)\n";
  EXPECT_FALSE(engine.Scan(program, nullptr).any_rule());
  EXPECT_TRUE(engine.Scan("import horovod.torch as hvd\n", nullptr).any_rule());
}

INSTANTIATE_TEST_SUITE_P(Builtin, RuleExamples, testing::ValuesIn(BuiltinExamples()), NameOf);

}  // namespace
}  // namespace transplt
