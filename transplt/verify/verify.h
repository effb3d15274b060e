// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/engine/rule_set.h"
#include "transplt/verify/output_comparison.h"
#include "transplt/verify/verdict.h"

namespace transplt {

/// One run of `transplt verify`.
struct VerifyOptions {
  std::string original;
  std::string migrated;
  /// Of Python: the script and its own. `{device}` and `{backend}` in them are those of each run.
  std::vector<std::string> arguments;
  std::string folder;  ///< relative to the project: the current folder; empty: the project itself
  std::string python;  ///< empty: the first that has torch
  std::string torch_npu{kNewestTorch};
  int devices = 0;  ///< 0: one, or as many as the numbers of devices in the script want
  long seed = 0;
  int steps = 0;  ///< of optimizers, after which each process of a run is ended; 0: never
  std::chrono::seconds timeout{600};
  bool fake_data = false;
  bool skip_cpu = false;
  bool static_only = false;
  std::string keep;  ///< the folder to work in, kept; empty: one that is removed
  NumberTolerance tolerance;
  /// Is told what begins now.
  std::function<void(const Text&)> progress = [](const Text&) {};
  const std::atomic<bool>* cancelled = nullptr;
};

/// Looks at both projects, runs the original and the migrated script under the simulator, and
/// compares. Neither project is written to. An Error means that nothing was run.
Result<Verification> Verify(const VerifyOptions& options);

}  // namespace transplt
