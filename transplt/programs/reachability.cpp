// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/reachability.h"

#include <algorithm>
#include <set>
#include <utility>

#include "transplt/base/cancelled.h"

namespace transplt {
namespace {

/// Null for a file that is not Python, or cannot be read.
const FileUnits* UnitsOfFile(const ProgramCode& code, std::string_view file) {
  const auto path = std::ranges::lower_bound(code.paths, file);
  if (path == code.paths.end() || *path != file) return nullptr;
  return &code.files[static_cast<size_t>(path - code.paths.begin())];
}

/// True for code that runs when its module is imported, or its program started.
bool RunsAtOnce(const FileUnits& file, const CodeUnit& unit) {
  return unit.name.empty() || unit.name == kMainBlock || file.classes.contains(unit.name);
}

/// The modules that a program imports whenever it starts: by imports at the top of modules, outside
/// of branches.
class AlwaysImported {
 public:
  AlwaysImported(const ProgramCode& code, const ProgramGraph& graph) : code_(code), graph_(graph) {}

  /// The units of the graph, beginning with those of `roots` that are code of modules.
  std::set<size_t> From(const std::vector<Origin>& roots) {
    for (const Origin& root : roots) {
      if (root.name.empty() || root.name == kMainBlock) Visit(root);
    }
    while (!open_.empty()) {
      const Origin unit = std::move(open_.back());
      open_.pop_back();
      Expand(unit);
    }
    return std::move(found_);
  }

 private:
  void Visit(const Origin& unit) {
    const size_t node = graph_.Find(unit.file, unit.name);
    if (node != ProgramGraph::kNone && found_.insert(node).second) open_.push_back(unit);
  }

  void Expand(const Origin& origin) {
    const FileUnits* file = UnitsOfFile(code_, origin.file);
    const CodeUnit* unit = file == nullptr ? nullptr : file->Find(origin.name);
    if (unit == nullptr) return;
    for (const FileImport& import : unit->imports) {
      if (!file->StartAt(import.line).in_branch) Visit({import.file, ""});
    }
  }

  const ProgramCode& code_;
  const ProgramGraph& graph_;
  std::set<size_t> found_;
  std::vector<Origin> open_;
};

}  // namespace

Reachability::Reachability(const ProgramCode& code, const ProgramGraph& graph,
                           const EntryPoints& entries)
    : code_(code), graph_(graph) {
  for (const EntryPoint& entry : entries.candidates) {
    if (graph.IsCancelled()) return;
    const std::set<size_t> always = AlwaysImported(code, graph).From(entry.roots);
    Reached& reached = programs_.emplace_back();
    reached.reserve(entry.runs.size());
    for (const RunUnit& run : entry.runs) {
      const auto how = always.contains(run.unit) ? ReachedBy::How::kAlways
                       : run.guessed             ? ReachedBy::How::kPerhaps
                                                 : ReachedBy::How::kCalled;
      reached.emplace_back(run.unit, how);
    }
    std::ranges::sort(reached);
  }
}

bool Reachability::IsImport(std::string_view file, uint32_t line) const {
  const FileUnits* units = UnitsOfFile(code_, file);
  return units != nullptr && units->IsImport(line);
}

std::vector<ReachedBy> Reachability::ProgramsThatReach(std::string_view file, uint32_t line) const {
  const FileUnits* units = UnitsOfFile(code_, file);
  if (units == nullptr) return {};
  const UnitStart& start = units->StartAt(line);
  const CodeUnit& unit = units->units[start.unit];
  const bool runs_at_once = RunsAtOnce(*units, unit);
  // The body of a class runs with its module, whoever uses the class.
  const bool is_of_module = runs_at_once && unit.name != kMainBlock;
  const size_t node = graph_.Find(file, is_of_module ? "" : unit.name);
  const bool may_be_skipped = !runs_at_once || start.in_branch;
  std::vector<ReachedBy> found;
  for (size_t i = 0; i < programs_.size(); ++i) {
    const auto reached =
        std::ranges::lower_bound(programs_[i], node, {}, &Reached::value_type::first);
    if (reached == programs_[i].end() || reached->first != node) continue;
    const bool is_always = reached->second == ReachedBy::How::kAlways;
    found.push_back({i, is_always && may_be_skipped ? ReachedBy::How::kCalled : reached->second});
  }
  return found;
}

}  // namespace transplt
