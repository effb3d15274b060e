// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/framework.h"
#include "transplt/base/result.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_code.h"

namespace transplt {

/// The programs of a project, for the question which of them start on an NPU.
class StartVerdicts {
 public:
  /// Reads the code of all files; needs the files as they were before the run. `wanted`: the paths
  /// of the programs that count, in this order, all if it is empty; one that is no program is an
  /// Error. So is an index that is cancelled. The programs are found when they are first needed.
  static Result<StartVerdicts> Of(const ProgramSources& sources,
                                  const std::vector<std::string>& wanted);
  StartVerdicts(StartVerdicts&& other) noexcept;
  StartVerdicts& operator=(StartVerdicts&& other) noexcept;
  ~StartVerdicts();

  const TrainingApis& apis() const;
  const ProgramCode& code() const;
  /// The programs that the verdicts are about, before any edit; of the same `sources`.
  const ProjectPrograms& FindPrograms(const ProgramSources& sources);

  /// Takes the options as the edits of `run` leave them, and leaves out what stays for CUDA behind
  /// a condition. What follows is about programs with these edits, and needs them.
  void TakeEdits(const RunResult& run, const ProgramSources& sources);
  /// The programs with the edits.
  const ProjectPrograms& programs() const;
  /// True if a program of the project gets to the place of `record` whenever it starts.
  bool IsAlwaysReached(const ChangeRecord& record) const;
  /// True if one may get there.
  bool IsReached(const ChangeRecord& record) const;
  /// True if none is seen to get there, and the place is code that nothing uses.
  bool IsUnused(const ChangeRecord& record) const;

  /// Fills in `programs` of the run, which migrates `framework`, and which of them reach each
  /// record that is left open. `left_out`: files of other frameworks that the run leaves as they
  /// are. A program that nothing stops, and that uses no model, is not among them unless it was
  /// asked for.
  void Judge(RunResult& run, Framework framework, const std::set<std::string>& left_out) const;

 private:
  struct Reading;
  struct Knowledge;
  StartVerdicts(std::unique_ptr<Reading> reading, std::vector<std::string> wanted);
  std::optional<Error> Find(const ProgramSources& sources);
  std::vector<const FileUnits*> FilesOf(const EntryPoint& entry) const;
  bool Uses(const EntryPoint& entry, Framework framework) const;
  std::string FrameworkOf(const EntryPoint& entry, Framework first) const;
  bool IsOfOtherFramework(const EntryPoint& entry) const;
  bool UsesModels(const EntryPoint& entry) const;
  void NoteUnused(ChangeRecord& record) const;
  void LeaveOutTools(RunResult& run) const;

  std::vector<std::string> wanted_;
  std::unique_ptr<Reading> reading_;      // null once the programs are found
  std::unique_ptr<Knowledge> knowledge_;  // null before
};

}  // namespace transplt
