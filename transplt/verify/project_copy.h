// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// Something of a project that is not in the copy, with the reason.
struct NotCopied {
  std::string path;
  Text why;
};

/// Copies the folder `project` to `folder`/`name`, so that nothing that a program does there can
/// reach the original: links that lead out of it are not copied. Version control and Python
/// environments are left out without a word.
Result<std::vector<NotCopied>> CopyProject(const std::string& project, const std::string& folder,
                                           const std::string& name);

/// Copies what git ignores in `project` (its data, most often), and so no migration has copied, to
/// `copy` where it is missing there. The paths of the files, sorted.
Result<std::vector<std::string>> LendIgnoredFiles(const std::string& project,
                                                  const std::string& copy);

/// `text` with `copy` for each absolute path of one of the projects in it, so that a program that
/// gets it sees its copy.
std::string InCopy(std::string text, const std::vector<std::string>& projects,
                   const std::string& copy);

/// What tells that a file has changed.
struct FileState {
  uint64_t size = 0;
  int64_t modified = 0;  ///< nanoseconds
  uint64_t inode = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
using FileStates = std::map<std::string, FileState>;  ///< by path, relative to the folder

/// The regular files below `folder`, without Python's caches.
FileStates ListFiles(const std::string& folder);

/// The files that are in `after` and not, or changed, in `before`.
std::vector<std::string> WrittenFiles(const FileStates& before, const FileStates& after);

}  // namespace transplt
