// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/file_type.h"

#include <array>
#include <utility>

namespace transplt {

bool IsLockFile(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "poetry.lock" || name == "uv.lock" || name == "pdm.lock";
}

bool TellsHowToStart(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  switch (FileTypeOf(path)) {
    case FileType::kMarkdown:
    case FileType::kShell:
    case FileType::kDockerfile:
      return true;
    default:
      return name.ends_with(".rst") || name.starts_with("README") || name.starts_with("readme") ||
             name.starts_with("Readme");
  }
}

FileType FileTypeOf(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, FileType>, 17> kTypes = {{
      {".py", FileType::kPython},
      {".ipynb", FileType::kNotebook},
      {".sh", FileType::kShell},
      {".bash", FileType::kShell},
      {".slurm", FileType::kShell},
      {".sbatch", FileType::kShell},
      {".sb", FileType::kShell},
      {".sub", FileType::kShell},
      {".yaml", FileType::kYaml},
      {".yml", FileType::kYaml},
      {".json", FileType::kJson},
      {".toml", FileType::kToml},
      {".ini", FileType::kIni},
      {".cfg", FileType::kIni},
      {".conf", FileType::kIni},
      {".md", FileType::kMarkdown},
      {".markdown", FileType::kMarkdown},
  }};
  for (const auto& [suffix, type] : kTypes) {
    if (path.ends_with(suffix)) return type;
  }
  const size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  if (name.starts_with("Dockerfile") || name.starts_with("Containerfile") || name == "dockerfile" ||
      name.ends_with(".dockerfile") || name.ends_with(".Dockerfile")) {
    return FileType::kDockerfile;
  }
  if (name == ".gitmodules") return FileType::kSubmodules;
  if (IsLockFile(name)) return FileType::kRequirements;
  const std::string_view folder = slash == std::string_view::npos ? "" : path.substr(0, slash);
  const bool is_of_pip = name.starts_with("requirement") || name.starts_with("constraints") ||
                         name.ends_with("requirements.txt") || folder.ends_with("requirements");
  if (is_of_pip && (name.ends_with(".txt") || name.ends_with(".in") || name.ends_with(".lock"))) {
    return FileType::kRequirements;
  }
  // The documentation of conda calls such files spec-file.txt and package-list.txt.
  const bool is_of_conda = name.find("conda") != std::string_view::npos ||
                           name.starts_with("spec-file") || name.starts_with("spec-list") ||
                           name.starts_with("package-list");
  if (is_of_conda && name.ends_with(".txt")) return FileType::kCondaList;
  return FileType::kOther;
}

}  // namespace transplt
