// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/reachability.h"

#include <algorithm>

namespace transplt {
namespace {

/// True for code that runs when its module is imported, or its program started.
bool RunsAtOnce(const FileUnits& file, const CodeUnit& unit) {
  return unit.name.empty() || unit.name == kMainBlock || file.classes.contains(unit.name);
}

}  // namespace

Reachability::Reachability(const ProgramCode& code, const ProgramGraph& graph,
                           const EntryPoints& entries)
    : code_(code), graph_(graph) {
  for (const EntryPoint& entry : entries.candidates) {
    std::vector<size_t> roots;
    for (const Origin& root : entry.roots) roots.push_back(graph.Find(root.file, root.name));
    Reached& reached = programs_.emplace_back();
    for (const ProgramGraph::Reached& unit : graph.ReachFrom(roots, true).units) {
      reached[unit.unit] = unit.guessed ? ReachedBy::How::kPerhaps : ReachedBy::How::kCalled;
    }
  }
}

std::vector<ReachedBy> Reachability::ProgramsThatReach(std::string_view file, uint32_t line) const {
  const auto path = std::ranges::lower_bound(code_.paths, file);
  if (path == code_.paths.end() || *path != file) return {};
  const FileUnits& units = code_.files[static_cast<size_t>(path - code_.paths.begin())];
  const UnitStart& start = units.StartAt(line);
  const CodeUnit& unit = units.units[start.unit];
  const bool runs_at_once = RunsAtOnce(units, unit);
  const bool is_main = unit.name == kMainBlock;
  // The body of a class runs with its module, whoever uses the class.
  const size_t node = graph_.Find(file, runs_at_once && !is_main ? "" : unit.name);
  std::vector<ReachedBy> found;
  for (size_t i = 0; i < programs_.size(); ++i) {
    const auto reached = programs_[i].find(node);
    if (reached == programs_[i].end()) continue;
    const bool is_certain = reached->second == ReachedBy::How::kCalled;
    found.push_back({i, runs_at_once && !start.in_branch && is_certain ? ReachedBy::How::kAlways
                                                                       : reached->second});
  }
  return found;
}

}  // namespace transplt
