// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/in_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

constexpr std::string_view kTemporary = ".transplt-XXXXXX";

/// Only root may give a file away, and one may give it only to a group of one's own: anyone else
/// becomes the owner of the new content, as with every editor that writes this way.
void KeepOwner(int file, const struct stat& original) {
  if (fchown(file, original.st_uid, original.st_gid) == 0) return;
  if (fchown(file, static_cast<uid_t>(-1), original.st_gid) != 0) errno = 0;
}

}  // namespace

Result<Done> AtomicReplace(const std::string& path, std::string_view bytes) {
  const Text what = Say("cannot replace the file", "无法替换文件");
  struct stat original {};
  if (lstat(path.c_str(), &original) != 0) return FileError(path, what, errno);
  if (S_ISLNK(original.st_mode)) {
    return Error{Error::Code::kUsage, path,
                 Say("a link; name the file that it leads to", "这是链接；请指定其指向的文件")};
  }
  if (!S_ISREG(original.st_mode)) {
    return Error{Error::Code::kUsage, path, Say("not a file", "不是文件")};
  }
  std::string temporary = path.substr(0, path.rfind('/') + 1) + std::string(kTemporary);
  FileHandle file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return FileError(path, what, errno);
  std::optional<Error> error;
  KeepOwner(file.get(), original);
  if (!WriteAll(file.get(), bytes)) error = FileError(path, what, errno);
  if (!error && fchmod(file.get(), original.st_mode & 07777) != 0) {
    error = FileError(path, what, errno);
  }
  if (!file.Close() && !error) error = FileError(path, what, errno);
  if (!error && rename(temporary.c_str(), path.c_str()) != 0) error = FileError(path, what, errno);
  if (!error) return Done{};
  unlink(temporary.c_str());
  return *error;
}

Result<Done> AtomicWrite(const std::string& path, std::string_view bytes, mode_t mode) {
  const Text what = Say("cannot write the file", "无法写入文件");
  std::string temporary = path.substr(0, path.rfind('/') + 1) + std::string(kTemporary);
  FileHandle file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return FileError(path, what, errno);
  const mode_t mask = umask(0);
  umask(mask);
  std::optional<Error> error;
  if (!WriteAll(file.get(), bytes)) error = FileError(path, what, errno);
  if (!error && fchmod(file.get(), mode & ~mask & 07777) != 0) error = FileError(path, what, errno);
  if (!file.Close() && !error) error = FileError(path, what, errno);
  if (!error && rename(temporary.c_str(), path.c_str()) != 0) error = FileError(path, what, errno);
  if (!error) return Done{};
  unlink(temporary.c_str());
  return *error;
}

void RemoveLeftovers(const std::string& folder) {
  constexpr std::string_view kStart = kTemporary.substr(0, kTemporary.find('X'));
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code gone;
    if (name.size() == kTemporary.size() && name.starts_with(kStart) &&
        entry->symlink_status(gone).type() == std::filesystem::file_type::regular) {
      std::filesystem::remove(entry->path(), gone);
    }
  }
}

}  // namespace transplt
