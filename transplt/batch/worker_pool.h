// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "transplt/base/result.h"
#include "transplt/batch/project_record.h"
#include "transplt/project/folder_handle.h"

namespace transplt {

/// What one worker may use; 0: no limit.
struct WorkerLimits {
  std::chrono::milliseconds timeout{0};
  uint64_t memory = 0;  ///< bytes of private memory (RLIMIT_DATA)
};

/// How a worker ended.
struct WorkerEnd {
  enum class How { kDone, kExit, kSignal, kTimeout, kOutOfMemory };
  size_t id = 0;
  How how = How::kDone;
  int number = 0;      ///< the signal of kSignal, the exit code of kExit
  std::string result;  ///< what the work returned; only of kDone
  RunCost cost;
};

/// Runs functions in processes of their own, several at a time. A crash, an endless loop or too
/// much memory ends one process and no other. While a pool lives, its process must have no other
/// thread and no other child, and the signals that ask it to stop (SIGINT, SIGTERM, SIGHUP) are
/// held back and reported by Wait. A worker dies with the process that has started it.
class WorkerPool {
 public:
  WorkerPool(size_t jobs, const WorkerLimits& limits);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();  ///< ends the workers that still run

  bool is_full() const { return running_.size() >= jobs_; }
  bool is_empty() const { return running_.empty(); }

  /// Starts `work` in a process of its own. An Error: the system gives no process.
  Result<Done> Start(size_t id, const std::function<std::string()>& work);

  /// Waits until a worker has ended. Nothing: a signal asks to stop; stop_signal() says which.
  std::optional<WorkerEnd> Wait();
  int stop_signal() const { return stop_signal_; }

 private:
  struct Running {
    size_t id = 0;
    std::chrono::steady_clock::time_point start;
    FileHandle result;
    FileHandle output;  // of stdout and stderr
    bool is_late = false;
  };

  [[noreturn]] void Become(const Running& worker, pid_t parent,
                           const std::function<std::string()>& work) const;
  std::optional<WorkerEnd> Reap();
  std::optional<std::chrono::nanoseconds> KillLate();

  const size_t jobs_;
  const WorkerLimits limits_;
  sigset_t awaited_ = {};
  sigset_t mask_before_ = {};
  struct sigaction child_action_before_ = {};
  std::map<pid_t, Running> running_;
  int stop_signal_ = 0;
};

}  // namespace transplt
