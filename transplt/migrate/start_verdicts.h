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
  /// Error. So is an index that is cancelled.
  static Result<StartVerdicts> Of(const ProgramSources& sources,
                                  const std::vector<std::string>& wanted);
  StartVerdicts(StartVerdicts&& other) noexcept;
  StartVerdicts& operator=(StartVerdicts&& other) noexcept;
  ~StartVerdicts();

  /// The programs that the verdicts are about.
  const ProjectPrograms& programs() const;
  const ProgramCode& code() const;
  /// True if a program of the project gets to the place of `record` whenever it starts.
  bool IsAlwaysReached(const ChangeRecord& record) const;
  /// True if one may get there.
  bool IsReached(const ChangeRecord& record) const;

  /// Takes the options as the edits of `run` leave them, and leaves out what stays for CUDA behind
  /// a condition.
  void TakeEdits(const RunResult& run, const ProgramSources& sources,
                 const std::vector<std::string>& wanted);

  /// Fills in `programs` of the run, which migrates `framework`, and which of them reach each
  /// record that is left open. `left_out`: files of other frameworks that the run leaves as they
  /// are.
  void Judge(RunResult& run, Framework framework, const std::set<std::string>& left_out) const;

 private:
  struct Knowledge;
  bool Uses(const EntryPoint& entry, Framework framework) const;
  explicit StartVerdicts(std::unique_ptr<Knowledge> knowledge);
  std::unique_ptr<Knowledge> knowledge_;
};

}  // namespace transplt
