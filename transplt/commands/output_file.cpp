// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/output_file.h"

#include <sys/stat.h>

#include "transplt/project/atomic_write.h"

namespace transplt {

Result<Done> WriteOutputFile(const std::string& path, std::string_view text, bool force,
                             mode_t mode) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && (!force || !S_ISREG(status.st_mode))) {
    return Error{Error::Code::kUsage, path,
                 S_ISREG(status.st_mode) ? Say("the file exists; give --force to replace it",
                                               "文件已存在；如需替换请加 --force")
                                         : Say("this is not a plain file", "这不是普通文件")};
  }
  return AtomicWrite(path, text, mode, force ? Existing::kReplace : Existing::kRefuse);
}

}  // namespace transplt
