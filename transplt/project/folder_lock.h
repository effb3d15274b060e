// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/result.h"
#include "transplt/project/folder_handle.h"

namespace transplt {

/// Keeps other runs from changing a folder for as long as it lives. The system lets go of it when
/// the process ends, however it ends, so nothing is left that could block a later run.
class FolderLock {
 public:
  /// kUsage, naming the process, if another run holds the lock. A file system that has no locks
  /// for folders (NFS) gives one that is not held.
  static Result<FolderLock> Take(const std::string& folder);

  bool is_held() const { return is_held_; }

 private:
  FolderLock(FileHandle folder, bool is_held) : folder_(std::move(folder)), is_held_(is_held) {}

  FileHandle folder_;
  bool is_held_;
};

/// Locks the open file or folder; false if somebody else has, or if it cannot be locked.
bool TryLock(int file);

}  // namespace transplt
