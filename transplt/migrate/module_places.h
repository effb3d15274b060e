// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "transplt/project/project_files.h"

namespace transplt {

/// "pkg/ops" of "pkg/ops.cpython-310.so" and "pkg/ops.pyx".
std::string_view WithoutEndings(std::string_view path);

/// The files and folders of a project as places of modules, whatever folder Python starts in. A
/// link is there under its name, and a folder of modules need not be a package. The project must
/// outlive it.
class ModulePlaces {
 public:
  explicit ModulePlaces(const ProjectFiles& project);

  /// True if a file or folder has this path, which is without an ending.
  bool Has(std::string_view path) const { return known_.contains(path); }
  bool HasFolder(std::string_view path) const { return folders_.contains(path); }

  /// The paths that end in the module, without endings: "nerf/nerf/dataset" for nerf.dataset.
  std::vector<std::string_view> Of(std::string_view module) const;

 private:
  void Add(std::string_view path);

  std::set<std::string_view> known_;
  std::set<std::string_view> folders_;
  std::map<std::string_view, std::vector<std::string_view>> names_;  // known_, by the last part
};

}  // namespace transplt
