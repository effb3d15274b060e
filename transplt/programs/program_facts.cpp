// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/program_facts.h"

#include <fmt/format.h>

#include "transplt/base/plain_text.h"

namespace transplt {

ProgramFacts::ProgramFacts(const ProgramGraph& graph, const ProgramGraph::Program& program) {
  for (size_t at = 0; at < program.units.size(); ++at) {
    const CodeUnit& unit = graph.UnitAt(program.units[at].unit);
    units.push_back({&unit, program.units[at].guessed});
    for (const CodeFact& fact : unit.facts) {
      all.push_back({&fact, at, &graph.FileOf(program.units[at].unit),
                     PlaceOf(graph, program, at, fact.line), program.units[at].guessed});
    }
  }
}

const ProgramFacts::Fact* ProgramFacts::First(CodeFact::Kind kind, bool guessed_too) const {
  for (const Fact& fact : all) {
    if (fact.fact->kind == kind && (guessed_too || !fact.is_guessed)) return &fact;
  }
  return nullptr;
}

std::string PlaceOf(const ProgramGraph& graph, const ProgramGraph::Program& program, size_t reached,
                    uint32_t line) {
  return fmt::format("{}:{}", OneLine(graph.FileOf(program.units[reached].unit)), line);
}

bool Trains(const TrainingApi& api) {
  return api.kind == TrainingApi::Kind::kObject || api.kind == TrainingApi::Kind::kFunction ||
         api.kind == TrainingApi::Kind::kMethod;
}

}  // namespace transplt
