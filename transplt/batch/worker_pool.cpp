// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/worker_pool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "transplt/base/plain_text.h"
#include "transplt/project/file_error.h"

namespace transplt {
namespace {

using Clock = std::chrono::steady_clock;

// Exit codes of a worker, which no library uses.
constexpr int kCannotReport = 84;
constexpr int kNoMemory = 85;

constexpr size_t kKeptOutput = 2000;  // bytes of what a worker has printed

/// A file without a name, for as long as it is open.
FileHandle ScratchFile() { return FileHandle(memfd_create("transplt-batch", MFD_CLOEXEC)); }

bool ReadFromStart(const FileHandle& file, std::string& bytes) {
  return lseek(file.get(), 0, SEEK_SET) == 0 && ReadAll(file.get(), bytes);
}

void Limit(__rlimit_resource kind, uint64_t most) {
  rlimit limit{most, most};
  // A limit that is lower already stays.
  rlimit now{};
  if (getrlimit(kind, &now) == 0) limit.rlim_max = std::min(limit.rlim_max, now.rlim_max);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(kind, &limit);
}

/// If the system runs out of memory it shall end a worker, and not the batch.
void OfferToOutOfMemoryKiller() {
  const FileHandle file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (file) WriteAll(file.get(), "500");
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

WorkerPool::WorkerPool(size_t jobs, const WorkerLimits& limits) : jobs_(jobs), limits_(limits) {
  sigemptyset(&awaited_);
  sigaddset(&awaited_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaddset(&awaited_, signal);  // nohup
  }
  // With SIG_IGN the system would reap the children itself.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_action_before_);
  sigprocmask(SIG_BLOCK, &awaited_, &mask_before_);
}

WorkerPool::~WorkerPool() {
  for (const auto& [process, worker] : running_) kill(process, SIGKILL);
  for (const auto& [process, worker] : running_) {
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  sigaction(SIGCHLD, &child_action_before_, nullptr);
}

Result<Done> WorkerPool::Start(size_t id, const std::function<std::string()>& work) {
  const Text what = Say("cannot start a process for a project", "无法为项目启动进程");
  Running worker{id, Clock::now(), ScratchFile(), ScratchFile()};
  if (!worker.result || !worker.output) return FileError("", what, errno);
  std::fflush(nullptr);  // else the child has the text as well
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return FileError("", what, errno);
  if (child == 0) Become(worker, parent, work);
  running_.emplace(child, std::move(worker));
  return Done();
}

void WorkerPool::Become(const Running& worker, pid_t parent,
                        const std::function<std::string()>& work) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotReport);  // it has died before the call
  setsid();                                       // Ctrl-C is for the batch alone
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) ::signal(signal, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  const FileHandle nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  dup2(worker.output.get(), STDOUT_FILENO);
  dup2(worker.output.get(), STDERR_FILENO);
  Limit(RLIMIT_CORE, 0);
  if (limits_.memory != 0) Limit(RLIMIT_DATA, limits_.memory);
  OfferToOutOfMemoryKiller();
  std::set_new_handler([] { _exit(kNoMemory); });
  const bool is_written = [&]() noexcept {  // an exception is a crash
    return WriteAll(worker.result.get(), work());
  }();
  // Neither destructors nor buffers: they belong to the parent.
  _exit(is_written ? 0 : kCannotReport);
}

std::optional<std::chrono::nanoseconds> WorkerPool::KillLate() {
  if (limits_.timeout.count() == 0) return std::nullopt;
  const Clock::time_point now = Clock::now();
  std::optional<std::chrono::nanoseconds> next;
  for (auto& [process, worker] : running_) {
    if (worker.is_late) continue;
    const std::chrono::nanoseconds left = worker.start + limits_.timeout - now;
    if (left.count() <= 0) {
      worker.is_late = true;
      kill(process, SIGKILL);
    } else if (!next || left < *next) {
      next = left;
    }
  }
  return next;
}

std::optional<WorkerEnd> WorkerPool::Reap() {
  int status = 0;
  rusage usage{};
  const pid_t process = wait4(-1, &status, WNOHANG, &usage);
  const auto found = running_.find(process);
  if (process <= 0 || found == running_.end()) return std::nullopt;
  const Running worker = std::move(found->second);
  running_.erase(found);
  WorkerEnd end;
  end.id = worker.id;
  end.cost.wall_seconds = std::chrono::duration<double>(Clock::now() - worker.start).count();
  end.cost.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  end.cost.peak_memory = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  if (ReadFromStart(worker.output, end.cost.stderr_text)) {
    std::string& text = end.cost.stderr_text;
    if (text.size() > kKeptOutput) text.erase(0, text.size() - kKeptOutput);
    text = ValidUtf8(text);
  }
  if (WIFSIGNALED(status)) {
    end.how = worker.is_late ? WorkerEnd::How::kTimeout : WorkerEnd::How::kSignal;
    end.number = WTERMSIG(status);
    return end;
  }
  end.number = WEXITSTATUS(status);
  if (end.number == kNoMemory) {
    end.how = WorkerEnd::How::kOutOfMemory;
  } else if (end.number != 0 || !ReadFromStart(worker.result, end.result)) {
    end.how = WorkerEnd::How::kExit;
  }
  return end;
}

std::optional<WorkerEnd> WorkerPool::Wait() {
  while (stop_signal_ == 0) {
    if (std::optional<WorkerEnd> end = Reap()) return end;
    const std::optional<std::chrono::nanoseconds> left = KillLate();
    siginfo_t received{};
    int signal = 0;
    if (left) {
      const auto seconds = std::chrono::floor<std::chrono::seconds>(*left);
      const timespec time{seconds.count(), (*left - seconds).count()};
      signal = sigtimedwait(&awaited_, &received, &time);
    } else {
      signal = sigwaitinfo(&awaited_, &received);
    }
    if (signal > 0 && signal != SIGCHLD) stop_signal_ = signal;
  }
  return std::nullopt;
}

}  // namespace transplt
