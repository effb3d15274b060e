// SPDX-License-Identifier: Apache-2.0
#include "transplt/cxx/parse_watch.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "transplt/cxx/parse.h"

namespace transplt {
namespace {

/// More than Deadline allows, which ends a parse between two of its steps.
constexpr double kMostSeconds = 6;
/// Of memory that one parse adds. The largest sources of known projects take less than a tenth.
constexpr size_t kMostBytes = size_t{2} << 30;
constexpr std::chrono::milliseconds kStep(100);

double ProcessorSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Bytes in memory; 0 where the system does not say it.
size_t BytesInMemory() {
  size_t all = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

ParseWatch::ParseWatch(const std::string& file)
    : file_(file.empty() ? -1 : open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)),
      thread_([this] { Watch(); }) {}

ParseWatch::~ParseWatch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (file_ >= 0) close(file_);
}

void ParseWatch::Begin(const std::string& path) {
  Say(path);
  const std::lock_guard lock(mutex_);
  is_parsing_ = true;
  seconds_ = ProcessorSeconds();
  bytes_ = 0;
}

void ParseWatch::End() {
  Say("");
  const std::lock_guard lock(mutex_);
  is_parsing_ = false;
}

void ParseWatch::Say(const std::string& path) {
  if (file_ < 0) return;
  const bool is_said = ftruncate(file_, 0) == 0 && pwrite(file_, path.data(), path.size(), 0) ==
                                                       static_cast<ssize_t>(path.size());
  if (is_said) return;
  // Whoever reads it takes the source before for this one.
  close(file_);
  file_ = -1;
}

void ParseWatch::Watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kStep, [this] { return ends_; })) {
    if (!is_parsing_) continue;
    // Read here, since most parses are over before anybody looks.
    const size_t bytes = BytesInMemory();
    if (bytes_ == 0) bytes_ = bytes;
    const bool is_too_long = ProcessorSeconds() - seconds_ > kMostSeconds;
    if (is_too_long || bytes > bytes_ + kMostBytes) std::_Exit(kTookTooLong);
  }
}

}  // namespace transplt
