// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/verify/output_comparison.h"
#include "transplt/verify/simulated_run.h"
#include "transplt/verify/verdict.h"

namespace transplt {

/// A file that two runs have written differently, or only one of them.
struct FileDifference {
  std::string file;
  std::string part;  ///< "model.fc.weight" in a checkpoint; empty: the file as a whole
  Text what;
  std::string reference = {};
  std::string other = {};
};

/// All that two runs have computed, compared.
struct ResultComparison {
  OutputComparison out;
  OutputComparison err;
  size_t files = 0;    ///< pairs of files that were compared
  size_t tensors = 0;  ///< in those of them that are checkpoints
  std::vector<FileDifference> file_differences;
  std::vector<FileDifference> unread_files;  ///< with the reason, in `what`

  bool IsEqual() const;
};

struct ComparisonSettings {
  std::string python;
  std::string simulator;
  std::string work_folder;
  NumberTolerance tolerance;
};

/// Compares what two runs have printed and written; `out` says what of standard output counts.
Result<ResultComparison> CompareRuns(const SimulatedRun& reference, const SimulatedRun& other,
                                     const ComparisonSettings& settings,
                                     OutputKind out = OutputKind::kResults);

/// The checks "numbers" and "files". `repeated` compares the reference with a second run of it:
/// what differs there is not reproducible, and no difference of the migration. `comparison` loses
/// what is not reproducible, so that it then holds what was really compared.
std::vector<Check> CheckResults(ResultComparison& comparison,
                                const std::optional<ResultComparison>& repeated);

/// The check "cpu": the original without any device, compared with the reference.
Check CheckCpu(const SimulatedRun& cpu, const ResultComparison& with_reference);

/// True if nothing was there to compare.
bool IsNothing(const ResultComparison& comparison);

}  // namespace transplt
