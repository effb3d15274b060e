// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "transplt/distributed/multi_card.h"
#include "transplt/engine/api_support.h"
#include "transplt/engine/engine.h"
#include "transplt/facts/project.h"
#include "transplt/facts/project_code.h"
#include "transplt/facts/settled_conditions.h"
#include "transplt/programs/tensorflow_programs.h"
#include "transplt/python/project_index.h"
#include "transplt/rewrite/file_result.h"

namespace transplt {

class NativeSources;
class StandInPlan;

using FileMigration = FileResult;

/// What goes with libraries that are left out as a whole.
struct LeftOutCode {
  std::map<std::string, std::string, std::less<>> files;  ///< see FilesOfLibraries
  std::set<std::string, std::less<>> rules;               ///< about the libraries, by their ids
};

struct FileMigrationOptions {
  Framework framework = Framework::kPytorch;
  TensorflowVersions tensorflow;
  Machine machine = {};  ///< where the result will run; its text must outlive this
  /// That one, and others that the project may get to later: what runs on none is not edited.
  std::vector<Machine> machines = {};
  /// Why files stay as they are whatever the rules say, by their paths; null: none does.
  const std::map<std::string, Text, std::less<>>* kept_files = nullptr;
  /// Files that stay as well, but for the rows about their libraries; null: there are none.
  const LeftOutCode* left_out = nullptr;
  /// What the programs of the project do with TensorFlow; null: each file tells by itself.
  const TensorflowPrograms* tensorflow_programs = nullptr;
  const ProjectValues* shared_values = nullptr;  ///< null: what is not decided in one file stays so
  const ProjectModules* modules = nullptr;       ///< of the project; null if only one file is known
  bool insert_npu_import = true;
  /// Report what speaks of CUDA in files that are not Python and that no rule is about.
  bool report_rest = true;
  bool any_device = false;     ///< the result has to run on every device, CUDA as before
  bool mark = false;           ///< comments around what is edited
  bool guard_imports = false;  ///< the file can be imported where torch_npu is missing
  /// Migrate also what has no side for the NPU in a program that serves NPUs otherwise.
  bool extend_served = false;
  /// Edit the commands in documents; else rows say what to write there.
  bool edit_docs = false;
  /// What other files of the project tell about devices; null: nothing. Must outlive the call.
  const ProjectCode* code = nullptr;
  const FixDecisions* decisions = nullptr;    ///< of a person; may be null
  const MultiCardPlan* multi_card = nullptr;  ///< null: programs keep the cards that they use
  /// To report what torch_npu does not support; null: nothing of that.
  const ApiSupport* api_support = nullptr;
  const NativeSources* native = nullptr;  ///< null: C++ and CUDA sources are only copied
  /// C++ and CUDA sources of which nothing is built before kernels are written anew, and their
  /// modules: they stay as they are. Null: none does.
  const std::map<std::string, std::string, std::less<>>* waiting_sources = nullptr;
  const StandInPlan* stand_ins = nullptr;  ///< null: nothing stands in for CUDA sources
  std::vector<std::string> disabled = {};  ///< rules that are switched off, by their ids
  const IsDeclined* declined = nullptr;    ///< what the project never wants; may be null
  bool with_values = false;                ///< ChangeRecord::values is wanted
  bool with_diff = false;
  bool with_edits = false;
  /// Skip the parser for files that cannot hold anything. Never changes a result; off to measure.
  bool prefilter = true;
};

/// True if the program of the file `path` serves the NPU already, so that the file stays as it is.
bool IsServed(std::string_view path, const FileMigrationOptions& options);

/// Why the file stays as it is, or null.
const Text* ReasonToKeep(std::string_view path, const FileMigrationOptions& options);
/// The row that says so, at the first place that something was found at; none where nothing was.
Findings KeptRow(const Findings& findings, const Text& reason);

/// Migrates one Python file: finds, selects, edits, and reads the result back. If that shows an
/// error which the original did not have, the original stays and the outcome is kFailed. Ends
/// early, with no outcome to rely on, once the parser's meter is spent.
FileMigration MigrateFile(const std::string& path, std::string bytes, const Engine& engine,
                          const ProjectIndex* project, Parser& parser,
                          const FileMigrationOptions& options);

}  // namespace transplt
