// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "transplt/base/result.h"
#include "transplt/project/folder_handle.h"

namespace transplt {

/// A small process that outlives a verification which is killed: it then ends the processes of the
/// runs and removes the work folder. While the verification lives, it only waits.
class RunGuard {
 public:
  /// `folder`: the work folder; `is_kept`: it stays.
  static Result<RunGuard> Start(const std::string& folder, bool is_kept);
  RunGuard(RunGuard&& other) noexcept
      : child_(std::exchange(other.child_, 0)), writer_(std::move(other.writer_)) {}
  RunGuard& operator=(RunGuard&&) = delete;
  /// Tells the guard that all is well, and waits for its end.
  ~RunGuard();

 private:
  RunGuard(pid_t child, FileHandle writer) : child_(child), writer_(std::move(writer)) {}

  pid_t child_;
  FileHandle writer_;
};

}  // namespace transplt
