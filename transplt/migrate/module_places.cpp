// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/module_places.h"

#include <algorithm>
#include <string>

#include "transplt/base/text_parts.h"

namespace transplt {

std::string_view WithoutEndings(std::string_view path) {
  const size_t name = path.size() - NameOfFile(path).size();
  return path.substr(0, path.find('.', name));
}

ModulePlaces::ModulePlaces(const ProjectFiles& project) {
  for (const ProjectEntry& entry : project.entries) {
    Add(WithoutEndings(entry.path));
    std::string_view folder = FolderOf(entry.path);
    while (!folder.empty() && folders_.insert(folder).second) {
      if (!known_.contains(folder)) Add(folder);
      folder = FolderOf(folder);
    }
  }
}

std::vector<std::string_view> ModulePlaces::Of(std::string_view module) const {
  std::string spelled = "/" + std::string(module);
  std::ranges::replace(spelled, '.', '/');
  std::vector<std::string_view> places;
  const auto same_name = names_.find(NameOfFile(spelled));
  if (same_name == names_.end()) return places;
  for (const std::string_view path : same_name->second) {
    if (path == std::string_view(spelled).substr(1) || path.ends_with(spelled)) {
      places.push_back(path);
    }
  }
  return places;
}

void ModulePlaces::Add(std::string_view path) {
  known_.insert(path);
  names_[NameOfFile(path)].push_back(path);
}

}  // namespace transplt
