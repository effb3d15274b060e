// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// Something that the simulator has seen, at one place of the project.
struct ReportedPlace {
  std::string what;
  std::string file;   ///< relative to the project; empty if no frame of the project is on the stack
  uint32_t line = 0;  ///< 0: unknown
  uint64_t count = 1;
  bool harmless = false;  ///< a question to which "no" is a good answer: torch.cuda.is_available()
  std::string now = {};   ///< how what was written for an older version is written today
  friend auto operator<=>(const ReportedPlace&, const ReportedPlace&) =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy misreads it
};

/// An operator that an NPU lacks or limits, where the program has run it.
struct ReportedOperator {
  std::string name;
  std::vector<std::string> types;
  std::string file;
  uint32_t line = 0;
  uint64_t count = 1;
  std::string support;  ///< "unsupported", "limited", or "module": not listed as a whole
  std::string note;
  friend auto operator<=>(const ReportedOperator&, const ReportedOperator&) =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy misreads it
};

/// An exception that has ended a process or a thread.
struct ReportedException {
  std::string type;
  std::string message;
  std::string file;
  uint32_t line = 0;
  std::string process;           ///< "main", "child" or "thread"
  bool lies_in_project = false;  ///< the module that was not found is one of the project's root
  friend auto operator<=>(const ReportedException&, const ReportedException&) =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy misreads it
};

/// The work that all processes have done on one device, or on the CPU.
struct ReportedWork {
  uint64_t operators = 0;
  uint64_t backwards = 0;
  std::string file;  ///< of the first backward on the CPU
  uint32_t line = 0;
};

/// What the processes of one run have written into their reports. Sorted, and without what differs
/// between equal runs: process ids, times, the order of processes.
struct RunReport {
  uint32_t processes = 0;
  uint32_t unfinished = 0;  ///< processes that did not come to their end
  std::string torch;        ///< version; empty if no process has imported it
  bool torch_supported = true;
  uint64_t steps = 0;           ///< after which a process was ended; 0: none was
  bool is_late = false;         ///< it was ended because time was over, and not as asked
  uint64_t trainers = 0;        ///< processes whose optimizers have made a step
  uint64_t ended_trainers = 0;  ///< those of them that were ended after so many steps
  /// Whether all processes that have trained were ended after the same number of steps.
  bool HasOneLastStep() const { return ended_trainers == trainers; }
  bool short_of_data = false;   ///< may have failed because a stand-in is smaller than its original
  uint64_t wanted_devices = 0;  ///< as many as its largest number wants; 0: no more than there are
  uint64_t largest_batch = 0;   ///< elements that a loader was asked to give at once
  bool is_slow = false;         ///< was ended because its first step took too long
  bool has_few_data = false;    ///< and a stand-in of it was smaller than its original
  bool used_device = false;     ///< a tensor or module was on the simulated device
  std::vector<std::set<uint64_t>> device_indices;  ///< of each process that has used devices
  ReportedWork device_work;                        ///< of all devices
  ReportedWork cpu_work;
  std::vector<int64_t> failed_exits;  ///< exit codes of processes, but for 0
  std::vector<ReportedPlace> residual;
  std::vector<ReportedPlace> violations;
  std::vector<ReportedPlace> unsimulated;
  std::vector<ReportedPlace> cpu_only;        ///< processes that trained, and on the CPU alone
  std::vector<ReportedPlace> stand_ins;       ///< packages that are missing and were stood in for
  std::vector<ReportedPlace> fake_weights;    ///< addresses of weights that were not downloaded
  std::vector<ReportedPlace> fake_downloads;  ///< addresses of data that were made up instead
  std::vector<ReportedPlace> old_spellings;   ///< what newer versions refuse, and was taken
  std::vector<ReportedOperator> operators;
  std::vector<ReportedException> exceptions;
  uint32_t unreadable = 0;  ///< lines that are no event
};

/// Reads the reports in `folder`. Equal places of several processes become one. A line that was
/// cut off because its process was killed is no error.
Result<RunReport> ReadRunReport(const std::string& folder);

/// Adds the events of one process, a JSON object per line.
void AddReport(std::string_view lines, RunReport& report);

}  // namespace transplt
