// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/python_script.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "transplt/base/text_parts.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

bool NamesPython(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with("#!") && (HasPart(line, "/python") || HasPart(line, " python"));
}

}  // namespace

bool IsPythonScript(int folder, std::string_view name, mode_t mode) {
  if (name.ends_with(".py")) return true;
  if (!S_ISREG(mode) || NameOfFile(name).find('.') != std::string_view::npos) return false;
  const FileHandle file(
      openat(folder, std::string(name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::array<char, 128> head{};
  const ssize_t count = file ? read(file.get(), head.data(), head.size()) : 0;
  return count > 0 && NamesPython({head.data(), static_cast<size_t>(count)});
}

}  // namespace transplt
