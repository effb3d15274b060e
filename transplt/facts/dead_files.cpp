// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/dead_files.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/import_closure.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/range_set.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/main_block.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Paths = std::set<std::string, std::less<>>;

constexpr size_t kMostDead = 1000;

class DeadFiles {
 public:
  DeadFiles(const ProjectIndex& project, const std::vector<Machine>& machines)
      : project_(project), machines_(machines) {}

  Paths Find() {
    Collect();
    const Paths found = dead_;
    for (const std::string& path : found) {
      if (IsStarted(path) || IsImportedAlive(path)) Revive(path);
    }
    return std::move(dead_);
  }

 private:
  /// All that imports in dead parts bring.
  void Collect() {
    Paths asking;
    for (const std::string_view name : Words("torch-versions").words()) {
      for (const std::string& path : project_.FilesSpelling(LastPart(name))) asking.insert(path);
    }
    std::vector<std::string> open;
    for (const std::string& path : asking) {
      for (const std::string& file : ImportsOf(path, true)) open.push_back(file);
    }
    while (!open.empty() && dead_.size() < kMostDead) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (!dead_.insert(next).second) continue;
      for (const std::string& file : FilesNamedBy(next, project_)) open.push_back(file);
    }
  }

  /// What the imports of `path` bring that stand in dead parts, or the others.
  const std::set<std::string>& ImportsOf(const std::string& path, bool in_dead_parts) {
    const auto [known, is_new] = imports_.try_emplace({path, in_dead_parts});
    if (is_new) known->second = FindImports(path, in_dead_parts);
    return known->second;
  }

  std::set<std::string> FindImports(const std::string& path, bool in_dead_parts) const {
    const std::shared_ptr<const OpenedFile> file = project_.Open(path);
    if (file == nullptr) return {};
    const RangeSet parts(DeadPartsOnAll(file->names(), machines_));
    return FilesNamedBy(path, project_, [&](Node import) {
      return parts.Contains(import.range()) == in_dead_parts;
    });
  }

  bool IsStarted(const std::string& path) const {
    const std::shared_ptr<const OpenedFile> file = project_.Open(path);
    return file == nullptr || !MainBlocksOf(file->names().tree().root()).empty();
  }

  /// True if a file that is not dead imports it.
  bool IsImportedAlive(const std::string& path) {
    const std::string module = ProjectIndex::ModuleName(path);
    return std::ranges::any_of(
        project_.FilesSpelling(LastPart(module)), [&](const std::string& other) {
          return !dead_.contains(other) && ImportsOf(other, false).contains(path);
        });
  }

  void Revive(const std::string& path) {
    std::vector<std::string> open = {path};
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (dead_.erase(next) == 0) continue;
      for (const std::string& file : ImportsOf(next, false)) open.push_back(file);
    }
  }

  const ProjectIndex& project_;
  const std::vector<Machine>& machines_;
  Paths dead_;
  std::map<std::pair<std::string, bool>, std::set<std::string>> imports_;  // see ImportsOf
};

bool IsAtTop(Node import) { return import.parent().Is(NodeKind::kModule); }

bool IsWay(NodeKind kind) {
  return kind == NodeKind::kIfStatement || kind == NodeKind::kMatchStatement ||
         kind == NodeKind::kTryStatement;
}

/// True if an import within a function or a branch is one of several ways; what a program does
/// when it is started is none.
bool IsOneOfWays(Node import) {
  for (Node outer = import.parent(); outer; outer = outer.parent()) {
    if (!IsWay(outer.kind())) continue;
    if (!outer.parent().Is(NodeKind::kModule)) return true;
    const std::vector<Node> started = MainBlocksOf(outer.parent());
    return std::ranges::find(started, outer) == started.end();
  }
  return false;
}

/// The imports of the file for more than types that name `file`.
std::vector<Node> ImportsOfFile(const std::string& file, const OpenedFile& of,
                                const ProjectIndex& project) {
  std::vector<Node> imports;
  for (const Node node : NodesIn(of.names().tree())) {
    if (!IsImport(node) || IsForTypesOnly(node, of.names())) continue;
    if (FilesOfImport(node, of, project).contains(file)) imports.push_back(node);
  }
  return imports;
}

/// The files that cannot be imported without a library, from one that imports it on.
class FilesOfLibrary {
 public:
  explicit FilesOfLibrary(const ProjectIndex& project) : project_(project) {}

  /// Empty where a program would be among them; of one that imports the library itself its rule
  /// tells.
  Paths From(const std::string& seed) {
    Paths files = {seed};
    Paths inside;  // of packages that are among them: nobody starts these
    std::vector<std::string> open = {seed};
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (!inside.contains(next) && IsProgram(next)) return {};
      Paths more;
      for (const std::string& other : FilesThatMayImport(next)) {
        if (other == next || IsTestFile(other)) continue;
        switch (WayTo(next, other)) {
          case Way::kNone:
          case Way::kOneOfSeveral:
            break;
          case Way::kAlways:
            return {};
          case Way::kAtTop:
            more.insert(other);
            break;
        }
      }
      if (ProjectIndex::IsPackage(next)) {
        AddPackage(next, inside);
        more.insert(inside.begin(), inside.end());
      }
      for (const std::string& file : more) {
        if (files.insert(file).second) open.push_back(file);
      }
      if (files.size() > kMostDead) return {};
    }
    return files;
  }

  /// True if files beside `files` import one of them, and each time only where `library` is there.
  bool AreBehindImports(const Paths& files, std::string_view library) const {
    bool is_any = false;
    for (const std::string& file : files) {
      for (const std::string& other : FilesThatMayImport(file)) {
        if (files.contains(other) || IsTestFile(other)) continue;
        const std::shared_ptr<const OpenedFile> opened = project_.Open(other);
        if (opened == nullptr) return false;
        for (const Node import : ImportsOfFile(file, *opened, project_)) {
          if (!RunsWithLibraryAlone(import, library, opened->names(), &project_)) return false;
          is_any = true;
        }
      }
    }
    return is_any;
  }

 private:
  enum class Way { kNone, kOneOfSeveral, kAtTop, kAlways };

  /// How the file `from` comes to import `file`.
  Way WayTo(const std::string& file, const std::string& from) const {
    const std::shared_ptr<const OpenedFile> opened = project_.Open(from);
    if (opened == nullptr) return Way::kAlways;
    Way way = Way::kNone;
    for (const Node import : ImportsOfFile(file, *opened, project_)) {
      way = std::max(way, IsAtTop(import)       ? Way::kAtTop
                          : IsOneOfWays(import) ? Way::kOneOfSeveral
                                                : Way::kAlways);
    }
    return way;
  }

  const std::vector<std::string>& FilesThatMayImport(const std::string& path) const {
    return project_.FilesSpelling(LastPart(ProjectIndex::ModuleName(path)));
  }

  /// What lies in a package cannot be imported without it; what is started from there can.
  void AddPackage(const std::string& package, Paths& more) const {
    const std::string_view folder = FolderOf(package);
    for (const std::string& path : project_.paths()) {
      if (FolderOf(path) != folder || IsStarted(path) || IsTestFile(path)) continue;
      more.insert(path);
    }
  }

  bool IsStarted(const std::string& path) const {
    const std::shared_ptr<const OpenedFile> file = project_.Open(path);
    return file == nullptr || !MainBlocksOf(file->names().tree().root()).empty();
  }

  /// True for a file that is started, or that no other names.
  bool IsProgram(const std::string& path) const {
    const std::vector<std::string>& spelling = FilesThatMayImport(path);
    const bool is_named = ProjectIndex::IsPackage(path) ||
                          std::ranges::any_of(spelling, [&](const std::string& other) {
                            return other != path && FilesNamedBy(other, project_).contains(path);
                          });
    return !is_named || IsStarted(path);
  }

  const ProjectIndex& project_;
};

/// `takes` says of each group of such files whether it counts.
std::map<std::string, std::string, std::less<>> FindFilesOfLibraries(
    const std::vector<std::string>& libraries, const ProjectIndex& project,
    const std::function<bool(const FilesOfLibrary&, const Paths&, const std::string&)>& takes) {
  std::map<std::string, std::string, std::less<>> files;
  FilesOfLibrary of_library(project);
  for (const std::string& library : libraries) {
    for (const std::string& path : project.FilesSpelling(LastPart(library))) {
      const std::shared_ptr<const OpenedFile> file = project.Open(path);
      if (file == nullptr || files.contains(path) || IsTestFile(path)) continue;
      if (!project.FileOfModule(path, library).empty()) continue;
      const bool needs_it = std::ranges::any_of(
          NamedChildren(file->names().tree().root()),
          [&](Node statement) { return Brings(statement, library, file->names()); });
      if (!needs_it) continue;
      const Paths found = of_library.From(path);
      if (!takes(of_library, found, library)) continue;
      for (const std::string& one : found) files.emplace(one, library);
    }
  }
  return files;
}

}  // namespace

std::map<std::string, std::string, std::less<>> FilesOfLibraries(
    const std::vector<std::string>& libraries, const ProjectIndex& project) {
  return FindFilesOfLibraries(libraries, project, [](const auto&...) { return true; });
}

std::map<std::string, std::string, std::less<>> FilesBehindLibraries(
    const std::vector<std::string>& libraries, const ProjectIndex& project) {
  return FindFilesOfLibraries(
      libraries, project,
      [](const FilesOfLibrary& of_library, const Paths& files, const std::string& library) {
        return of_library.AreBehindImports(files, library);
      });
}

std::vector<TextRange> PartsBehindImports(
    const std::string& path, const std::map<std::string, std::string, std::less<>>& files,
    const ProjectIndex& project) {
  std::vector<TextRange> parts;
  const std::shared_ptr<const OpenedFile> file = files.empty() ? nullptr : project.Open(path);
  if (file == nullptr) return parts;
  for (const Node node : NodesIn(file->names().tree())) {
    if (!IsImport(node) || IsAtTop(node) || IsForTypesOnly(node, file->names())) continue;
    const std::set<std::string> named = FilesOfImport(node, *file, project);
    const bool fails =
        std::ranges::any_of(named, [&](const std::string& other) { return files.contains(other); });
    if (fails) parts.push_back({node.range().end, node.parent().range().end});
  }
  return parts;
}

std::vector<TextRange> DeadPartsOnAll(const NameTable& names,
                                      const std::vector<Machine>& machines) {
  std::vector<TextRange> dead;
  for (const Machine& machine : machines) {
    const std::vector<TextRange> parts = SettledConditions(names, machine).DeadParts();
    if (&machine == &machines.front()) {
      dead = parts;
    } else {
      std::erase_if(dead, [&](TextRange part) { return !RangeSet(parts).Contains(part); });
    }
    if (dead.empty()) break;
  }
  return dead;
}

std::set<std::string, std::less<>> FilesOfDeadImports(const ProjectIndex& project,
                                                      const std::vector<Machine>& machines) {
  return DeadFiles(project, machines).Find();
}

}  // namespace transplt
