// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/base/result.h"

namespace transplt {

/// What became of one project of a batch.
enum class ProjectOutcome {
  kMigrated,     ///< edited, and nothing is left for a person
  kUnchanged,    ///< nothing to edit, and nothing is left for a person
  kNeedsPerson,  ///< migrated as far as it goes: places or files are left for a person
  kFailed,       ///< the migration ended with an error; there is no result
  kUnreadable,   ///< the path or the archive cannot be read
  kCrashed,      ///< a signal has ended its process
  kTimedOut,     ///< it took longer than --timeout
  kOutOfMemory,  ///< it needed more than --memory
};

/// All of them, in the order in which reports list them.
inline constexpr std::array kProjectOutcomes = {
    ProjectOutcome::kMigrated, ProjectOutcome::kUnchanged,  ProjectOutcome::kNeedsPerson,
    ProjectOutcome::kFailed,   ProjectOutcome::kUnreadable, ProjectOutcome::kCrashed,
    ProjectOutcome::kTimedOut, ProjectOutcome::kOutOfMemory};

std::string_view Name(ProjectOutcome outcome);  ///< "migrated", "needs_person", ...
Text OutcomeText(ProjectOutcome outcome);       ///< for a person
std::optional<ProjectOutcome> OutcomeNamed(std::string_view name);

/// What identifies a record.
struct RecordKey {
  size_t number = 0;  ///< of the project in the manifest, from 1
  std::string name;
  std::string path;
  std::string inputs;  ///< hash of what decides the result, but for the project's own files
  std::string rules;   ///< hash of the rules
};

/// What a run needed; differs from run to run.
struct RunCost {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  uint64_t peak_memory = 0;  ///< bytes
  std::string stderr_text;   ///< the end of what the process printed; usually empty
};

/// What a migration that ended has to tell, as the members of a record (a JSON object).
/// `output`: the result folder relative to the output of the batch, "" if nothing was written;
/// `digest`: of the tree in it.
std::string MigrationBody(const RunResult& run, const std::string& output,
                          const std::string& digest);

/// The same for a project without result; `outcome` is kFailed or kUnreadable.
std::string ErrorBody(ProjectOutcome outcome, const Error& error);

/// The same for a process that did not end by itself. `signal` 0: none.
std::string AbnormalBody(ProjectOutcome outcome, int signal, const Text& what);

/// A line of the results with its line end: the key, the members of `body`, and the cost as the
/// member "run", which is left out if there is none. Nothing else in it differs from run to run.
std::string RecordLine(const RecordKey& key, const std::string& body,
                       const std::optional<RunCost>& cost);

/// The parts of a record that a batch itself reads.
struct RecordHead {
  size_t number = 0;
  std::string name;
  std::string inputs;
  ProjectOutcome outcome = ProjectOutcome::kFailed;
};

/// Nothing if the line is no record of this version of the format.
std::optional<RecordHead> ReadRecordHead(std::string_view line);

/// `line`, a record, with another number, and without "run" if `with_run` is false.
std::string AdaptedRecord(std::string_view line, size_t number, bool with_run);

}  // namespace transplt
