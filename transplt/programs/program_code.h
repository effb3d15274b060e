// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/settled_conditions.h"
#include "transplt/facts/training_apis.h"
#include "transplt/programs/code_units.h"
#include "transplt/programs/console_scripts.h"
#include "transplt/programs/entry_commands.h"
#include "transplt/project/project_files.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A project as its programs are looked for in it. What it refers to must outlive it.
struct ProgramSources {
  const ProjectFiles& files;
  const ProjectIndex& index;  ///< of the Python files among them
  int jobs = 0;               ///< threads; 0: all processors
  /// Where the programs will run; its text must outlive this.
  Machine machine = {};
};

/// The code of all Python files of a project.
struct ProgramCode {
  /// Files that can be read, sorted. A file that the index gives up on is left out.
  std::vector<std::string> paths;
  std::vector<FileUnits> files;  ///< of `paths`, in their order
  std::vector<ConsoleScript> scripts = {};
  std::vector<EntryCommand> commands = {};
  /// Classes and functions whose full names stand in YAML and JSON, `target: pkg.net.Net`, and
  /// modules, without a name, that commands hand to programs; sorted. A helper of the project, or a
  /// library, imports what the configuration of the day names.
  std::vector<Origin> configured = {};
  /// By the file of a program that is started with configurations: what only configurations name
  /// with which others are started; indexes in `configured`.
  std::map<std::string, std::set<size_t>, std::less<>> configured_elsewhere = {};
  std::set<std::string, std::less<>> configured_keys = {};  ///< of YAML and JSON

  /// Null for a file that is not Python, or cannot be read.
  const FileUnits* Find(std::string_view file) const;
};

/// Asks the index for each file once, so that a file which it still keeps is not parsed again. Ends
/// early, with no answer to rely on, once the index is cancelled; so do all that go by its answer.
/// `apis` must outlive the answer.
ProgramCode ReadProgramCode(const ProgramSources& sources, const TrainingApis& apis);

}  // namespace transplt
