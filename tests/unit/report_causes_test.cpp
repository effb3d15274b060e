// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <set>

#include "report_fixture.h"
#include "transplt/report/causes.h"
#include "transplt/report/first_screen.h"

namespace transplt {
namespace {

using testing::ElementsAre;

ChangeRecord RecordOf(const std::string& cause, Severity severity, uint32_t line = 1) {
  ChangeRecord record = LeftOpen("a.py", line, Operation::kSuggestion);
  record.rule_id = record.cause = cause;
  record.severity = severity;
  return record;
}

std::vector<std::string> IdsOf(const std::vector<Cause>& causes) {
  std::vector<std::string> ids;
  for (const Cause& cause : causes) ids.push_back(cause.id);
  return ids;
}

TEST(Causes, StandInTheOrderOfTheirSeverity) {
  RunResult run;
  run.records = {
      RecordOf("note", Severity::kNote),       RecordOf("run", Severity::kStopsRun),
      RecordOf("effect", Severity::kNoEffect), RecordOf("import", Severity::kStopsImport),
      RecordOf("slow", Severity::kSlower),     RecordOf("wrong", Severity::kMayGoWrong)};
  EXPECT_THAT(IdsOf(CausesOf(run)),
              ElementsAre("import", "run", "wrong", "slow", "effect", "note"));
}

TEST(Causes, OfOneSeverityBeginWithTheOneOfMostPlaces) {
  RunResult run;
  run.records = {RecordOf("few", Severity::kStopsRun), RecordOf("many", Severity::kStopsRun, 2),
                 RecordOf("many", Severity::kStopsRun, 3)};
  EXPECT_THAT(IdsOf(CausesOf(run)), ElementsAre("many", "few"));
}

TEST(Causes, OfTestsAloneComeLast) {
  RunResult run;
  run.records = {RecordOf("in-tests", Severity::kStopsRun), RecordOf("slow", Severity::kSlower),
                 RecordOf("both", Severity::kStopsRun), RecordOf("both", Severity::kStopsRun)};
  run.records[0].file = run.records[2].file = "tests/test_a.py";
  const std::vector<Cause> causes = CausesOf(run);
  EXPECT_THAT(IdsOf(causes), ElementsAre("both", "slow", "in-tests"));
  EXPECT_FALSE(causes[0].is_in_tests);
  EXPECT_TRUE(causes[2].is_in_tests);
}

TEST(Causes, OfTestsAreThoseOfThePlacesOutsideWhereThereAreSome) {
  RunResult run;
  run.programs = {{.path = "train.py"}, {.path = "tests/test_a.py", .is_test = true}};
  run.records = {RecordOf("both", Severity::kStopsRun), RecordOf("both", Severity::kMayGoWrong, 2),
                 RecordOf("needed", Severity::kStopsRun), RecordOf("own", Severity::kStopsRun)};
  run.records[0].file = run.records[2].file = run.records[3].file = "tests/test_a.py";
  run.records[0].programs = run.records[3].programs = {1};
  run.records[2].programs = {0, 1};
  const std::vector<Cause> causes = CausesOf(run);
  EXPECT_THAT(IdsOf(causes), ElementsAre("needed", "both", "own"));
  EXPECT_FALSE(causes[0].is_in_tests);  // the training gets to it
  EXPECT_EQ(causes[1].severity, Severity::kMayGoWrong);
  EXPECT_EQ(causes[1].places.front()->start_line, 2u);
  EXPECT_EQ(causes[1].first_program, kNoProgram);
  EXPECT_TRUE(causes[2].is_in_tests);
}

TEST(Causes, OfTestsAloneAreUnusedBesideATraining) {
  RunResult run;
  run.programs = {{.path = "train.py", .trains = true}};
  run.records = {RecordOf("in-tests", Severity::kStopsRun), RecordOf("slow", Severity::kSlower)};
  run.records[0].file = "tests/test_a.py";
  EXPECT_TRUE(CausesOf(run)[1].is_unused);
  EXPECT_FALSE(CausesOf(run)[0].is_unused);
  run.programs[0].trains = false;
  EXPECT_FALSE(CausesOf(run)[1].is_unused);  // a project of tests alone is there for them
}

TEST(Causes, OfATrainingThatIsCalledLikeATestAreNone) {
  RunResult run;
  run.programs = {{.path = "test_all.py", .trains = true}};
  run.records = {RecordOf("x", Severity::kStopsRun)};
  run.records[0].file = "test_all.py";
  run.records[0].programs = {0};
  EXPECT_FALSE(CausesOf(run)[0].is_in_tests);
  run.programs[0] = {.path = "test_all.py", .is_test = true};
  EXPECT_TRUE(CausesOf(run)[0].is_in_tests);
}

TEST(Causes, OfAProgramThatIsOnlyCalledLikeATestAreNone) {
  RunResult run;
  run.programs = {{.path = "train.py"}, {.path = "test_all.py"}};
  run.records = {RecordOf("x", Severity::kStopsRun)};
  run.records[0].file = "test_all.py";
  run.records[0].programs = {1};
  EXPECT_FALSE(CausesOf(run)[0].is_in_tests);
}

TEST(Causes, ThatAreUnusedComeBehindAllOthersButTests) {
  RunResult run;
  run.programs = {{.path = "train.py", .trains = true}};
  run.records = {
      RecordOf("unused", Severity::kStopsRun),     RecordOf("unused", Severity::kStopsRun),
      RecordOf("install", Severity::kStopsImport), RecordOf("asked", Severity::kStopsRun),
      RecordOf("asked", Severity::kStopsRun),      RecordOf("seen", Severity::kStopsRun)};
  run.records[0].is_unused = run.records[3].is_unused = true;
  run.records[1].file = "kernel.cu";
  run.records[2].file = run.records[4].file = "requirements.txt";
  std::vector<Cause> causes = CausesOf(run);
  EXPECT_THAT(IdsOf(causes), ElementsAre("asked", "seen", "install", "unused"));
  EXPECT_FALSE(causes[0].is_unused);  // whoever installs the project meets it
  EXPECT_FALSE(causes[1].is_unused);
  EXPECT_TRUE(causes[3].is_unused);
  run.programs[0].trains = false;
  EXPECT_FALSE(CausesOf(run).back().is_unused);  // users of the project have the programs
}

TEST(Causes, ThatNobodyCanTellComeLastAmongEquals) {
  RunResult run;
  run.records = {RecordOf("unknown-package", Severity::kMayGoWrong),
                 RecordOf("unknown-package", Severity::kMayGoWrong, 2),
                 RecordOf("known", Severity::kMayGoWrong)};
  EXPECT_THAT(IdsOf(CausesOf(run)), ElementsAre("known", "unknown-package"));
}

TEST(Causes, OfOneSeverityBeginWithWhatTheFirstProgramsReach) {
  RunResult run;
  run.records = {RecordOf("none", Severity::kStopsRun, 1), RecordOf("none", Severity::kStopsRun, 2),
                 RecordOf("second", Severity::kStopsRun, 3),
                 RecordOf("first", Severity::kStopsRun, 4)};
  run.records[2].programs = {1, 2};
  run.records[3].programs = {0};
  const std::vector<Cause> causes = CausesOf(run);
  EXPECT_THAT(IdsOf(causes), ElementsAre("first", "second", "none"));
  EXPECT_EQ(causes[1].first_program, 1u);
  EXPECT_EQ(causes[2].first_program, kNoProgram);
}

TEST(Causes, ThatNoProgramReachesComeBehindWhatMayGoWrongInOne) {
  RunResult run;
  run.programs.emplace_back();
  run.records = {RecordOf("unreached", Severity::kStopsRun, 1),
                 RecordOf("reached", Severity::kMayGoWrong, 2),
                 RecordOf("setting", Severity::kStopsRun, 3)};
  run.records[1].programs = {0};
  run.records[2].file = "Dockerfile";
  const std::vector<Cause> causes = CausesOf(run);
  EXPECT_THAT(IdsOf(causes), ElementsAre("setting", "reached", "unreached"));
  EXPECT_TRUE(causes[2].is_unreached);
  EXPECT_FALSE(causes[0].is_unreached);
}

TEST(Causes, BeginWithThePlaceThatTheFirstProgramReaches) {
  RunResult run;
  run.records = {RecordOf("x", Severity::kStopsRun, 1), RecordOf("x", Severity::kStopsRun, 2),
                 RecordOf("x", Severity::kStopsRun, 3)};
  run.records[1].programs = {4};
  run.records[2].programs = {0, 4};
  const std::vector<Cause> causes = CausesOf(run);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].places[0]->start_line, 3u);
  EXPECT_EQ(causes[0].places[1]->start_line, 2u);
}

TEST(Causes, BeginWithAPlaceThatSaysWhatTheyAre) {
  RunResult run;
  run.records = {RecordOf("cuda-extension:ext", Severity::kStopsRun, 1),
                 RecordOf("cuda-extension:ext", Severity::kStopsRun, 2)};
  run.records[0].programs = {0};
  run.records[0].message = {"this protects ext (line 3)", "此处保护 ext"};
  run.records[1].programs = {1};
  run.records[1].message = {"ext: own CUDA extension", "ext: 自有 CUDA 扩展"};
  const std::vector<Cause> causes = CausesOf(run);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].places[0]->start_line, 2u);
  EXPECT_EQ(causes[0].first_program, 0u);
}

TEST(Causes, HaveTheWorstSeverityOfTheirPlacesAndThatPlaceFirst) {
  RunResult run;
  run.records = {RecordOf("x", Severity::kNote, 1), RecordOf("x", Severity::kStopsRun, 9)};
  const std::vector<Cause> causes = CausesOf(run);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].severity, Severity::kStopsRun);
  EXPECT_EQ(causes[0].places.front()->start_line, 9u);
  EXPECT_EQ(causes[0].places.size(), 1u);  // the other one asks for nothing
}

TEST(Causes, AreAsGraveAsThePlacesThatProgramsReach) {
  RunResult run;
  run.programs.emplace_back();
  run.records = {RecordOf("x", Severity::kStopsImport, 1), RecordOf("x", Severity::kStopsRun, 2),
                 RecordOf("y", Severity::kStopsRun, 3), RecordOf("y", Severity::kNote, 4)};
  run.records[1].programs = {0};
  run.records[3].programs = {0};
  const std::vector<Cause> causes = CausesOf(run);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].severity, Severity::kStopsRun);
  EXPECT_EQ(causes[0].places[0]->start_line, 2u);
  EXPECT_EQ(causes[1].severity, Severity::kStopsRun);  // what is reached asks for nothing
  EXPECT_EQ(causes[1].places[0]->start_line, 3u);
}

TEST(Causes, LeaveEditsOut) {
  RunResult run;
  run.records = {Edited("a.py", 3)};
  EXPECT_TRUE(CausesOf(run).empty());
}

TEST(Causes, OfTheTableSayItsReasonAndRemedy) {
  RunResult run;
  run.records = {RecordOf("data-parallel", Severity::kStopsRun)};
  const std::vector<Cause> causes = CausesOf(run);
  EXPECT_THAT(causes[0].reason.en, testing::HasSubstr("DataParallel"));
  EXPECT_THAT(causes[0].remedy.en, testing::HasSubstr("one process per NPU"));
}

TEST(Causes, NameWhatAnImportBringsAndNotItsStatement) {
  RunResult run;
  run.records = {RecordOf("unsupported-api", Severity::kMayGoWrong)};
  run.records[0].message.en = "torch.nn.parallel.gather: the documentation calls it unsupported";
  run.records[0].before = "from torch.nn.parallel import gather";
  EXPECT_THAT(CausesOf(run)[0].names, ElementsAre("torch.nn.parallel.gather"));
}

TEST(Causes, OfOneRuleSayWhatItsFirstPlaceSays) {
  RunResult run;
  run.records = {RecordOf("torch.cuda.jiterator", Severity::kStopsRun)};
  EXPECT_EQ(CausesOf(run)[0].reason.en, "no counterpart on the NPU");
}

TEST(Causes, WhosePlacesSayDifferentThingsTellAllOfThem) {
  RunResult run;
  run.records = {RecordOf("own.rule", Severity::kStopsRun, 1),
                 RecordOf("own.rule", Severity::kStopsRun, 2),
                 RecordOf("own.rule", Severity::kStopsRun, 3)};
  run.records[0].message = {"x: install it (where it is built)", "x: 请安装 (编译时)"};
  run.records[1].message = {"x: install it", "x: 请安装"};
  run.records[2].message = {"y: leave it out", "y: 请去掉"};
  const std::vector<Cause> causes = CausesOf(run);
  EXPECT_EQ(causes[0].reason.en, "x: install it");
  EXPECT_TRUE(causes[0].says_at_places);
  const std::string next = NextSteps(run, Language::kEnglish);
  EXPECT_THAT(next, testing::HasSubstr(":1: ... (where it is built)\n"));
  EXPECT_THAT(next, testing::HasSubstr(":3: y: leave it out\n"));
}

TEST(Causes, WhosePlacesAreAboutDifferentThingsNameNoneOfThem) {
  RunResult run;
  run.records = {RecordOf("complex", Severity::kStopsRun),
                 RecordOf("complex", Severity::kStopsRun)};
  run.records[0].message = {"x: no complex numbers: split them", "x: 不支持复数: 请拆分"};
  run.records[1].message = {"y: no complex numbers: split them", "y: 不支持复数: 请拆分"};
  EXPECT_EQ(CausesOf(run)[0].reason.en, "no complex numbers: split them");
  EXPECT_EQ(CausesOf(run)[0].reason.zh, "不支持复数: 请拆分");
}

TEST(Causes, WhosePlacesAreAboutOneLibraryNameTheFewThingsOrTheLibrary) {
  RunResult run;
  for (const char* name : {"lib.a", "lib.b.c"}) {
    run.records.push_back(RecordOf("lib", Severity::kStopsRun));
    run.records.back().message.en = std::string(name) + ": is for CUDA";
  }
  EXPECT_EQ(CausesOf(run)[0].reason.en, "lib.a, lib.b.c: is for CUDA");
  run.records[0].message.en = "cell 1, line 2: lib.b.c: is for CUDA";
  EXPECT_EQ(CausesOf(run)[0].reason.en, "lib.b.c: is for CUDA");
  for (const char* name : {"lib.d", "lib.e"}) {
    run.records.push_back(RecordOf("lib", Severity::kStopsRun));
    run.records.back().message.en = std::string(name) + ": is for CUDA";
  }
  run.records[0].message.en = "lib.a: is for CUDA";
  EXPECT_EQ(CausesOf(run)[0].reason.en, "lib: is for CUDA");
}

TEST(Causes, ThatLeadToTheirPlacesSayWhatAllOfThemSay) {
  RunResult run;
  run.records = {RecordOf("pytorch_lightning.2", Severity::kStopsRun)};
  run.records[0].message = {"Trainer(gpus): write devices", "Trainer(gpus): 请写 devices"};
  EXPECT_EQ(CausesOf(run)[0].reason.en, "Trainer(gpus): write devices");
  EXPECT_TRUE(CausesOf(run)[0].remedy.en.empty());
  run.records.push_back(RecordOf("pytorch_lightning.2", Severity::kStopsRun));
  run.records[1].message = {"TPUSpawn: write XLAStrategy", "TPUSpawn: 请写 XLAStrategy"};
  EXPECT_FALSE(CausesOf(run)[0].remedy.en.empty());
}

TEST(Causes, OnTheMachineStandBehindWhatIsToBeDoneInTheCode) {
  RunResult run;
  run.records = {RecordOf("install", Severity::kStopsImport),
                 RecordOf("effect", Severity::kNoEffect), RecordOf("slow", Severity::kSlower)};
  EXPECT_THAT(IdsOf(CausesOf(run)), ElementsAre("slow", "install", "effect"));
}

TEST(Causes, OfTheTableAreThereOnceAndHaveBothLanguages) {
  std::set<std::string> ids;
  for (const KnownCause& cause : KnownCauses()) {
    EXPECT_TRUE(ids.insert(cause.id).second) << cause.id;
    EXPECT_NE(cause.reason.en, cause.reason.zh) << cause.id;
    EXPECT_NE(cause.remedy.en, cause.remedy.zh) << cause.id;
  }
}

}  // namespace
}  // namespace transplt
