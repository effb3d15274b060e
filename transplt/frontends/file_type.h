// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// True for a text that tells people or a shell how to start the programs of a project: a document,
/// a script, a Dockerfile.
bool TellsHowToStart(std::string_view path);

/// The paths of such texts among what has paths.
std::vector<std::string> TextsOfStarts(const auto& entries) {
  std::vector<std::string> paths;
  for (const auto& entry : entries) {
    if (TellsHowToStart(entry.path)) paths.push_back(entry.path);
  }
  return paths;
}

/// `path` with '/'.
FileType FileTypeOf(std::string_view path);

}  // namespace transplt
