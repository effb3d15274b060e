// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/import_closure.h"

#include <algorithm>
#include <vector>

#include "transplt/base/test_file.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"
#include "transplt/python/dotted_name.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr size_t kMostImporting = 1000;

bool IsOfProject(std::string module, const std::string& from, const ProjectIndex* project) {
  while (project != nullptr && !module.empty()) {
    if (!project->FileOfModule(from, module).empty()) return true;
    const size_t dot = module.rfind('.');
    module.resize(dot == std::string::npos ? 0 : dot);
  }
  return false;
}

/// True if each import is of a module of Python or of the project.
bool ImportsNoPackage(const NameTable& names, const ProjectIndex* project) {
  const std::string& path = names.tree().source().path();
  const auto is_near = [&](const std::string& module) {
    return Words("python-modules").Has(FirstPart(module)) || IsOfProject(module, path, project);
  };
  return std::ranges::all_of(names.star_imports(), is_near) &&
         std::ranges::all_of(names.bindings(), [&](const Binding& binding) {
           return binding.kind != BindingKind::kImport || is_near(binding.target);
         });
}

}  // namespace

std::set<std::string> FilesOfImport(Node import, const OpenedFile& file,
                                    const ProjectIndex& project) {
  std::set<std::string> files;
  const std::string& path = file.source().path();
  for (const ImportedModule& module : ImportedModules(import, file.names())) {
    // `from a.b import c` names a.b.c, which may be a module or be in one; a and a.b run first.
    for (size_t end = module.name.size(); end != std::string::npos && end > 0;
         end = module.name.rfind('.', end - 1)) {
      files.insert(project.FileOfModule(path, std::string_view(module.name).substr(0, end)));
    }
  }
  files.erase("");
  return files;
}

std::set<std::string> FilesNamedBy(const std::string& path, const ProjectIndex& project,
                                   const std::function<bool(Node import)>& counts) {
  std::set<std::string> files;
  const std::shared_ptr<const OpenedFile> file = project.Open(path);
  if (file == nullptr) return files;
  for (const Node node : NodesIn(file->names().tree())) {
    if (!IsImport(node) || IsForTypesOnly(node, file->names())) continue;
    if (counts && !counts(node)) continue;
    files.merge(FilesOfImport(node, *file, project));
  }
  return files;
}

std::set<std::string> FilesImportedBy(const std::string& path, const ProjectIndex& project) {
  std::set<std::string> all = {path};
  std::vector<std::string> open = {path};
  while (!open.empty() && all.size() < kMostImporting) {
    const std::string next = std::move(open.back());
    open.pop_back();
    for (const std::string& file : FilesNamedBy(next, project)) {
      if (all.insert(file).second) open.push_back(file);
    }
  }
  return all;
}

bool ComesOnlyWith(const std::string& file, const std::string& line_of,
                   const ProjectIndex& project) {
  if (FilesImportedBy(file, project).contains(line_of)) return true;
  const std::set<std::string> before = FilesImportedBy(line_of, project);
  if (!before.contains(file)) return false;
  const std::string module = ProjectIndex::ModuleName(file);
  return std::ranges::all_of(project.FilesSpelling(LastPart(module)),
                             [&](const std::string& other) {
                               return before.contains(other) || IsTestFile(other) ||
                                      !FilesNamedBy(other, project).contains(file) ||
                                      FilesImportedBy(other, project).contains(line_of);
                             });
}

bool ImportsPythonAlone(const NameTable& names, const ProjectIndex* project) {
  const bool imports = std::ranges::any_of(names.bindings(), [](const Binding& binding) {
    return binding.kind == BindingKind::kImport;
  });
  if (!imports || !ImportsNoPackage(names, project)) return false;
  if (project == nullptr) return true;
  return std::ranges::all_of(FilesImportedBy(names.tree().source().path(), *project),
                             [&](const std::string& path) {
                               const std::shared_ptr<const OpenedFile> file = project->Open(path);
                               return file == nullptr || ImportsNoPackage(file->names(), project);
                             });
}

}  // namespace transplt
