// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "transplt/project/file_error.h"

namespace transplt {
namespace {

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// Gives the file its name; without `force` only if nothing has it.
bool Name(const std::string& temporary, const std::string& path, bool force) {
  if (force) return rename(temporary.c_str(), path.c_str()) == 0;
  if (link(temporary.c_str(), path.c_str()) != 0) return false;
  unlink(temporary.c_str());
  return true;
}

}  // namespace

Result<Done> WriteOutputFile(const std::string& path, std::string_view text, bool force,
                             mode_t mode) {
  const Text what = Say("cannot write the file", "无法写入文件");
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && (!force || !S_ISREG(status.st_mode))) {
    return Error{Error::Code::kUsage, path,
                 S_ISREG(status.st_mode) ? Say("the file exists; give --force to replace it",
                                               "文件已存在；如需替换请加 --force")
                                         : Say("this is not a plain file", "这不是普通文件")};
  }
  std::string temporary = path + ".XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return FileError(path, what, errno);
  const mode_t mask = umask(0);
  umask(mask);
  const bool is_written = WriteAll(file, text) && fchmod(file, mode & ~mask) == 0;
  int number = errno;
  if (close(file) != 0 && is_written) number = errno;
  if (is_written && Name(temporary, path, force)) return Done();
  if (is_written) number = errno;
  unlink(temporary.c_str());
  return FileError(path, what, number);
}

}  // namespace transplt
