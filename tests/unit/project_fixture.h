// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "transplt/project/project_files.h"

namespace transplt {

inline ProjectFiles Found(const std::string& input, const FileSelection& selection = {}) {
  Result<ProjectFiles> found = FindProjectFiles(input, selection);
  if (found) return *std::move(found);
  ADD_FAILURE() << found.error().where << ": " << found.error().what.en;
  return {};
}

/// "path" of every entry of `kind`.
inline std::vector<std::string> Paths(const ProjectFiles& found, ProjectEntry::Kind kind) {
  std::vector<std::string> paths;
  for (const ProjectEntry& entry : found.entries) {
    if (entry.kind == kind) paths.push_back(entry.path);
  }
  return paths;
}

inline const ProjectEntry& At(const ProjectFiles& found, const std::string& path) {
  static const ProjectEntry none;
  for (const ProjectEntry& entry : found.entries) {
    if (entry.path == path) return entry;
  }
  ADD_FAILURE() << path << " was not found";
  return none;
}

}  // namespace transplt
