// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/verify/npu_names.h"
#include "transplt/verify/verdict.h"

namespace transplt {

struct StaticCheckOptions {
  std::string original;
  std::string migrated;
  std::string python;       ///< the program
  std::string work_folder;  ///< for the files that the checks need
  std::string simulator;    ///< the folder whose packages the migrated program will have
  /// What `transplt migrate` would still change is a failure: nothing is run that could show more.
  bool leftovers_fail = false;
};

/// Looks at both projects without running them: files that compiled still compile, names of
/// torch_npu exist, imports resolve, and what a migration would still change.
Result<std::vector<Check>> CheckStatically(const StaticCheckOptions& options,
                                           const NpuNames& names);

}  // namespace transplt
