// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "transplt/programs/program_code.h"

namespace transplt {

/// A project of these files, by path, for questions about its programs.
class ProjectOnDisk {
 public:
  explicit ProjectOnDisk(const std::map<std::string, std::string>& texts) {
    for (const auto& [path, text] : texts) folder_.Write(path, text);
    Result<ProjectFiles> found = FindProjectFiles(folder_.path(), {});
    if (!found) {
      ADD_FAILURE() << found.error().what.en;
      return;
    }
    files_ = *std::move(found);
    std::vector<std::string> paths;
    for (const ProjectEntry& entry : files_.entries) {
      if (entry.kind == ProjectEntry::Kind::kMigratable) paths.push_back(entry.path);
    }
    index_ = std::make_unique<ProjectIndex>(
        paths, [this](const std::string& path) -> Result<std::string> {
          const auto entry = std::find_if(files_.entries.begin(), files_.entries.end(),
                                          [&](const ProjectEntry& e) { return e.path == path; });
          return ReadProjectFile(files_, *entry);
        });
  }

  ProgramSources sources() const { return {files_, *index_, 2}; }

 private:
  TempFolder folder_;
  ProjectFiles files_;
  std::unique_ptr<ProjectIndex> index_;
};

}  // namespace transplt
