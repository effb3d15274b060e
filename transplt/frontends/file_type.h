// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace transplt {

/// How a file is read, told by its name.
enum class FileType : uint8_t {
  kPython,
  kNotebook,
  kShell,
  kYaml,
  kJson,
  kToml,
  kIni,
  kRequirements,  ///< of pip, and what Poetry, uv or PDM has settled on
  kCondaList,     ///< what `conda list` prints for `conda create --file`
  kDockerfile,
  kSubmodules,  ///< of git
  kMarkdown,
  kOther
};

/// True for a list of the exact versions that Poetry, uv or PDM installs: "poetry.lock".
bool IsLockFile(std::string_view path);

/// `path` with '/'.
FileType FileTypeOf(std::string_view path);

}  // namespace transplt
