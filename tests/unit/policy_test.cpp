// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/policy.h"

#include <gmock/gmock.h>

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "transplt.toml:2: unknown key ...": what is wrong with a text.
std::string MistakeIn(std::string_view text) {
  const Result<Policy> policy = ParsePolicy(text);
  return policy ? "" : policy.error().where + ": " + policy.error().what.en;
}

TEST(Policy, IsEmptyForAnEmptyFile) {
  const Result<Policy> policy = ParsePolicy("");
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->disabled.empty() && policy->causes.empty() && policy->torch.empty());
}

TEST(Policy, ReadsEverythingThatAPersonMayDecide) {
  const Result<Policy> policy = ParsePolicy(
      "torch = \"2.1\"\ntorch_npu = \"7.2.0\"\nprograms = [\"train.py\", \"eval.py\"]\n"
      "[[rules]]\nid = \"torch.version.cuda\"\noff = true\nreason = \"only printed\"\n"
      "[[causes]]\nid = \"data-parallel\"\nseverity = \"note\"\nreason = \"only in the demo\"\n");
  ASSERT_TRUE(policy) << policy.error().what.en;
  EXPECT_EQ(policy->torch, "2.1");
  EXPECT_EQ(policy->torch_npu, "7.2.0");
  EXPECT_THAT(policy->programs, ElementsAre("train.py", "eval.py"));
  EXPECT_THAT(policy->disabled, ElementsAre("torch.version.cuda"));
  ASSERT_EQ(policy->causes.size(), 1u);
  EXPECT_EQ(policy->causes[0].id, "data-parallel");
  EXPECT_EQ(policy->causes[0].severity, Severity::kNote);
  EXPECT_EQ(policy->causes[0].reason, "only in the demo");
  EXPECT_EQ(policy->causes[0].line, 9u);
}

TEST(Policy, NamesTheLineOfEachMistake) {
  EXPECT_THAT(MistakeIn("torch = "), HasSubstr("transplt.toml:1: "));
  EXPECT_EQ(MistakeIn("\ntorhc = \"2.1\"\n"),
            "transplt.toml:2: unknown key \"torhc\"; did you mean \"torch\"?");
  EXPECT_EQ(MistakeIn("torch = 2.1\n"), "transplt.toml:1: \"torch\" must be a text in quotes");
  EXPECT_THAT(MistakeIn("programs = \"train.py\"\n"), HasSubstr("must be a list of paths"));
  EXPECT_THAT(MistakeIn("[rules]\nid = \"x\"\n"), HasSubstr("write [[rules]] above each entry"));
  EXPECT_THAT(MistakeIn("[[causes]]\nid = \"x\"\nseverity = \"notes\"\nreason = \"y\"\n"),
              HasSubstr("transplt.toml:2: unknown severity \"notes\"; did you mean \"note\"?"));
}

TEST(Policy, ReadsEditsThatAreNotMade) {
  const Result<Policy> policy = ParsePolicy(
      "[[edits]]\nfile = \"a/\"\nrule = \"r\"\ncause = \"c\"\nline = \" x = 1 \"\n"
      "reason = \"y\"\n");
  ASSERT_TRUE(policy) << policy.error().what.en;
  ChangeRecord record;
  record.file = "a/b.py";
  record.rule_id = "r";
  record.cause = "c";
  record.source_line = "\tx = 1";
  EXPECT_TRUE(policy->edits.at(0).Cover(record));
  for (std::string ChangeRecord::*field : {&ChangeRecord::file, &ChangeRecord::rule_id,
                                           &ChangeRecord::cause, &ChangeRecord::source_line}) {
    ChangeRecord other = record;
    other.*field += "x";
    EXPECT_EQ(policy->edits.at(0).Cover(other), field == &ChangeRecord::file);
  }
  record.file = "ab.py";
  EXPECT_FALSE(policy->edits.at(0).Cover(record));
}

TEST(Policy, WantsToKnowWhichEdits) {
  EXPECT_EQ(MistakeIn("[[edits]]\nline = \"x\"\nreason = \"y\"\n"),
            "transplt.toml:2: say which edits: give file, rule or cause");
  EXPECT_EQ(MistakeIn("[[edits]]\nrule = \"x\"\n"), "transplt.toml:2: \"reason\" is missing here");
}

TEST(Policy, WantsAReasonForEachDecision) {
  EXPECT_EQ(MistakeIn("[[rules]]\nid = \"x\"\noff = true\n"),
            "transplt.toml:2: \"reason\" is missing here");
  EXPECT_EQ(MistakeIn("[[causes]]\nid = \"x\"\nseverity = \"note\"\n"),
            "transplt.toml:2: \"reason\" is missing here");
}

TEST(Policy, DoesNotTakeARuleThatIsNotSwitchedOff) {
  EXPECT_THAT(MistakeIn("[[rules]]\nid = \"x\"\nreason = \"y\"\n"), HasSubstr("write off = true"));
}

RunResult RunWith(const std::string& cause) {
  ChangeRecord record;
  record.cause = cause;
  record.severity = Severity::kStopsRun;
  record.applicability = Applicability::kDisplayOnly;
  record.message = {"what it is", "内容"};
  RunResult run;
  run.records = {record};
  return run;
}

TEST(Policy, GivesACauseItsSeverityAndSaysWhoDecided) {
  Policy policy;
  policy.causes = {{"x", Severity::kNote, "not used", 3}};
  RunResult run = RunWith("x");
  EXPECT_TRUE(ApplyPolicy(policy, run).empty());
  EXPECT_EQ(run.records[0].severity, Severity::kNote);
  EXPECT_EQ(run.records[0].message.en, "what it is (transplt.toml:3: not used)");
}

TEST(Policy, TellsOfDecisionsAboutNothing) {
  Policy policy;
  policy.causes = {{"gone", Severity::kNote, "not used", 3}};
  RunResult run = RunWith("x");
  const std::vector<Text> stale = ApplyPolicy(policy, run);
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_THAT(stale[0].en,
              HasSubstr("transplt.toml:3: nothing in this run has the cause \"gone\""));
  EXPECT_EQ(run.records[0].severity, Severity::kStopsRun);
}

}  // namespace
}  // namespace transplt
