// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/python/project_index.h"

namespace transplt {

/// The files of the project that an import statement of the file of `names` may bring, with the
/// packages around them.
std::vector<std::string> FilesOfImport(Node import, const NameTable& names,
                                       const ProjectIndex& project);

/// The Python files of a project in groups. Code of one group runs together: the files of one
/// package, the tests of one folder, and files of which one imports the other. Reads every file.
class ImportGroups {
 public:
  explicit ImportGroups(const ProjectIndex& index);

  /// A number below `size`, the same for the files of one group; of a path of the index.
  size_t GroupOf(std::string_view path) const { return groups_.find(path)->second; }
  size_t size() const { return imports_framework_.size(); }
  /// True if a file of the group imports PyTorch, MindSpore or TensorFlow.
  bool ImportsFramework(size_t group) const { return imports_framework_[group]; }
  /// The files that run together with one of `paths`: what imports it, however far away, and all
  /// that these import. Tests, which are started for themselves, count where they are among
  /// `paths`.
  std::set<std::string, std::less<>> RunWith(const std::set<std::string>& paths) const;

 private:
  using Edges = std::map<std::string, std::set<std::string>, std::less<>>;
  static std::set<std::string, std::less<>> Closure(std::set<std::string, std::less<>> from,
                                                    const Edges& edges);

  Edges imports_;
  Edges importers_;
  std::map<std::string, size_t, std::less<>> groups_;  // by path
  std::vector<bool> imports_framework_;                // by group
};

}  // namespace transplt
