// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/programs/program_graph.h"

namespace transplt {

/// What the code of a program holds, in the order in which it is reached.
struct ProgramFacts {
  struct Fact {
    const CodeFact* fact = nullptr;
    size_t reached = 0;  ///< index in Program::units
    const std::string* file = nullptr;
    std::string place;        ///< "train.py:12"
    bool is_guessed = false;  ///< see ProgramGraph::Reached
  };

  ProgramFacts(const ProgramGraph& graph, const ProgramGraph::Program& program);

  /// The first fact of this kind; null if there is none.
  const Fact* First(CodeFact::Kind kind, bool guessed_too = true) const;

  std::vector<Fact> all;
  struct Unit {
    const CodeUnit* code = nullptr;
    bool is_guessed = false;
  };
  std::vector<Unit> units;
};

/// "train.py:12": a line of the file of program.units[reached].
std::string PlaceOf(const ProgramGraph& graph, const ProgramGraph::Program& program, size_t reached,
                    uint32_t line);

/// True for calls of libraries that train, not for those that only start processes.
bool Trains(const TrainingApi& api);

}  // namespace transplt
