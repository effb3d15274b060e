// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/dead_files.h"

#include <algorithm>
#include <map>
#include <utility>

#include "transplt/base/word_list.h"
#include "transplt/facts/import_closure.h"
#include "transplt/facts/range_set.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/main_block.h"

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

}  // namespace

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
