// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/file_type.h"

#include <array>
#include <utility>

namespace transplt {

FileType FileTypeOf(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, FileType>, 14> kTypes = {{
      {".py", FileType::kPython},
      {".ipynb", FileType::kNotebook},
      {".sh", FileType::kShell},
      {".bash", FileType::kShell},
      {".slurm", FileType::kShell},
      {".sbatch", FileType::kShell},
      {".sub", FileType::kShell},
      {".yaml", FileType::kYaml},
      {".yml", FileType::kYaml},
      {".json", FileType::kJson},
      {".toml", FileType::kToml},
      {".ini", FileType::kIni},
      {".cfg", FileType::kIni},
      {".conf", FileType::kIni},
  }};
  for (const auto& [suffix, type] : kTypes) {
    if (path.ends_with(suffix)) return type;
  }
  return FileType::kOther;
}

}  // namespace transplt
