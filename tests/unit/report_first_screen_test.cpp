// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report_fixture.h"
#include "transplt/report/first_screen.h"

namespace transplt {
namespace {

using testing::HasSubstr;
using testing::Not;

ChangeRecord ReasonedRecord(const std::string& cause, Severity severity, uint32_t line = 1) {
  ChangeRecord record = LeftOpen("a.py", line, Operation::kSuggestion);
  record.rule_id = record.cause = cause;
  record.severity = severity;
  record.message = {cause + ": reason", cause + ": 原因"};
  return record;
}

std::string Screen(const RunResult& run) { return FirstScreen(run, Language::kEnglish); }

size_t LinesOf(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(FirstScreen, HasAtMostTwentyFiveLinesWhateverTheProject) {
  RunResult run = SampleRun();
  run.programs.assign(9, {.path = "train.py"});
  for (int i = 0; i < 300; ++i) {
    run.records.push_back(ReasonedRecord("cause" + std::to_string(i), Severity::kStopsRun));
    run.records.push_back(ReasonedRecord("quiet" + std::to_string(i), Severity::kNoEffect));
  }
  const std::string screen = Screen(run);
  EXPECT_EQ(LinesOf(screen), 25u) << screen;
  EXPECT_THAT(screen, HasSubstr(" more: NEXT.md\n"));
}

TEST(FirstScreen, HasAtMostTwentyFiveLinesHoweverManyNotesThereAre) {
  RunResult run = SampleRun();
  run.programs.assign(9, {.path = "train.py"});
  for (int i = 0; i < 300; ++i) {
    run.records.push_back(ReasonedRecord("cause" + std::to_string(i), Severity::kStopsRun));
  }
  run.notes.assign(40, Text{"a note", "一条"});
  const std::string screen = FirstScreen(run, Language::kEnglish);
  EXPECT_EQ(LinesOf(screen), 25u) << screen;
  EXPECT_THAT(screen, HasSubstr("\nNote: a note\n... and 36 more notes: --list all\n"));
  EXPECT_THAT(screen, HasSubstr("\n  1 stops run | "));
}

TEST(FirstScreen, TellsANoteWholeInItsLanguage) {
  RunResult run = SampleRun();
  run.notes = {Text{std::string(300, 'n'), "说明"}};
  EXPECT_THAT(Screen(run), HasSubstr("\nNote: " + std::string(300, 'n') + "\n"));
  EXPECT_THAT(FirstScreen(run, Language::kChinese), HasSubstr("\n注意: 说明\n"));
}

TEST(NextSteps, HoldTheNotesOfTheFirstScreen) {
  RunResult run = SampleRun();
  run.notes.assign(7, Text{"what was left out", "未包含"});
  const std::string next = NextSteps(run, Language::kEnglish);
  EXPECT_THAT(next, HasSubstr("\n- Note: what was left out\n"));
  EXPECT_THAT(next, Not(HasSubstr("more notes")));
  EXPECT_THAT(NextSteps(run, Language::kChinese), HasSubstr("\n- 注意: 未包含\n"));
}

TEST(FirstScreen, NamesTheTensorflowOfProgramsBesideThoseOfTorch) {
  RunResult run = SampleRun();
  run.programs = {{.path = "tf/train.py", .framework = "tensorflow"},
                  {.path = "train.py", .framework = "pytorch"},
                  {.path = "tf/test.py", .framework = "tensorflow"}};
  run.torch_npu = "26.1.0";
  run.tensorflow = {{"1.15.0", "3.7", "npu_bridge", {"tf/train.py", "tf/test.py"}}};
  EXPECT_THAT(Screen(run), HasSubstr(", TensorFlow 1.15.0 for 2 programs (Python 3.7); assumed"));
  EXPECT_THAT(Screen(run), HasSubstr("\n  tf/train.py (+1): nothing was found that stops it\n"
                                     "  train.py: nothing was found that stops it\n"));
  EXPECT_THAT(NextSteps(run, Language::kEnglish),
              HasSubstr("\nFor tf/train.py (+1), an environment of its own: Python 3.7, TensorFlow "
                        "1.15.0, and the TF Adapter (npu_bridge) of the CANN"));
  EXPECT_THAT(NextSteps(run, Language::kEnglish), HasSubstr(" -- train.py ARGUMENTS\n"));
}

TEST(FirstScreen, ProposesToVerifyAProgramThatMayRun) {
  RunResult run = SampleRun();
  run.programs = {{.path = "stops.py", .verdict = ProgramOutcome::Verdict::kStops},
                  {.path = "train.py"},
                  {.path = "test.py"}};
  EXPECT_THAT(NextSteps(run, Language::kEnglish), HasSubstr(" -- train.py ARGUMENTS\n"));
}

TEST(NextSteps, NameThePythonsOfTheTorchAndWhatPipChoosesForAnOldOne) {
  RunResult run = SampleRun();
  run.torch_npu = "5.0.rc2";
  run.pythons = "3.7-3.9";
  run.loose_requirements = {"timm", "einops"};
  std::string next = NextSteps(run, Language::kEnglish);
  EXPECT_THAT(next, HasSubstr("with Python 3.7-3.9, for which this torch exists: install torch"));
  EXPECT_THAT(next, Not(HasSubstr("timm")));
  run.torch_published = "2021-03";
  next = NextSteps(run, Language::kEnglish);
  EXPECT_THAT(next, HasSubstr("without a version (timm, einops), which may not know this torch of "
                              "2021-03"));
}

TEST(FirstScreen, CountsThePlacesOfACauseInOneLine) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsRun, 7),
                 ReasonedRecord("x", Severity::kStopsRun, 9)};
  EXPECT_THAT(Screen(run), HasSubstr("\n  1 stops run | a.py:7 (+1) | x: reason\n"));
}

/// A cause whose line is too long for one: what to do stands behind many words.
ChangeRecord LongRecord(const std::string& cause, Severity severity) {
  ChangeRecord record = ReasonedRecord(cause, severity);
  std::string words;
  for (int i = 0; i < 30; ++i) words += "words ";
  record.message = {cause + ": " + words + "and do " + cause, cause};
  return record;
}

TEST(FirstScreen, TellsWhatToDoAboutACauseInASecondLineWhereThereIsRoom) {
  RunResult run = SampleRun();
  run.records = {LongRecord("first", Severity::kStopsRun),
                 LongRecord("second", Severity::kMayGoWrong)};
  EXPECT_THAT(Screen(run), HasSubstr("and do first\n"));
  EXPECT_THAT(Screen(run), HasSubstr("and do second\n"));
}

TEST(FirstScreen, TellsWhatToDoAboutWhatStopsBeforeItTellsAllOthers) {
  RunResult run = SampleRun();
  run.records = {LongRecord("first", Severity::kStopsRun),
                 LongRecord("second", Severity::kStopsRun)};
  for (int i = 0; i < 30; ++i) {
    run.records.push_back(LongRecord("other" + std::to_string(i), Severity::kMayGoWrong));
  }
  const std::string screen = Screen(run);
  EXPECT_THAT(screen, HasSubstr("and do first\n"));
  EXPECT_THAT(screen, HasSubstr("and do second\n"));
  EXPECT_THAT(screen, HasSubstr("| a.py:1 | other0: "));
  EXPECT_THAT(screen, Not(HasSubstr("and do other0\n")));
  EXPECT_EQ(LinesOf(screen), 25u) << screen;
}

TEST(FirstScreen, NamesTheFirstApisThatAreUnsupported) {
  RunResult run = SampleRun();
  for (const char* name :
       {"nn.MaxPool1d", "torch.nn.MaxPool1d", "nn.GLU", "x.mode", "x.ger", "x.eig"}) {
    run.records.push_back(ReasonedRecord("unsupported-api", Severity::kMayGoWrong));
    run.records.back().before = name;
  }
  EXPECT_THAT(Screen(run), HasSubstr(" unsupported (nn.MaxPool1d, nn.GLU, x.mode and 2 more): "));
  EXPECT_THAT(NextSteps(run, Language::kChinese),
              HasSubstr(" (nn.MaxPool1d, nn.GLU, x.mode 等另 2 个): "));
}

TEST(FirstScreen, SaysThatNothingWasWrittenAndHowToWrite) {
  RunResult run = SampleRun();
  run.output = "";
  EXPECT_THAT(Screen(run), HasSubstr("NOTHING WAS WRITTEN"));
  EXPECT_THAT(Screen(run), HasSubstr("\n  transplt migrate proj -o OUT\n"));
}

TEST(FirstScreen, ProposesNoCopyWhereNothingWouldChange) {
  RunResult run = SampleRun();
  run.output = "";
  std::erase_if(run.files, [](const FileOutcome& file) {
    return file.status == FileOutcome::Status::kMigrated;
  });
  EXPECT_THAT(Screen(run), HasSubstr("NOTHING WAS WRITTEN: no file would change\n"));
  EXPECT_THAT(Screen(run), Not(HasSubstr("-o ")));
}

TEST(FirstScreen, TellsOfAProjectChangedInPlaceHowToPutItBack) {
  RunResult run = SampleRun();
  run.output = "";
  run.in_place = true;
  EXPECT_THAT(Screen(run), HasSubstr("transplt migrate proj --undo"));
  EXPECT_THAT(Screen(run), Not(HasSubstr("NOTHING WAS WRITTEN")));
}

TEST(FirstScreen, NamesTheEditsThatAreNotSafe) {
  RunResult run = SampleRun();
  run.records[0].applicability = Applicability::kUnsafe;
  EXPECT_THAT(Screen(run), HasSubstr("; 1 to look at, whose object or role is not in the text: "
                                     "a.py:3\n"));
}

TEST(FirstScreen, TellsWhatWasNotLookedAt) {
  EXPECT_THAT(Screen(SampleRun()), HasSubstr("\nNot looked at: 1 files skipped, 1 failed, "));
}

TEST(FirstScreen, FoldsWhatAsksForNothingIntoOneLine) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("tf32", Severity::kNoEffect),
                 ReasonedRecord("known", Severity::kNote)};
  EXPECT_THAT(Screen(run), HasSubstr("\nNothing to do: tf32 (1), known (1)\n"));
  EXPECT_THAT(Screen(run), HasSubstr("\nNothing is left for a person\n"));
}

TEST(FirstScreen, SaysThatNothingWasThereToLookAt) {
  RunResult run = SampleRun();
  run.records.clear();
  run.programs.clear();
  run.files.resize(1);
  run.files[0].status = FileOutcome::Status::kCopied;
  EXPECT_THAT(Screen(run), HasSubstr("\nNothing was looked at: no file here is Python"));
  EXPECT_THAT(Screen(run), Not(HasSubstr("transplt verify")));
}

TEST(FirstScreen, SaysByNumberWhatStopsAProgram) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsImport),
                 ReasonedRecord("y", Severity::kStopsRun)};
  run.programs = {{.path = "train.py",
                   .trains = true,
                   .verdict = ProgramOutcome::Verdict::kStops,
                   .causes = {"x"}},
                  {.path = "test.py"}};
  EXPECT_THAT(Screen(run), HasSubstr("\n  train.py: will not run before this is done: item 1\n"
                                     "  test.py: nothing was found that stops it\n"));
}

TEST(FirstScreen, SaysOnceWhatHoldsForSeveralPrograms) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsImport)};
  for (const char* path : {"a.py", "b.py", "c.py", "d.py"}) {
    run.programs.push_back(
        {.path = path, .verdict = ProgramOutcome::Verdict::kStops, .causes = {"x"}});
  }
  run.programs.insert(run.programs.begin() + 1, {.path = "other.py"});
  EXPECT_THAT(Screen(run),
              HasSubstr("\nPrograms\n  a.py (+3): will not run before this is done: item 1\n"
                        "  other.py: nothing was found that stops it\nFor you"));
  EXPECT_THAT(NextSteps(run, Language::kEnglish),
              HasSubstr("\n- 4 programs: will not run before this is done: item 1\n"
                        "  `a.py b.py c.py d.py`\n"
                        "- other.py: nothing was found that stops it\n"));
}

TEST(FirstScreen, QuotesPathsInItsCommands) {
  RunResult run = SampleRun();
  run.input = "my project's";
  run.output = "";
  EXPECT_THAT(Screen(run), HasSubstr("transplt migrate 'my project'\\''s' -o OUT\n"));
}

TEST(FirstScreen, NamesTheFirstProgramAsVerifyTakesIt) {
  RunResult run = SampleRun();
  run.output = "out";
  const auto command = [&](ProgramOutcome program) {
    run.programs = {std::move(program)};
    return Screen(run);
  };
  EXPECT_THAT(command({.path = "src/main.py"}), HasSubstr(" out -- src/main.py ARGUMENTS\n"));
  EXPECT_THAT(command({.path = "src/main.py", .module = "src.main"}),
              HasSubstr(" out -- -m src.main ARGUMENTS\n"));
  EXPECT_THAT(command({.path = "a b/main.py", .working_folder = "a b"}),
              HasSubstr(" out --cwd 'a b' -- main.py ARGUMENTS\n"));
  EXPECT_THAT(command({.path = "code/pkg/x.py", .module = "pkg.x", .working_folder = "code"}),
              HasSubstr(" out --cwd code -- -m pkg.x ARGUMENTS\n"));
  EXPECT_THAT(command({.path = "a.py", .launcher = "torch.distributed.run"}),
              HasSubstr(" out -- -m torch.distributed.run --nproc_per_node 2 a.py ARGUMENTS\n"));
  EXPECT_THAT(command({.path = "main.py", .working_folder = "runs"}),
              HasSubstr(" out -- main.py ARGUMENTS\n"));
}

TEST(FirstScreen, NamesProgramsThatAreLeftAsTheyAreLast) {
  RunResult run = SampleRun();
  run.output = "out";
  run.programs = {{.path = "a_tf.py", .verdict = ProgramOutcome::Verdict::kLeftOut},
                  {.path = "b.py"}};
  EXPECT_THAT(Screen(run), HasSubstr("\nPrograms\n  b.py: nothing was found that stops it\n"
                                     "  a_tf.py: not looked at: "));
  EXPECT_THAT(Screen(run), HasSubstr(" out -- b.py ARGUMENTS\n"));
}

TEST(FirstScreen, NamesProgramsThatStopBeforeThoseOfWhichNothingIsSaid) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsImport)};
  run.programs = {
      {.path = "train.py", .trains = true},
      {.path = "known.py", .unknown_packages = {"a"}},
      {.path = "known2.py", .unknown_packages = {"b"}},
      {.path = "stops.py", .verdict = ProgramOutcome::Verdict::kStops, .causes = {"x"}}};
  EXPECT_THAT(Screen(run), HasSubstr("\n  train.py: nothing was found that stops it\n"
                                     "  stops.py: will not run before this is done: item 1\n"
                                     "  known.py: "));
}

TEST(FirstScreen, LeavesWhatOnlyTestsDoToNextSteps) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("a", Severity::kStopsRun),
                 ReasonedRecord("b", Severity::kStopsRun)};
  run.records[1].file = "tests/test_a.py";
  EXPECT_THAT(Screen(run), HasSubstr("| a.py:1 | a: reason\n  ... and 1 more: NEXT.md\n"));
  EXPECT_THAT(NextSteps(run, Language::kEnglish), HasSubstr("b: reason (in tests alone)\n"));
}

TEST(FirstScreen, CountsInOneLineWhatNoProgramIsSeenToGetTo) {
  RunResult run = SampleRun();
  run.programs = {{.path = "train.py", .trains = true}};
  run.records = {ReasonedRecord("a", Severity::kMayGoWrong),
                 ReasonedRecord("b", Severity::kStopsRun), ReasonedRecord("c", Severity::kSlower),
                 ReasonedRecord("d", Severity::kStopsRun)};
  run.records[1].is_unused = run.records[2].is_unused = run.records[3].is_unused = true;
  EXPECT_THAT(Screen(run),
              HasSubstr("  1 may go wrong | a.py:1 | a: reason\n"
                        "  3 more in code that no program is seen to get to (2 stops run, "
                        "1 slower): NEXT.md\n"));
  EXPECT_THAT(Screen(run), Not(HasSubstr("b: reason")));
  EXPECT_THAT(NextSteps(run, Language::kEnglish),
              HasSubstr("to do if you run it\n\n- 2. stops run: b: reason (no program above"));
  run.programs[0].trains = false;
  EXPECT_THAT(Screen(run), HasSubstr("| b: reason"));
  run.programs[0].trains = true;
  for (uint32_t i = 0; i < 40; ++i) {
    run.records.push_back(ReasonedRecord("x" + std::to_string(i), Severity::kStopsRun));
  }
  EXPECT_LE(LinesOf(Screen(run)), 25u);
  EXPECT_THAT(Screen(run), HasSubstr(" more: NEXT.md\n  3 more in code that "));
}

TEST(FirstScreen, OffersToLaunchWhatTrains) {
  RunResult run = SampleRun();
  run.programs = {{.path = "show.py"}};
  EXPECT_THAT(Screen(run), Not(HasSubstr("transplt generate launch")));
  run.programs.push_back({.path = "train.py", .trains = true});
  EXPECT_THAT(Screen(run), HasSubstr("transplt generate launch"));
}

TEST(FirstScreen, SpeaksChinese) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsRun)};
  const std::string screen = FirstScreen(run, Language::kChinese);
  EXPECT_THAT(screen, HasSubstr("  1 运行中断 | a.py:1 | x: 原因\n"));
}

TEST(FirstScreen, ShowsNoControlCharacters) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsRun)};
  run.records[0].message.en = run.records[0].file = run.input = "\x1B]0;x\n";
  EXPECT_THAT(Screen(run), Not(HasSubstr("\x1B")));
  EXPECT_THAT(NextSteps(run, Language::kEnglish), Not(HasSubstr("\x1B")));
}

TEST(NextSteps, NamesEveryPlaceOfACauseByFile) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsRun, 7),
                 ReasonedRecord("x", Severity::kStopsRun, 9)};
  EXPECT_THAT(NextSteps(run, Language::kEnglish),
              HasSubstr("\n## stops run\n\n- [ ] 1. x: reason\n  `a.py:7,9`\n"));
}

TEST(NextSteps, CountTheFilesBeyondThoseThatAPersonReads) {
  RunResult run = SampleRun();
  for (int i = 0; i < 65; ++i) {
    run.records.push_back(ReasonedRecord("x", Severity::kStopsRun, 7));
    run.records.back().file = "f" + std::to_string(i) + ".py";
  }
  EXPECT_THAT(NextSteps(run, Language::kEnglish),
              HasSubstr(" ... and 5 files more, which change_list.csv has`\n"));
}

TEST(NextSteps, AreTheSameWhereverTheResultIsWritten) {
  RunResult run = SampleRun();
  const std::string here = NextSteps(run, Language::kEnglish);
  run.input = "/elsewhere/proj";
  run.output = "/elsewhere/out/proj_msft";
  EXPECT_EQ(NextSteps(run, Language::kEnglish), here);
}

TEST(NextSteps, HasNoLimitOfLines) {
  RunResult run = SampleRun();
  for (int i = 0; i < 100; ++i) {
    run.records.push_back(ReasonedRecord("cause" + std::to_string(i), Severity::kStopsRun));
  }
  EXPECT_THAT(NextSteps(run, Language::kEnglish), HasSubstr("cause99: reason"));
}

TEST(ListOfCauses, NamesEveryPlace) {
  RunResult run = SampleRun();
  run.records = {ReasonedRecord("x", Severity::kStopsRun, 7),
                 ReasonedRecord("x", Severity::kStopsRun, 9)};
  EXPECT_EQ(ListOfCauses(run, Language::kEnglish),
            "x: stops run\n    x: reason\n    a.py:7\n    a.py:9\n");
}

}  // namespace
}  // namespace transplt
