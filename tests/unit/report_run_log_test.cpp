// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "report_fixture.h"
#include "transplt/report/run_log.h"

namespace transplt {
namespace {

TEST(RunLog, HasALinePerFileAndTheTotals) {
  EXPECT_EQ(RunLog(SampleRun(), Language::kEnglish),
            "[INFO] transplt 0.1.0, framework pytorch, torch 2.8\n"
            "[INFO] .git/: ignored folder\n"
            "[INFO] a.py: migrated; edits: 1; left for a person: 2\n"
            "[WARNING] bin.py: skipped: binary file\n"
            "[ERROR] broken.py: failed: the result does not parse\n"
            "[INFO] data.txt: copied\n"
            "[INFO] plain.py: unchanged\n"
            "[INFO] Files: 1 migrated, 1 unchanged, 1 copied, 1 skipped, 1 failed, 4 ignored\n"
            "[INFO] Edits: 1, of which 0 are worth a look (unsafe: the name matched, its object "
            "is not known)\n"
            "[INFO] Left for a person: 3, of which 1 unsupported, 1 unknown, 0 not parsed\n");
}

TEST(RunLog, SpeaksChinese) {
  const std::string log = RunLog(SampleRun(), Language::kChinese);
  EXPECT_THAT(log, testing::HasSubstr("[INFO] a.py: 已迁移；修改 1 处；待人工处理 2 处\n"));
  EXPECT_THAT(log, testing::HasSubstr("[WARNING] bin.py: 已跳过：二进制文件\n"));
}

TEST(RunLog, KeepsAFileNameWithALineEndInOneLine) {
  RunResult run;
  run.files = {Outcome("a\n[ERROR] b.py", FileOutcome::Status::kUnchanged)};
  EXPECT_THAT(RunLog(run, Language::kEnglish),
              testing::HasSubstr("[INFO] a [ERROR] b.py: unchanged\n"));
}

TEST(RunLog, DependsNeitherOnTimeNorOnFolders) {
  RunResult other = SampleRun();
  other.seconds = 99;
  other.input = "/elsewhere/proj";
  other.output = "/elsewhere/out";
  EXPECT_EQ(RunLog(other, Language::kEnglish), RunLog(SampleRun(), Language::kEnglish));
}

}  // namespace
}  // namespace transplt
