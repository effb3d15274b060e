// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/base/text.h"
#include "transplt/facts/entry_argument.h"
#include "transplt/facts/origin.h"
#include "transplt/facts/start_style.h"
#include "transplt/programs/program_code.h"
#include "transplt/programs/program_graph.h"

namespace transplt {

/// A place of the project, and what it shows.
struct Evidence {
  std::string place;  ///< "tools/train.py:12"
  Text reason;
};

/// A unit of the ProgramGraph that a program runs.
struct RunUnit {
  uint32_t unit = 0;
  bool guessed = false;            ///< see ProgramGraph::Reached
  bool forgiven = false;           ///< likewise
  std::set<std::string> settings;  ///< likewise
  /// The `try` on all ways to it that takes what fails there and goes on: "train.py:12"; or "".
  std::string caught = {};
};

/// A program of a project, and how it has to be started.
struct EntryPoint {
  std::string path;            ///< "tools/train.py"
  std::string module;          ///< "package.train", where it has to be started with `python -m`
  std::string command;         ///< "fairseq-train": the command that installing the project makes
  std::string working_folder;  ///< relative to the root; "" for the root itself
  /// Folders that PYTHONPATH must hold, relative to the root, "" for the root itself.
  std::vector<std::string> python_path;
  StartStyle start = StartStyle::kSingle;
  /// Of kLocalRank and kDevice: the option, "--local_rank". Of kSpawns the one that turns it on, or
  /// "". Of kSingle the one that names the device, or "".
  std::string start_option;
  std::vector<EntryArgument> arguments;
  bool takes_overrides = false;                ///< `key=value`, as Hydra has it
  bool has_unlisted_options = false;           ///< a parser whose options the code does not list
  std::vector<std::string> example;            ///< a command of the project's documents or scripts
  std::vector<std::string> example_arguments;  ///< what the program gets in it
  std::map<std::string, std::string, std::less<>> example_environment;  ///< variables that it gets
  std::string example_place;
  std::vector<Origin> roots;                 ///< the CodeUnits that it begins with
  std::vector<RunUnit> runs;                 ///< all that it runs, with what it imports
  std::vector<ProgramGraph::Closed> closed;  ///< lines of it that it does not
  bool trains = false;
  bool updates_model = true;  ///< false: it changes other tensors, and no parameters of a model
  bool is_launched = false;   ///< a command of the project has a launcher start its processes
  bool is_certain = false;    ///< no method of an object of unknown class had to be guessed
  std::optional<Framework> framework;  ///< that it trains with
  std::vector<Evidence> evidence;
};

/// True for a program that is called like a test, that nothing in the project starts, and that
/// takes no options.
bool IsTest(const EntryPoint& entry);

struct EntryPoints {
  /// Of the candidate that comes first among those that train; PyTorch if none does.
  Framework framework = Framework::kPytorch;
  std::vector<EntryPoint> candidates;  ///< what trains first, the best first
  /// The candidate that the project itself shows to be its training; empty where a person has to
  /// choose among those that train, or none does.
  std::optional<size_t> chosen;
  Text why;                            ///< `chosen` is what it is
  std::vector<std::string> notebooks;  ///< which cannot be started as they are
};

/// Finds the programs of a project. Tests, and what installs the project, are none.
Result<EntryPoints> FindEntryPoints(const ProgramSources& sources);

/// The same, of code that was read before. `graph` is that of `code`.
EntryPoints FindEntryPoints(const ProgramSources& sources, const ProgramCode& code,
                            const ProgramGraph& graph, const TrainingApis& apis);

/// The code of a project, and its programs. Stays where it is made: its parts refer to each other.
struct ProjectPrograms {
  ProjectPrograms(const ProgramSources& sources, TrainingApis known)
      : apis(std::move(known)),
        code(ReadProgramCode(sources, apis)),
        graph(code, apis, sources.index.cancelled()),
        entries(FindEntryPoints(sources, code, graph, apis)) {}
  /// The same of other code; `known` are the rows that it was read with, and refers to.
  ProjectPrograms(const ProgramSources& sources, TrainingApis&& known, ProgramCode changed)
      : apis(std::move(known)),
        code(std::move(changed)),
        graph(code, apis, sources.index.cancelled()),
        entries(FindEntryPoints(sources, code, graph, apis)) {}
  ProjectPrograms(const ProjectPrograms&) = delete;
  ProjectPrograms& operator=(const ProjectPrograms&) = delete;

  TrainingApis apis;
  ProgramCode code;  ///< what the graph and the entries refer to
  const ProgramGraph graph;
  EntryPoints entries;
};

}  // namespace transplt
