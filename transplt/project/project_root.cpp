// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/project_root.h"

#include <array>
#include <filesystem>
#include <string_view>

namespace transplt {

namespace fs = std::filesystem;

std::optional<std::string> ProjectRootAbove(const std::string& path) {
  constexpr std::array<std::string_view, 3> kMarks = {".git", "setup.py", "pyproject.toml"};
  for (fs::path folder = fs::path(path).parent_path();; folder = folder.parent_path()) {
    for (const std::string_view mark : kMarks) {
      std::error_code ignored;  // what cannot be asked is no mark
      if (fs::exists(folder / mark, ignored)) return folder.string();
    }
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

}  // namespace transplt
