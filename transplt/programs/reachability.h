// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_code.h"
#include "transplt/programs/program_graph.h"

namespace transplt {

/// How a program gets to a place.
struct ReachedBy {
  enum class How : uint8_t {
    kAlways,   ///< whenever it runs: at the top of a module that it imports, or in a function that
               ///< it calls, outside of branches
    kCalled,   ///< in a branch, or by a call in a branch
    kPerhaps,  ///< as kCalled, but through a method of an object whose class is not in the text
  };
  size_t program = 0;  ///< index in EntryPoints::candidates
  How how = How::kAlways;
  /// Only if one of these is set: options, attributes of a configuration, variables of the
  /// environment. Empty: as the program stands.
  std::set<std::string> settings = {};
  /// What has to be set as well for that: one of each.
  std::set<std::set<std::string>> outer = {};
  /// Only by imports without which the program goes on.
  bool forgiven = false;
  /// The `try` on all ways to it that takes what fails there and goes on: "train.py:12"; or "".
  std::string caught = {};
};

/// Adds another way of the same program: `known` becomes the surer one, with the settings of both.
/// A way that needs all that opens the other one as well has nothing to add: the inner condition of
/// two opens nothing alone.
void AddWay(ReachedBy& known, const ReachedBy& other);

/// Answers by which programs of a project a place is reached, as far as the text shows: what a
/// program looks up in tables by names that it makes at run time is not followed.
class Reachability {
 public:
  /// All must outlive it.
  Reachability(const ProgramCode& code, const ProgramGraph& graph, const EntryPoints& entries);

  /// In the order of the programs. A file that is not Python is reached by none.
  std::vector<ReachedBy> ProgramsThatReach(std::string_view file, uint32_t line) const;

  /// By which programs something is used that an import statement brings at this place: where the
  /// file itself uses it, or, if it does not, where the statement stands. For a line of something
  /// else as ProgramsThatReach.
  std::vector<ReachedBy> ProgramsThatUse(std::string_view file, uint32_t line,
                                         uint32_t column) const;

  /// True for a line of Python that no program gets to, even if each calls all methods of all
  /// classes of the files that it loads, and loads all files with what is registered for
  /// whoever asks, or that a configuration names, and for one behind a condition that holds in none
  /// of the programs that run the code around it. False for what installs the project.
  bool IsUnused(std::string_view file, uint32_t line) const;

 private:
  /// The units of the graph that programs may run so, sorted.
  std::vector<size_t> UnitsThatMayRun() const;

  std::vector<ReachedBy> ProgramsThatChoose(std::string_view file, uint32_t line,
                                            uint32_t column) const;

  /// What one program runs.
  struct Program {
    struct Unit {
      uint32_t unit = 0;  ///< of the graph
      ReachedBy::How how = ReachedBy::How::kAlways;
      const std::set<std::string>* settings = nullptr;
      bool forgiven = false;
      const std::string* caught = nullptr;
    };
    std::vector<Unit> units;  ///< sorted
    const std::vector<ProgramGraph::Closed>* closed = nullptr;
  };

  const ProgramCode& code_;
  const ProgramGraph& graph_;
  std::vector<Program> programs_;
  mutable std::once_flag may_run_made_;
  mutable std::vector<size_t> may_run_;  ///< UnitsThatMayRun(), once somebody has asked
};

}  // namespace transplt
