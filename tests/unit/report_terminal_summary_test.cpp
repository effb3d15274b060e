// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "report_fixture.h"
#include "transplt/report/terminal_summary.h"

namespace transplt {
namespace {

TEST(OpenItems, NamesFilesFirstAndThenPlacesWithTheirSource) {
  EXPECT_EQ(OpenItems(SampleRun(), Language::kEnglish, 50, "--list all"),
            "bin.py: skipped: binary file\n"
            "broken.py: failed: the result does not parse\n"
            "a.py:7:1: torch.cuda.jiterator: no counterpart on the NPU: "
            "torch.cuda.jiterator._create_jit_fn(code)\n"
            "a.py:9:1: unknown-api: no counterpart on the NPU: "
            "torch.cuda.jiterator._create_jit_fn(code)\n");
}

TEST(OpenItems, CountsWhatIsBeyondTheLimit) {
  EXPECT_EQ(OpenItems(SampleRun(), Language::kEnglish, 1, "--list all"),
            "bin.py: skipped: binary file\n"
            "... and 3 more; all of them: --list all\n");
}

TEST(OpenItems, DoesNotCountWhenExactlyTheLimitIsLeft) {
  EXPECT_THAT(OpenItems(SampleRun(), Language::kEnglish, 4, "--list all"),
              testing::Not(testing::HasSubstr("more")));
}

TEST(OpenItems, IsEmptyWhenNothingIsLeft) {
  RunResult run = SampleRun();
  run.records = {Edited("a.py", 3)};
  run.files.resize(1);
  EXPECT_EQ(OpenItems(run, Language::kEnglish, 50, "--list all"), "");
}

TEST(OpenItems, NamesARecordAboutAWholeFileThatWasNotSkipped) {
  RunResult run;
  ChangeRecord record = LeftOpen("a.py", 0, Operation::kSuggestion);
  record.source_line = "";
  run.records = {record};
  EXPECT_EQ(OpenItems(run, Language::kEnglish, 50, "--list all"),
            "a.py: torch.cuda.jiterator: no counterpart on the NPU\n");
}

TEST(OpenItems, CutsTheSourceLineAndReplacesControlCharacters) {
  RunResult run;
  run.records = {LeftOpen("a.py", 1, Operation::kUnknown)};
  run.records[0].source_line = "\t\x1B]0;x\x07" + std::string(200, 'y') + "\r";
  const std::string shown = OpenItems(run, Language::kEnglish, 50, "--list all");
  EXPECT_THAT(shown, testing::EndsWith(": \uFFFD]0;x\uFFFD" + std::string(113, 'y') + "…\n"));
}

TEST(OpenItems, SpeaksChinese) {
  EXPECT_EQ(OpenItems(SampleRun(), Language::kChinese, 1, "--list all"),
            "bin.py: 已跳过: 二进制文件\n"
            "……另有 3 项; 全部内容见 --list all\n");
}

}  // namespace
}  // namespace transplt
