// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
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
  bool is_pair = true;  ///< both runs have written the file
  double distance = 0;  ///< of numbers: how far they are apart at most
  /// Two runs of the reference differ there too, but far less.
  bool is_far = false;
};

/// What changes from run to run of the reference, besides numbers.
struct ResultVariation {
  OutputVariation out;
  OutputVariation err;
  std::map<std::string, OutputVariation> texts;  ///< by the name of the file
  VaryingNames files;                            ///< in the names of files

  void Add(const ResultVariation& more);
  bool IsEmpty() const;
};

/// All that two runs have computed, compared.
struct ResultComparison {
  OutputComparison out;
  OutputComparison err;
  size_t files = 0;                               ///< pairs of files that were compared
  size_t tensors = 0;                             ///< in those of them that are checkpoints
  std::map<std::string, OutputComparison> texts;  ///< of text files with different bytes
  std::vector<FileDifference> file_differences;   ///< of all other files
  std::vector<std::string> not_compared;  ///< files about the run: when and where it was made

  bool IsEqual() const;
  /// Adds the differences of another comparison with the same reference.
  void Add(const ResultComparison& more);
};

struct ComparisonSettings {
  std::string python;
  std::string simulator;
  std::string work_folder;
  NumberTolerance tolerance;
  std::chrono::milliseconds timeout = std::chrono::minutes(10);  ///< of reading the checkpoints
  const std::atomic<bool>* cancelled = nullptr;
};

/// Compares what two runs have printed and written; `out` says what of standard output counts.
Result<ResultComparison> CompareRuns(const SimulatedRun& reference, const SimulatedRun& other,
                                     const ComparisonSettings& settings,
                                     const ResultVariation& variation,
                                     OutputKind out = OutputKind::kResults);

/// In what a second run of the reference varies.
ResultVariation FindResultVariation(const SimulatedRun& reference, const SimulatedRun& again,
                                    const ComparisonSettings& settings);

/// The checks "numbers" and "files". `repeated` compares the reference with more runs of it: what
/// differs there is not reproducible, and no difference of the migration. `comparison` loses
/// what is not reproducible, so that it then holds what was really compared.
std::vector<Check> CheckResults(ResultComparison& comparison,
                                const std::optional<ResultComparison>& repeated);

/// The check "numbers" of runs of which one was ended at the timeout: what both had printed by
/// then.
Check CheckBeginnings(const SimulatedRun& reference, const SimulatedRun& migrated,
                      const ComparisonSettings& settings);

/// True if one more run of the reference may show that what is left of the differences is none of
/// the migration.
bool MayBeChance(const ResultComparison& comparison, const SimulatedRun& reference,
                 const SimulatedRun& migrated, const ComparisonSettings& settings,
                 const ResultVariation& variation);

/// How the lines of two runs belong together.
LineOrder OrderOf(const SimulatedRun& a, const SimulatedRun& b);

/// The check "cpu": the original without any device, compared with the reference.
Check CheckCpu(const SimulatedRun& cpu, const ResultComparison& with_reference);

/// True if nothing was there to compare.
bool IsNothing(const ResultComparison& comparison);

}  // namespace transplt
