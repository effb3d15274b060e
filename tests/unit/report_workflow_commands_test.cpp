// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "report_fixture.h"
#include "transplt/report/workflow_commands.h"

namespace transplt {
namespace {

std::string Commands(const RunResult& run, std::string_view root = "") {
  std::string text;
  WriteWorkflowCommands(run, root, [&](std::string_view piece) { text.append(piece); });
  return text;
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

ChangeRecord RecordInLine(const std::string& cause, uint32_t line, Severity severity) {
  ChangeRecord record = LeftOpen("a.py", line, Operation::kSuggestion);
  record.cause = cause;
  record.severity = severity;
  return record;
}

TEST(WorkflowCommands, PlaceAProblemAtItsLine) {
  RunResult run;
  run.records = {LeftOpen("a.py", 7, Operation::kUnsupported)};
  EXPECT_EQ(Commands(run, "src/"),
            "::error file=src/a.py,line=7,col=1,title=stops run (torch.cuda.jiterator)::"
            "no counterpart on the NPU\n");
}

TEST(WorkflowCommands, LeaveOutEditsAndPlacesOfAWholeFileHaveNoLine) {
  RunResult run;
  run.records = {Edited("a.py", 3), Skipped("bin.py")};
  EXPECT_EQ(Commands(run), "::warning file=bin.py,title=may go wrong (file)::binary file\n");
}

TEST(WorkflowCommands, EscapeWhatTheRunnerWouldRead) {
  ChangeRecord record = LeftOpen("a:b,c%\n\xFF𝄞.py", 7, Operation::kSuggestion);
  record.message.en = "50%: a,b\r\n::error::\x1B[31m";
  RunResult run;
  run.records = {record};
  EXPECT_EQ(Commands(run),
            "::error file=a%3Ab%2Cc%25%0A\uFFFD𝄞.py,line=7,col=1,title=stops run "
            "(torch.cuda.jiterator)::50%25: a,b%0D%0A::error::\uFFFD[31m\n");
}

TEST(WorkflowCommands, ShowTenOfAKindAndSayHowManyMore) {
  RunResult run;
  for (uint32_t line = 1; line <= 12; ++line) {
    run.records.push_back(RecordInLine("one", line, Severity::kStopsRun));
    run.records.push_back(RecordInLine("two", line, Severity::kMayGoWrong));
    run.records.push_back(RecordInLine("three", line, Severity::kNote));
  }
  const std::string commands = Commands(run);
  EXPECT_EQ(CountOf(commands, "::error file"), 10U);
  EXPECT_EQ(CountOf(commands, "::warning file"), 10U);
  EXPECT_EQ(CountOf(commands, "::notice "), 10U);
  EXPECT_THAT(commands,
              testing::HasSubstr("not shown here: 2 more errors, 2 more warnings, 3 more notices"));
}

TEST(WorkflowCommands, ShowEachCauseBeforeASecondPlaceOfAny) {
  RunResult run;
  for (uint32_t line = 1; line <= 12; ++line) {
    run.records.push_back(RecordInLine("often", line, Severity::kStopsRun));
  }
  run.records.push_back(RecordInLine("once", 99, Severity::kStopsRun));
  EXPECT_THAT(Commands(run), testing::HasSubstr("line=99"));
}

TEST(WorkflowCommands, AreNoneWhereNothingIsLeft) {
  RunResult run;
  run.records = {Edited("a.py", 3)};
  EXPECT_EQ(Commands(run), "");
}

}  // namespace
}  // namespace transplt
