// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/import_groups.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "transplt/base/framework.h"
#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Sets that grow together: each file starts as a set of its own.
class JoinedSets {
 public:
  explicit JoinedSets(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }

  size_t Find(size_t at) {
    while (parents_[at] != at) at = parents_[at] = parents_[parents_[at]];
    return at;
  }
  void Join(size_t a, size_t b) { parents_[Find(a)] = Find(b); }

 private:
  std::vector<size_t> parents_;
};

/// The folder of the outermost package that holds `path`, or "".
std::string_view PackageAround(std::string_view path, const std::vector<std::string>& paths) {
  std::string_view package;
  for (std::string_view folder = FolderOf(path); !folder.empty(); folder = FolderOf(folder)) {
    if (!std::ranges::binary_search(paths, std::string(folder) + "/__init__.py")) break;
    package = folder;
  }
  return package;
}

bool IsOfFramework(std::string_view module) {
  return std::ranges::any_of(
      kFrameworks, [&](Framework framework) { return IsInside(PackageOf(framework), module); });
}

}  // namespace

std::vector<std::string> FilesOfImport(Node import, const NameTable& names,
                                       const ProjectIndex& project) {
  const std::string& from = names.tree().source().path();
  std::vector<std::string> files;
  // The packages around a module are loaded before it.
  const auto add = [&](std::string_view module) {
    for (size_t dot = module.find('.'); dot != std::string_view::npos;
         dot = module.find('.', dot + 1)) {
      std::string package = project.FileOfModule(from, module.substr(0, dot));
      if (!package.empty() && ProjectIndex::IsPackage(package)) files.push_back(std::move(package));
    }
    std::string path = project.FileOfModule(from, module);
    if (!path.empty()) files.push_back(std::move(path));
  };
  if (import.Is(NodeKind::kImportFromStatement)) add(names.ModuleOf(import));
  for (const ImportedModule& module : ImportedModules(import, names)) add(module.name);
  return files;
}

ImportGroups::ImportGroups(const ProjectIndex& index) {
  const std::vector<std::string> paths = index.paths();
  JoinedSets sets(paths.size());
  std::vector<bool> uses_framework(paths.size());
  std::map<std::string_view, size_t> packages;  // folder -> one of its files
  std::map<std::string_view, size_t> tests;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (const std::string_view package = PackageAround(paths[i], paths); !package.empty()) {
      sets.Join(i, packages.try_emplace(package, i).first->second);
    }
    if (IsTestFile(paths[i])) {
      sets.Join(i, tests.try_emplace(FolderOf(paths[i]), i).first->second);
    }
    const std::shared_ptr<const OpenedFile> file = index.Open(paths[i]);
    if (file == nullptr) continue;  // reported when the file itself is migrated
    for (const Node node : NodesIn(file->tree())) {
      if (!IsImport(node) || file->tree().IsUnparsed(node.range())) continue;
      for (const ImportedModule& module : ImportedModules(node, file->names())) {
        if (IsOfFramework(module.name)) uses_framework[i] = true;
      }
      for (const std::string& imported : FilesOfImport(node, file->names(), index)) {
        const auto at = std::ranges::lower_bound(paths, imported);
        imports_[paths[i]].insert(imported);
        if (!IsTestFile(paths[i])) importers_[imported].insert(paths[i]);
        sets.Join(i, static_cast<size_t>(at - paths.begin()));
      }
    }
  }
  std::map<size_t, size_t> numbers;  // set -> group
  for (size_t i = 0; i < paths.size(); ++i) {
    const size_t group = numbers.try_emplace(sets.Find(i), numbers.size()).first->second;
    if (group == imports_framework_.size()) imports_framework_.push_back(false);
    if (uses_framework[i]) imports_framework_[group] = true;
    groups_.emplace(paths[i], group);
  }
}

std::set<std::string, std::less<>> ImportGroups::Closure(std::set<std::string, std::less<>> from,
                                                         const Edges& edges) {
  std::vector<std::string> open(from.begin(), from.end());
  while (!open.empty()) {
    const auto next = edges.find(open.back());
    open.pop_back();
    if (next == edges.end()) continue;
    for (const std::string& path : next->second) {
      if (from.insert(path).second) open.push_back(path);
    }
  }
  return from;
}

std::set<std::string, std::less<>> ImportGroups::RunWith(const std::set<std::string>& paths) const {
  return Closure(Closure({paths.begin(), paths.end()}, importers_), imports_);
}

}  // namespace transplt
