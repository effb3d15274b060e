// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/analysis/entry_points.h"
#include "transplt/analysis/program_graph.h"

namespace transplt {

/// Fills in what the code of one program says about it: whether it trains and with what, its start
/// style, its arguments, the folders that its imports need. The path of `entry` is set already, and
/// its module where only `-m` can start it.
class EntryProgram {
 public:
  EntryProgram(const ProjectIndex& index, const ProjectFiles& files, const ProgramGraph& graph,
               const TrainingApis& apis)
      : index_(index), files_(files), graph_(graph), apis_(apis) {}

  void Describe(const ProgramGraph::Program& program, EntryPoint& entry) const;

 private:
  struct Facts;

  static bool UpdatesModel(const Facts& facts);
  Facts Collect(const ProgramGraph::Program& program) const;
  void JudgeTraining(const ProgramGraph::Program& program, const Facts& facts,
                     EntryPoint& entry) const;
  void AddArguments(const Facts& facts, EntryPoint& entry) const;
  void AddDataclass(const Origin& origin, int depth, EntryPoint& entry) const;
  void AddHydra(const Facts& facts, EntryPoint& entry) const;
  void GiveRoles(const Facts& facts, EntryPoint& entry) const;
  bool JoinsGroup(const CodeFact& process) const;
  void FindStart(const Facts& facts, EntryPoint& entry) const;
  void FindPythonPath(const ProgramGraph::Program& program, const Facts& facts,
                      EntryPoint& entry) const;
  std::string PlaceOf(const ProgramGraph::Program& program, size_t reached, uint32_t line) const;
  std::string WayTo(const ProgramGraph::Program& program, size_t reached) const;

  const ProjectIndex& index_;
  const ProjectFiles& files_;
  const ProgramGraph& graph_;
  const TrainingApis& apis_;
};

}  // namespace transplt
