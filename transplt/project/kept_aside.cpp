// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/kept_aside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace transplt {

std::string KeepAside(int folder, const std::string& name, std::string_view as) {
  constexpr size_t kLongestStem = 240;  // of the 255 bytes that a name may have
  const std::string_view stem = as.substr(0, kLongestStem);
  for (int number = 1;; ++number) {
    std::string free = fmt::format("{}.before-{}", stem, number);
    if (renameat2(folder, name.c_str(), folder, free.c_str(), RENAME_NOREPLACE) == 0) return free;
    if (errno == EEXIST) continue;
    if (errno != EINVAL && errno != ENOSYS) return "";
    // A file system that cannot refuse to replace.
    if (faccessat(folder, free.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) continue;
    return renameat(folder, name.c_str(), folder, free.c_str()) == 0 ? free : "";
  }
}

}  // namespace transplt
