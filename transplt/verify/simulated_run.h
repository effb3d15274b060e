// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/child_process.h"
#include "transplt/verify/printed_line.h"
#include "transplt/verify/project_copy.h"
#include "transplt/verify/run_report.h"

namespace transplt {

/// Elements of a batch where those of the script are too slow for a CPU.
inline constexpr int kSmallBatch = 4;

/// What all runs of a verification have in common.
struct RunSettings {
  std::string python;
  std::vector<std::string> arguments;  ///< of Python; may hold {device} and {backend}
  std::string folder;                  ///< of the copy, in which they run; empty: its root
  std::vector<std::string> projects;   ///< paths in them are those of the copy
  std::string simulator;               ///< the folder with the simulator
  std::string work_folder;
  std::string torch_npu;
  int devices = 1;
  long seed = 0;
  int steps = 0;
  /// Without `steps`: the time after which processes are ended in front of their next step; 0:
  /// none.
  std::chrono::seconds time_for_steps{0};
  bool fake_data = false;
  bool whole_data = false;  ///< fake data sets are as large as the originals
  /// A run whose first step takes longer, with larger batches than small ones or with the largest
  /// that were asked for, is ended; 0: none is.
  std::chrono::seconds time_for_first_step{0};
  int largest_batch = 0;  ///< loaders give no more elements at once; 0: as many as they are asked
  std::chrono::seconds timeout{600};
  bool keep_copies = false;  ///< else each goes when its run has ended: a project may hold much
  const std::atomic<bool>* cancelled = nullptr;
};

/// What one run has left.
struct SimulatedRun {
  std::string folder;  ///< where it ran, without links
  ProcessEnd end;
  RunReport report;
  std::vector<PrintedLine> out;
  std::vector<PrintedLine> err;
  bool is_cut_off = false;  ///< it has printed more than is compared
  /// Uncaught exceptions on standard error that no report has, as their last lines.
  std::vector<ReportedException> tracebacks;
  std::string written_folder;        ///< holds what it has written, and nothing else
  std::vector<std::string> written;  ///< the names there, sorted; that of a device is `<device>`
  /// Written files that are copies of files of the project, by name: its path there. Programs keep
  /// their sources beside what they have trained.
  std::map<std::string, std::string> copies;
  std::vector<NotCopied> not_copied;
  bool is_installed = false;      ///< its packages could be imported as after `pip install -e .`
  std::vector<std::string> lent;  ///< files of the original that the project does not have
  /// True if it came to its end without a word about an error.
  bool Succeeded() const;
};

/// Runs the script in a fresh copy of `project`. `name` is that of its folder below the work
/// folder, `device` the simulated one: "cuda", "npu" or "cpu". What `lender` (may be empty) has of
/// files that git ignores, and the project has not, is in the copy too.
Result<SimulatedRun> RunSimulated(const RunSettings& settings, const std::string& project,
                                  const std::string& name, const std::string& device,
                                  const std::string& lender = "");

/// The uncaught exceptions in what a run has printed on standard error; `folder` is where it ran.
std::vector<ReportedException> FindTracebacks(std::string_view err, std::string_view folder);

/// The paths of written files, each with the name that it has in all runs: that of a device is
/// `<device>`. Where two files would get one name, `gpu` is no name of a device, or else none is.
std::map<std::string, std::string> NamesOfWritten(const std::vector<std::string>& paths);

}  // namespace transplt
