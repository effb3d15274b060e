// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/atomic_write.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/folder_lock.h"

namespace transplt {
namespace {

constexpr std::string_view kTemporary = ".transplt-XXXXXX";
constexpr std::string_view kTemporaryStart = kTemporary.substr(0, kTemporary.find('X'));

/// A new file, locked; its name goes to `name`.
FileHandle Create(const std::string& beside, std::string& name) {
  while (true) {
    name = beside.substr(0, beside.rfind('/') + 1) + std::string(kTemporary);
    FileHandle file(mkostemp(name.data(), O_CLOEXEC));
    if (!file) return file;
    TryLock(file.get());
    struct stat status {};
    // Another run may have taken it for a leftover before it was locked.
    if (fstat(file.get(), &status) != 0 || status.st_nlink > 0) return file;
  }
}

bool Name(const std::string& temporary, const std::string& path, Existing existing) {
  if (existing == Existing::kReplace) return rename(temporary.c_str(), path.c_str()) == 0;
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(temporary.c_str(), path.c_str()) == 0 && unlink(temporary.c_str()) == 0;
}

}  // namespace

Result<Done> AtomicWrite(const std::string& path, std::string_view bytes, mode_t mode,
                         Existing existing) {
  const Text what = Say("cannot write the file", "无法写入文件");
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  if (const FileHandle handle = OpenFolder(folder.empty() ? "." : folder)) {
    RemoveLeftovers(handle.get());
  }
  std::string temporary;
  FileHandle file = Create(path, temporary);
  if (!file) return FileError(path, what, errno);
  const mode_t mask = umask(0);
  umask(mask);
  // A copy keeps the lock while `file` is closed, because some file systems report a failed write
  // only then.
  const FileHandle lock(fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (lock && WriteAll(file.get(), bytes) && fchmod(file.get(), mode & ~mask & 07777) == 0 &&
      file.Close() && Name(temporary, path, existing)) {
    return Done{};
  }
  const int number = errno;
  unlink(temporary.c_str());
  return FileError(path, what, number);
}

void RemoveLeftovers(int folder) {
  FileHandle handle = OpenBelow(folder, "", O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
  if (!list) return;
  handle.Release();
  while (const dirent* entry = readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name.size() != kTemporary.size() || !name.starts_with(kTemporaryStart)) continue;
    const FileHandle file = OpenBelow(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    if (file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && TryLock(file.get())) {
      unlinkat(folder, entry->d_name, 0);
    }
  }
}

}  // namespace transplt
