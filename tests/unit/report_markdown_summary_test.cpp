// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "report_fixture.h"
#include "transplt/report/markdown_summary.h"

namespace transplt {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Summary(const RunResult& run, std::string_view root = "") {
  std::string text;
  WriteMarkdownSummary(run, root, [&](std::string_view piece) { text.append(piece); });
  return text;
}

ChangeRecord RecordInLine7(const std::string& cause, Severity severity) {
  ChangeRecord record = LeftOpen("a.py", 7, Operation::kSuggestion);
  record.cause = cause;
  record.severity = severity;
  return record;
}

TEST(MarkdownSummary, SaysFirstHowManyCausesStopTheProgram) {
  RunResult run;
  run.records = {RecordInLine7("one", Severity::kNote), RecordInLine7("two", Severity::kStopsRun),
                 RecordInLine7("three", Severity::kMayGoWrong),
                 RecordInLine7("four", Severity::kStopsImport)};
  EXPECT_THAT(Summary(run), HasSubstr("**Stops: 2.** May go wrong: 1. Other causes: 1.\n"));
  run.records.resize(1);
  EXPECT_THAT(Summary(run), HasSubstr("**Nothing was found that stops the program.** May go "
                                      "wrong: 0. Other causes: 1.\n"));
}

TEST(MarkdownSummary, ListsCausesTheWorstFirst) {
  RunResult run;
  run.records = {RecordInLine7("one", Severity::kNote),
                 RecordInLine7("data-parallel", Severity::kStopsRun),
                 RecordInLine7("data-parallel", Severity::kStopsRun)};
  const std::string summary = Summary(run, "src/");
  EXPECT_THAT(summary, HasSubstr("| stops run | 2 | `src/a.py:7` | torch.nn.DataParallel drives"));
  EXPECT_LT(summary.find("| stops run"), summary.find("| note"));
}

TEST(MarkdownSummary, SaysWhatEachProgramReaches) {
  using Verdict = ProgramOutcome::Verdict;
  RunResult run;
  run.programs = {{.path = "train.py", .verdict = Verdict::kStops, .causes = {"apex", "nvtx"}},
                  {.path = "eval.py", .verdict = Verdict::kUnknown, .causes = {"apex"}},
                  {.path = "plot.py", .verdict = Verdict::kStarts}};
  const std::string summary = Summary(run);
  EXPECT_THAT(summary,
              HasSubstr("- `train.py`: will not run before this is done: `apex`, `nvtx`\n"));
  EXPECT_THAT(summary, HasSubstr("- `eval.py`: stops where it gets to: `apex`\n"));
  EXPECT_THAT(summary, HasSubstr("- `plot.py`: nothing was found that stops it\n"));
}

TEST(MarkdownSummary, SaysWhatWasNotLookedAt) {
  EXPECT_THAT(Summary(SampleRun()), HasSubstr("**Not looked at: 2 files and 0 parts of files**"));
  EXPECT_THAT(Summary(RunResult()), Not(HasSubstr("Not looked at")));
}

TEST(MarkdownSummary, TakesTextsForTexts) {
  ChangeRecord record = RecordInLine7("one", Severity::kStopsRun);
  record.file = "a`|\n``b.py";
  record.message.en = "<script> | [x](y) @name *b* `c`\nd";
  RunResult run;
  run.records = {record};
  EXPECT_THAT(Summary(run), HasSubstr("| stops run | 1 | ``` a`\\| ``b.py:7 ``` | &lt;script> \\| "
                                      "\\[x\\]\\(y\\) @\u200Bname \\*b\\* \\`c\\` d |  |\n"));
}

TEST(MarkdownSummary, FitsIntoAComment) {
  RunResult run;
  for (int i = 0; i < 2000; ++i) {
    run.records.push_back(RecordInLine7("cause-" + std::to_string(i), Severity::kStopsRun));
    run.records.back().message.en = std::string(5000, 'x');
    run.programs.push_back({.path = std::string(500, 'p'),
                            .verdict = ProgramOutcome::Verdict::kStops,
                            .causes = std::vector<std::string>(90, "cause-1")});
  }
  const std::string summary = Summary(run);
  EXPECT_LT(summary.size(), 65536U);
  EXPECT_THAT(summary, HasSubstr("... and 1960 more causes\n"));
  EXPECT_THAT(summary, HasSubstr("... and 1980 more programs\n"));
}

}  // namespace
}  // namespace transplt
