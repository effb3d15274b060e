// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/reachability.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/programs/configured.h"

namespace transplt {
namespace {

/// What a condition of the file closes in a program, or null.
const ProgramGraph::Closed* FindClosed(const std::vector<ProgramGraph::Closed>& closed, size_t file,
                                       size_t condition) {
  const auto place = [](const ProgramGraph::Closed& c) { return std::pair(c.file, c.condition); };
  const auto found = std::ranges::lower_bound(closed, std::pair(file, condition), {}, place);
  return found == closed.end() || place(*found) != std::pair(file, condition) ? nullptr : &*found;
}

/// True if whatever opens `inner` opens `way` as well.
bool IsOpenWith(const ReachedBy& way, const ReachedBy& inner) {
  return std::ranges::any_of(inner.outer, [&](const std::set<std::string>& needed) {
    return std::ranges::includes(way.settings, needed);
  });
}

/// True for code that runs when its module is imported, or its program started.
bool RunsAtOnce(const FileUnits& file, const CodeUnit& unit) {
  return unit.name.empty() || unit.name == kMainBlock || file.classes.contains(unit.name);
}

/// True for setup.py.
bool Installs(const FileUnits& file) {
  return std::ranges::any_of(file.units, [](const CodeUnit& unit) {
    return std::ranges::any_of(unit.facts, [](const CodeFact& fact) {
      return fact.api != nullptr && fact.api->kind == TrainingApi::Kind::kSetup;
    });
  });
}

/// What runs whenever a program does: modules by imports, functions and methods by calls, both
/// outside of branches.
class AlwaysRun {
 public:
  AlwaysRun(const ProgramCode& code, const ProgramGraph& graph) : code_(code), graph_(graph) {}

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
    const FileUnits* file = code_.Find(origin.file);
    const CodeUnit* unit = file == nullptr ? nullptr : file->Find(origin.name);
    if (unit == nullptr) return;
    for (const FileImport& import : unit->imports) {
      if (!import.is_sure) continue;
      Visit({import.file, ""});
      if (import.runs_main) Visit({import.file, std::string(kMainBlock)});
    }
    for (const Mention& mention : unit->mentions) {
      if (!mention.is_sure) continue;
      const bool is_class = graph_.FindClass(mention.target) != nullptr;
      Visit({mention.target.file, mention.target.name + (is_class ? ".__init__" : "")});
    }
    for (const MethodCall& call : unit->calls) {
      // One of several makers made the object.
      if (!call.is_sure || call.makers.size() != 1) continue;
      const Origin& maker = call.makers.front();
      if (graph_.FindClass(maker) != nullptr) Visit({maker.file, maker.name + "." + call.method});
    }
  }

  const ProgramCode& code_;
  const ProgramGraph& graph_;
  std::set<size_t> found_;
  std::vector<Origin> open_;
};

/// Leaves of the way `by` what `other`, another place of the same program, needs as well.
void NeedAsWell(const ReachedBy& other, ReachedBy& by) {
  by.how = std::max(by.how, other.how);
  if (other.settings.empty()) return;
  if (by.settings.empty()) {
    by.settings = other.settings;
    by.outer = other.outer;
  } else if (by.settings != other.settings) {
    by.outer.insert(other.settings);
  }
}

}  // namespace

void AddWay(ReachedBy& known, const ReachedBy& other) {
  if (known.forgiven != other.forgiven) {
    if (known.forgiven) known = other;
    return;
  }
  if (other.caught.empty()) known.caught.clear();
  if (known.settings.empty() != other.settings.empty()) {
    const std::string caught = known.caught;
    if (other.settings.empty()) known = other;
    if (caught.empty()) known.caught.clear();
    return;
  }
  known.how = std::min(known.how, other.how);
  if (IsOpenWith(known, other)) return;
  if (IsOpenWith(other, known)) {
    known.settings = other.settings;
    known.outer = other.outer;
    return;
  }
  known.settings.insert(other.settings.begin(), other.settings.end());
  if (known.outer != other.outer) known.outer.clear();
}

Reachability::Reachability(const ProgramCode& code, const ProgramGraph& graph,
                           const EntryPoints& entries)
    : code_(code), graph_(graph) {
  for (const EntryPoint& entry : entries.candidates) {
    if (graph.IsCancelled()) return;
    const std::set<size_t> always = AlwaysRun(code, graph).From(entry.roots);
    Program& program = programs_.emplace_back();
    program.closed = &entry.closed;
    program.units.reserve(entry.runs.size());
    for (const RunUnit& run : entry.runs) {
      const auto how = always.contains(run.unit) ? ReachedBy::How::kAlways
                       : run.guessed             ? ReachedBy::How::kPerhaps
                                                 : ReachedBy::How::kCalled;
      program.units.push_back({run.unit, how, &run.settings, run.forgiven, &run.caught});
    }
    std::ranges::sort(program.units, {}, &Program::Unit::unit);
  }
}

std::vector<ReachedBy> Reachability::ProgramsThatUse(std::string_view file, uint32_t line,
                                                     uint32_t column) const {
  const FileUnits* units = code_.Find(file);
  if (units == nullptr) return {};
  const auto later = units->works_later.find(line);
  if (later != units->works_later.end()) return ProgramsThatReach(file, later->second);
  const ImportStatement* import = units->ImportAt(line);
  if (import == nullptr) return ProgramsThatChoose(file, line, column);
  const std::vector<LineColumn> uses = import->UsesOf(line, column);
  if (uses.empty() && import->is_for_file) return {};
  if (uses.empty()) {
    // Other files may use it; the statement alone does no harm.
    std::vector<ReachedBy> found = ProgramsThatReach(file, line);
    for (ReachedBy& by : found) by.how = std::max(by.how, ReachedBy::How::kCalled);
    return found;
  }
  std::map<size_t, ReachedBy> best;
  const std::vector<ReachedBy> bringing = ProgramsThatReach(file, line);
  for (const LineColumn use : uses) {
    for (ReachedBy& by : ProgramsThatChoose(file, use.line, use.column)) {
      // Where other branches bring the name, too, a use after them is one of each.
      const auto brings = std::ranges::lower_bound(bringing, by.program, {}, &ReachedBy::program);
      if (brings == bringing.end() || brings->program != by.program) continue;
      NeedAsWell(*brings, by);
      const auto [known, is_new] = best.try_emplace(by.program, by);
      if (!is_new) AddWay(known->second, by);
    }
  }
  std::vector<ReachedBy> found;
  found.reserve(best.size());
  for (auto& [program, by] : best) found.push_back(std::move(by));
  return found;
}

/// Those that reach the line, and there take the branch of the conditional expression.
std::vector<ReachedBy> Reachability::ProgramsThatChoose(std::string_view file, uint32_t line,
                                                        uint32_t column) const {
  std::vector<ReachedBy> found = ProgramsThatReach(file, line);
  const FileUnits& units = *code_.Find(file);
  const size_t choice = units.ChoiceAt(line, column);
  if (choice == FileUnits::kNoChoice) return found;
  const auto at = static_cast<size_t>(&units - code_.files.data());
  std::erase_if(found, [&](ReachedBy& by) {
    const std::vector<ProgramGraph::Closed>& closed = *programs_[by.program].closed;
    const ProgramGraph::Closed* end = FindClosed(closed, at, units.starts.size() + choice);
    by.how = std::max(by.how, ReachedBy::How::kCalled);
    if (end == nullptr) return false;
    if (!by.settings.empty()) by.outer.insert(by.settings);
    by.settings = end->settings;
    return by.settings.empty();
  });
  return found;
}

std::vector<ReachedBy> Reachability::ProgramsThatReach(std::string_view file, uint32_t line) const {
  const FileUnits* units = code_.Find(file);
  if (units == nullptr) return {};
  const UnitStart& start = units->StartAt(line);
  const CodeUnit& unit = units->units[start.unit];
  // The body of a class runs with its module, whoever uses the class.
  const bool is_of_module = RunsAtOnce(*units, unit) && unit.name != kMainBlock;
  const size_t node = graph_.Find(file, is_of_module ? "" : unit.name);
  const bool may_be_skipped = start.in_branch || !unit.ComesTo(line);
  const auto at = static_cast<size_t>(units - code_.files.data());
  const auto start_index = static_cast<size_t>(&start - units->starts.data());
  const uint32_t own_try = units->CaughtAt(start.unit, line);
  std::vector<ReachedBy> found;
  for (size_t i = 0; i < programs_.size(); ++i) {
    const auto& [reachable, closed] = programs_[i];
    const auto reached = std::ranges::lower_bound(reachable, node, {}, &Program::Unit::unit);
    if (reached == reachable.end() || reached->unit != node) continue;
    const ProgramGraph::Closed* end = FindClosed(*closed, at, start_index);
    if (end != nullptr && end->settings.empty()) continue;
    const bool is_always = reached->how == ReachedBy::How::kAlways;
    ReachedBy& by = found.emplace_back();
    by.program = i;
    by.forgiven = reached->forgiven;
    by.caught = *reached->caught;
    if (own_try != 0) by.caught = std::string(file) + ":" + std::to_string(own_try);
    by.how = is_always && may_be_skipped ? ReachedBy::How::kCalled : reached->how;
    // The innermost condition says what the place is for.
    by.settings = end != nullptr ? end->settings : *reached->settings;
    if (end == nullptr) continue;
    by.outer = end->outer;
    if (!reached->settings->empty()) by.outer.insert(*reached->settings);
  }
  return found;
}

bool Reachability::IsUnused(std::string_view file, uint32_t line) const {
  const FileUnits* units = code_.Find(file);
  if (units == nullptr || Installs(*units) || !ProgramsThatReach(file, line).empty()) return false;
  std::call_once(may_run_made_, [&] { may_run_ = UnitsThatMayRun(); });
  const CodeUnit& unit = units->units[units->StartAt(line).unit];
  const bool is_of_module = RunsAtOnce(*units, unit) && unit.name != kMainBlock;
  const size_t node = graph_.Find(file, is_of_module ? "" : unit.name);
  if (!std::ranges::binary_search(may_run_, node)) return true;
  // The programs that run the unit do not come to the line, whatever is set: each of them hands a
  // parameter the value with which a condition does not hold.
  return std::ranges::any_of(programs_, [&](const Program& program) {
    return std::ranges::binary_search(program.units, node, {}, &Program::Unit::unit);
  });
}

std::vector<size_t> Reachability::UnitsThatMayRun() const {
  std::set<size_t> found;
  for (const Program& program : programs_) {
    for (const Program::Unit& unit : program.units) found.insert(unit.unit);
  }
  std::set<size_t> asked;  // indexes of files whose methods are among the roots
  std::set<std::string_view> configured;
  for (const Origin& origin : code_.configured) configured.insert(origin.file);
  for (bool is_new = true; is_new && !graph_.IsCancelled();) {
    is_new = false;
    std::vector<size_t> roots;
    for (size_t i = 0; i < code_.files.size(); ++i) {
      const FileUnits& file = code_.files[i];
      const bool has_functions = std::ranges::any_of(
          file.units, [](const CodeUnit& unit) { return !unit.registrars.empty(); });
      const bool is_registered =
          has_functions || std::ranges::any_of(file.classes, [](const auto& entry) {
            return !entry.second.registries.empty();
          });
      const size_t module = graph_.Find(code_.paths[i], "");
      const bool is_configured = configured.contains(code_.paths[i]);
      const bool has_roots = !file.classes.empty() || is_configured || has_functions;
      if (!has_roots || asked.contains(i)) continue;
      if (!is_registered && !is_configured && !found.contains(module)) continue;
      asked.insert(i);
      is_new = true;
      roots.push_back(module);
      bool is_any = false;
      for (const Origin& origin : code_.configured) {
        if (origin.file != code_.paths[i]) continue;
        is_any |= origin.name == kAnyMember;
        const size_t unit = graph_.Find(origin.file, origin.name);
        if (unit != ProgramGraph::kNone) roots.push_back(unit);
      }
      for (const CodeUnit& unit : file.units) {
        const bool is_root = is_any || !unit.registrars.empty();
        if (is_root) roots.push_back(graph_.Find(code_.paths[i], unit.name));
      }
      for (const auto& [name, holder] : file.classes) {
        for (const std::string& method : holder.methods) {
          const size_t unit = graph_.Find(code_.paths[i], name + "." + method);
          if (unit != ProgramGraph::kNone) roots.push_back(unit);
        }
      }
    }
    if (!is_new) break;
    for (const ProgramGraph::Reached& reached : graph_.ReachFrom(roots, true).units) {
      found.insert(reached.unit);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace transplt
