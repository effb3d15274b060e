// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "transplt/base/result.h"

namespace transplt {

struct ProjectFiles;

/// What a run has looked at in a project: the list of its files, and what was in those that it has
/// read. Filled by FindProjectFiles and ReadProjectFile, from any thread. A run that finds all of
/// this as it was can only come to the same end.
class ReadLog {
 public:
  void SetList(const ProjectFiles& project);
  void AddFile(const std::string& path, const Result<std::string>& bytes);
  /// Another program has looked at `path` and found what PathState says.
  void AddLook(const std::string& path, const std::string& state);
  /// Another program has read files, and nobody knows which.
  void AddUnknownFiles();

  /// True if the log names everything that was looked at, and no file changed meanwhile.
  bool is_complete() const { return is_complete_ && !list_.empty(); }
  const std::string& list() const { return list_; }  ///< HashOfList of the project
  /// HashOfRead by the path of the file.
  const std::map<std::string, std::string>& files() const { return files_; }
  /// PathState by path.
  const std::map<std::string, std::string>& looks() const { return looks_; }

 private:
  std::mutex mutex_;
  bool is_complete_ = true;
  std::string list_;
  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> looks_;
};

/// A hash of everything that ProjectFiles says but for the texts of an editor.
std::string HashOfList(const ProjectFiles& project);

/// A hash of the bytes; a file that cannot be read has one, too.
std::string HashOfRead(const Result<std::string>& bytes);

}  // namespace transplt
