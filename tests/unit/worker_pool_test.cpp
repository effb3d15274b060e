// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <thread>
#include <vector>

namespace transplt {
namespace {

using How = WorkerEnd::How;
using Work = std::function<std::string()>;

/// Runs all of `works`, two at a time; how each ended.
std::vector<WorkerEnd> RunAll(const std::vector<Work>& works, const WorkerLimits& limits = {}) {
  std::vector<WorkerEnd> ends(works.size());
  WorkerPool pool(2, limits);
  for (size_t next = 0; next < works.size() || !pool.is_empty();) {
    while (next < works.size() && !pool.is_full()) {
      EXPECT_TRUE(pool.Start(next, works[next]));
      ++next;
    }
    std::optional<WorkerEnd> end = pool.Wait();
    EXPECT_TRUE(end);
    if (!end) break;
    ends.at(end->id) = *std::move(end);
  }
  return ends;
}

std::string Sleep() {
  while (true) pause();
}

TEST(WorkerPool, GivesWhatEachWorkReturns) {
  const std::string large(3 << 20, 'x');  // more than a pipe holds
  const auto ends = RunAll({[] { return "one"; }, [&] { return large; }, [] { return ""; }});
  EXPECT_EQ(ends[0].how, How::kDone);
  EXPECT_EQ(ends[0].result, "one");
  EXPECT_EQ(ends[1].result, large);
  EXPECT_EQ(ends[2].how, How::kDone);
  EXPECT_GT(ends[1].cost.peak_memory, large.size());
}

TEST(WorkerPool, ACrashEndsOneWorkerAndNoOther) {
  const auto ends = RunAll({[] {
                              signal(SIGSEGV, SIG_DFL);  // of a sanitizer
                              raise(SIGSEGV);
                              return "never";
                            },
                            []() -> std::string { throw 1; }, []() -> std::string { _exit(7); },
                            [] { return "fine"; }});
  EXPECT_EQ(ends[0].how, How::kSignal);
  EXPECT_EQ(ends[0].number, SIGSEGV);
  EXPECT_EQ(ends[1].how, How::kSignal);
  EXPECT_EQ(ends[1].number, SIGABRT);
  EXPECT_EQ(ends[2].how, How::kExit);
  EXPECT_EQ(ends[2].number, 7);
  EXPECT_EQ(ends[3].result, "fine");
}

TEST(WorkerPool, KeepsWhatACrashHasPrinted) {
  const auto ends = RunAll({[] {
    std::fputs("the reason\n", stderr);
    return "";
  }});
  EXPECT_EQ(ends[0].cost.stderr_text, "the reason\n");
}

TEST(WorkerPool, EndsAWorkerAtItsTimeLimit) {
  const auto ends = RunAll({Sleep, [] { return "fine"; }}, {std::chrono::milliseconds(200), 0});
  EXPECT_EQ(ends[0].how, How::kTimeout);
  EXPECT_EQ(ends[1].result, "fine");
}

TEST(WorkerPool, EndsAWorkerThatNeedsTooMuchMemory) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer reserves terabytes";
#endif
  const auto ends = RunAll({[] { return std::string(1 << 30, 'x'); }, [] { return "fine"; }},
                           {std::chrono::milliseconds(0), 256 << 20});
  EXPECT_EQ(ends[0].how, How::kOutOfMemory);
  EXPECT_EQ(ends[1].result, "fine");
}

TEST(WorkerPool, ReportsASignalThatAsksToStopAndEndsTheWorkers) {
  pid_t parent = getpid();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    WorkerPool pool(2, {});
    ASSERT_TRUE(pool.Start(0, [&] {
      const pid_t own = getpid();
      EXPECT_EQ(write(ends[1], &own, sizeof own), static_cast<ssize_t>(sizeof own));
      kill(parent, SIGTERM);
      return Sleep();
    }));
    EXPECT_FALSE(pool.Wait());
    EXPECT_EQ(pool.stop_signal(), SIGTERM);
  }
  pid_t worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(kill(worker, 0), -1);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

}  // namespace
}  // namespace transplt
