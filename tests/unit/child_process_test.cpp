// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/unit/temp_folder.h"

namespace transplt {
namespace {

using How = ProcessEnd::How;

class ChildProcess : public testing::Test {
 protected:
  Result<ProcessEnd> Shell(const std::string& script, int timeout_ms = 20000,
                           const std::atomic<bool>* cancelled = nullptr) {
    Command command;
    command.arguments = {"sh", "-c", script};
    command.environment = {{"VALUE", "from outside"}};
    command.folder = folder_.path();
    command.out = folder_ / "out";
    command.err = folder_ / "err";
    command.timeout = std::chrono::milliseconds(timeout_ms);
    return RunCommand(command, cancelled);
  }

  std::string Read(const std::string& name) const { return folder_.Read(name); }

  TempFolder folder_;
};

TEST_F(ChildProcess, GivesExitCodeAndOutput) {
  const auto end = Shell("echo \"$VALUE\"; pwd >&2; exit 3");
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, (ProcessEnd{How::kExit, 3, false}));
  EXPECT_EQ(Read("out"), "from outside\n");
  EXPECT_EQ(Read("err"), folder_.path() + "\n");
}

TEST_F(ChildProcess, HasNothingOnStandardInput) {
  const auto end = Shell("read line && echo got; echo end");
  ASSERT_TRUE(end);
  EXPECT_EQ(Read("out"), "end\n");
}

TEST_F(ChildProcess, TellsASignal) {
  const auto end = Shell("kill -SEGV $$");
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, (ProcessEnd{How::kSignal, SIGSEGV, false}));
}

TEST_F(ChildProcess, IsKilledAtTheTimeoutWithAllThatItHasStarted) {
  const auto end = Shell("setsid sh -c 'echo $$; sleep 1000' & sleep 1000", 400);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kTimeout);
  const pid_t other = std::stoi(Read("out"));
  EXPECT_NE(kill(other, 0), 0);
}

TEST_F(ChildProcess, IsKilledWhenItWritesTooMuch) {
  folder_.MakeFolder("more");
  for (const char* place : {"1", "2", "3"}) {
    Command command;
    command.arguments = {"sh", "-c", std::string("exec 3>more/report; yes >&") + place};
    command.folder = folder_.path();
    command.out = folder_ / "out";
    command.err = folder_ / "err";
    command.more_output = folder_ / "more";
    command.most_output = 1000;
    const auto end = RunCommand(command, nullptr);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->how, How::kTooMuchOutput) << place;
  }
}

TEST_F(ChildProcess, IsKilledWhenTheUserInterrupts) {
  const std::atomic<bool> cancelled = true;
  const auto end = Shell("sleep 1000", 20000, &cancelled);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::kCancelled);
}

TEST_F(ChildProcess, MayLeaveProcessesThatEndSoon) {
  const auto end = Shell("(sleep 0.2; echo late) & exit 0");
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, (ProcessEnd{How::kExit, 0, false}));
  EXPECT_EQ(Read("out"), "late\n");
}

TEST_F(ChildProcess, ThatCannotBeStartedIsAnError) {
  Command command;
  command.arguments = {"/nonexistent/python"};
  command.out = command.err = "/dev/null";
  EXPECT_FALSE(RunCommand(command, nullptr));
  EXPECT_EQ(FindProgram("no-such-program-here"), "");
  EXPECT_EQ(FindProgram("/etc"), "");
}

}  // namespace
}  // namespace transplt
