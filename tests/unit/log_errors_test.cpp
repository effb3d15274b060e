// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "transplt/log_errors/error_answer.h"
#include "transplt/log_errors/error_table.h"
#include "transplt/log_errors/log_line.h"
#include "transplt/log_errors/log_scan.h"

namespace transplt {
namespace {

using ::testing::HasSubstr;

LogErrors Scan(std::string_view text) {
  LogScan scan("log");
  scan.Add(text);
  return std::move(scan).Finish();
}

std::string FirstId(const std::vector<LogErrors>& logs) {
  const FoundError* first = FirstError(logs);
  if (first == nullptr) return "none";
  return first->known == nullptr ? "unknown" : first->known->id;
}

std::string FirstId(std::string_view text) {
  std::vector<LogErrors> logs;
  logs.push_back(Scan(text));
  return FirstId(logs);
}

TEST(LogErrorTable, FindsEachRowInItsExamples) {
  const ErrorTable& table = ErrorTable::BuiltIn();
  ASSERT_GT(table.rows().size(), 90U);
  for (const KnownError& row : table.rows()) {
    for (const std::string& example : row.examples) {
      const auto found = table.Find(example);
      EXPECT_EQ(std::ranges::count(found, &row), 1) << row.id << ": " << example;
    }
  }
}

TEST(LogErrorTable, FindsNoOtherRowInAnExampleUnlessItSaysSo) {
  const ErrorTable& table = ErrorTable::BuiltIn();
  for (const KnownError& row : table.rows()) {
    std::set<std::string> shown = {row.id};
    for (const std::string& example : row.examples) {
      for (const KnownError* found : table.Find(example)) {
        shown.insert(found->id);
        const bool is_said = found == &row || std::ranges::count(row.beside, found->id) > 0;
        EXPECT_TRUE(is_said) << row.id << " and " << found->id << ": " << example;
      }
    }
    for (const std::string& other : row.beside) {
      EXPECT_TRUE(shown.contains(other)) << row.id << " is not beside " << other;
    }
  }
}

TEST(LogErrorTable, HasNoIdTwice) {
  std::set<std::string> ids;
  for (const KnownError& row : ErrorTable::BuiltIn().rows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
  }
}

TEST(LogPattern, StandsForAnythingWithAStarAndForADigitWithASharp) {
  EXPECT_TRUE(LogPattern("run '*' with").Matches("cannot run 'a b' with it"));
  EXPECT_TRUE(LogPattern("ERR0#100").Matches("x ERR02100 y"));
  EXPECT_FALSE(LogPattern("ERR0#100").Matches("x ERR0A100 y"));
  EXPECT_FALSE(LogPattern("one*two").Matches("two one"));
}

TEST(LogPattern, StandsBetweenOtherThanLettersAndDigits) {
  EXPECT_TRUE(LogPattern("EI0006").Matches("Get(EI0006): no"));
  EXPECT_FALSE(LogPattern("EI0006").Matches("EI00061"));
  EXPECT_FALSE(LogPattern("EI0006").Matches("AEI0006"));
  EXPECT_TRUE(LogPattern("EI0006").Matches("AEI0006 EI0006"));
}

TEST(LogLine, NamesAnExceptionBehindThePrefixOfALauncher) {
  EXPECT_TRUE(NamesException("ValueError: bad"));
  EXPECT_TRUE(NamesException("KeyboardInterrupt"));
  EXPECT_TRUE(NamesException("[rank3]: my.pack.OddError: bad"));
  EXPECT_TRUE(NamesException("(Worker pid=7) ValueError: bad"));
  EXPECT_TRUE(NamesException("[1,3]<stderr>:ValueError: bad"));
  EXPECT_TRUE(NamesException("3: ValueError: bad"));
}

TEST(LogLine, NamesNoExceptionInSourceCodeOrProse) {
  EXPECT_FALSE(NamesException("    raise ValueError(\"bad\")"));
  EXPECT_FALSE(NamesException("    except ValueError:"));
  EXPECT_FALSE(NamesException("validation L1Error: 0.3 is fine, MeanError: 3"));
  EXPECT_FALSE(NamesException("Errors: 0"));
}

TEST(LogScan, PutsTheCauseBeforeWhatFollowsFromIt) {
  EXPECT_EQ(FirstId("[rank1]: EI0006: Getting socket times out.\n"
                    "[rank0]: RuntimeError: NPU out of memory. Tried to allocate 2 GiB\n"
                    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"),
            "npu-out-of-memory");
}

TEST(LogScan, PutsAnUnknownErrorBeforeWhatFollowsFromIt) {
  EXPECT_EQ(FirstId("[rank0]: Traceback (most recent call last):\n[rank0]: OddError: strange\n"
                    "[rank1]: EI0006: Getting socket times out.\n"),
            "unknown");
}

TEST(LogScan, PutsTheLastFailureFirst) {
  std::string log = "RuntimeError: NPU out of memory. Tried to allocate 2 GiB\n";
  for (int i = 0; i < 1000; ++i) log += "step: loss 1.0\n";
  log += "OSError: [Errno 28] No space left on device\n";
  const LogErrors errors = Scan(log);
  ASSERT_EQ(errors.last.size(), 1U);
  EXPECT_EQ(errors.last[0].known->id, "disk-full");
  EXPECT_EQ(errors.last[0].first_line, 1002U);
  ASSERT_EQ(errors.earlier.size(), 1U);
  EXPECT_EQ(errors.earlier[0].first_line, 1U);
}

TEST(LogScan, TakesAWarningForLessThanAnError) {
  EXPECT_EQ(FirstId("UserWarning: No module named 'apex'\nValueError: bad value\n"), "unknown");
}

TEST(LogScan, FindsAnErrorWhereverThePiecesAreCut) {
  const std::string log = "one\ntwo\r\n[rank2]: x EI0014 y\nlast";
  for (size_t cut = 0; cut <= log.size(); ++cut) {
    LogScan scan("log");
    scan.Add(std::string_view(log).substr(0, cut));
    scan.Add(std::string_view(log).substr(cut));
    const LogErrors errors = std::move(scan).Finish();
    ASSERT_EQ(errors.last.size(), 1U) << cut;
    EXPECT_EQ(errors.last[0].first_line, 3U) << cut;
    EXPECT_EQ(errors.last[0].ranks, std::set<uint32_t>{2}) << cut;
    EXPECT_EQ(errors.lines, 4U) << cut;
  }
}

TEST(LogScan, ReadsALineOfProgressBarsAsManyLines) {
  const LogErrors errors = Scan("10%|#\r20%|##\rOSError: [Errno 28] No space left on device\rx\n");
  ASSERT_EQ(errors.last.size(), 1U);
  EXPECT_EQ(errors.last[0].text, "OSError: [Errno 28] No space left on device");
  EXPECT_EQ(errors.last[0].first_line, 1U);
}

TEST(LogScan, CountsTheSameErrorOfAllRanksOnce) {
  std::string log;
  for (int rank = 0; rank < 8; ++rank) {
    log += "[rank" + std::to_string(rank) + "]: OddError: at step " + std::to_string(rank) + "\n";
  }
  const LogErrors errors = Scan(log);
  ASSERT_EQ(errors.last.size(), 1U);
  EXPECT_EQ(errors.last[0].times, 8U);
  EXPECT_EQ(errors.last[0].ranks.size(), 8U);
}

TEST(LogScan, FindsNothingInALogWithoutErrors) {
  EXPECT_EQ(FirstId("epoch 1 loss 2.0\nError rate: 3 %\n"), "none");
}

TEST(LogAnswer, TakesTheCauseFromTheLogOfAnyRank) {
  std::vector<LogErrors> logs;
  logs.push_back(Scan("EI0002: The wait execution of the Notify register times out.\n"));
  logs.push_back(Scan("RuntimeError: NPU out of memory. Tried to allocate 2 GiB\n"));
  EXPECT_EQ(FirstId(logs), "npu-out-of-memory");
}

TEST(LogAnswer, SaysThatAnErrorIsUnknown) {
  std::vector<LogErrors> logs;
  logs.push_back(Scan("OddError: strange\n"));
  EXPECT_EQ(AnswerOf(logs), LogAnswer::kUnknown);
  EXPECT_THAT(AnswerText(logs, Language::kEnglish), HasSubstr("does not know"));
  EXPECT_THAT(AnswerText(logs, Language::kChinese), HasSubstr("不认识"));
  EXPECT_THAT(AnswerJson(logs, Language::kEnglish), HasSubstr("\"answer\": \"unknown\""));
}

// A large log is read in one step per byte.
TEST(LogScanSize, ReadsManyLinesOfEveryKind) {
  LogScan scan("log");
  std::string piece;
  for (int i = 0; i < 2000; ++i) {
    piece += "step loss 1.25 lr 0.001 throughput 512.0 samples/s\n";
    if (i % 100 == 0) piece += "[rank5]: Error" + std::to_string(i) + "Error: x\n";
  }
  piece += "RuntimeError: NPU out of memory. Tried to allocate 2 GiB\n";
  for (int i = 0; i < 200; ++i) scan.Add(piece);
  const LogErrors errors = std::move(scan).Finish();
  EXPECT_EQ(errors.lines, 200U * 2021);
  EXPECT_LT(errors.earlier.size(), 300U);
}

}  // namespace
}  // namespace transplt
