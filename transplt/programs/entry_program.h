// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transplt/programs/entry_options.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_facts.h"

namespace transplt {

/// The folder that has to be searched for the file `path` to be found as `module`: "src" for
/// "src/a/b.py" and "a.b". Nothing if it cannot be found so.
std::optional<std::string> FolderOfModule(const std::string& path, std::string_view module);

/// Fills in what the code of one program says about it: whether it trains and with what, its start
/// style, its arguments, the folders that its imports need. The path of `entry` is set already, and
/// its module where only `-m` can start it.
class EntryProgram {
 public:
  EntryProgram(const ProjectIndex& index, const ProjectFiles& files, const ProgramGraph& graph,
               const TrainingApis& apis)
      : index_(index), graph_(graph), options_(files, graph, apis) {}

  void Describe(const ProgramGraph::Program& program, EntryPoint& entry) const;

 private:
  void FindPythonPath(const ProgramGraph::Program& program, const ProgramFacts& facts,
                      EntryPoint& entry) const;

  const ProjectIndex& index_;
  const ProgramGraph& graph_;
  const EntryOptions options_;
};

}  // namespace transplt
