// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/folder_lock.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "transplt/project/file_error.h"

namespace transplt {
namespace {

/// The process that has locked the folder, as /proc/locks tells it; empty if it does not.
///   1: FLOCK  ADVISORY  WRITE 4711 fd:00:131074 0 EOF
std::string HolderOf(int folder) {
  struct stat status {};
  if (fstat(folder, &status) != 0) return "";
  const std::string inode = ":" + std::to_string(status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream fields(line);
    std::string number, type, advisory, access, process, file;
    fields >> number >> type >> advisory >> access >> process >> file;
    if (type == "FLOCK" && file.ends_with(inode)) return process;
  }
  return "";
}

}  // namespace

bool TryLock(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

Result<FolderLock> FolderLock::Take(const std::string& folder) {
  FileHandle handle = OpenFolder(folder);
  if (!handle) {
    return FileError(folder, Say("cannot open the folder", "无法打开文件夹"), errno);
  }
  if (TryLock(handle.get())) return FolderLock(std::move(handle), true);
  if (errno != EWOULDBLOCK) return FolderLock(std::move(handle), false);
  const std::string process = HolderOf(handle.get());
  return Error{Error::Code::kUsage, folder,
               process.empty() ? Say("another run is changing this folder; wait for it to end",
                                     "另一个进程正在修改此文件夹；请等待其结束")
                               : Say("process {} is changing this folder; wait for it to end",
                                     "进程 {} 正在修改此文件夹；请等待其结束", process)};
}

}  // namespace transplt
