// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/facts/guard_signatures.h"
#include "transplt/facts/project_code.h"
#include "transplt/project/project_files.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// What the shell scripts of a project say about running it on NPUs.
struct NpuLaunches {
  /// A variable of the environment that a script sets to something for NPUs.
  struct Variable {
    std::string value;
    std::string place;  ///< "run.sh:12"
  };
  /// Python files that a script tells to take an NPU, `--device npu`, and "run.sh:12" of that.
  std::map<std::string, std::string, std::less<>> started;
  std::map<std::string, Variable, std::less<>> variables;
};

NpuLaunches FindNpuLaunches(const ProjectFiles& project, const ProjectIndex& index,
                            const GuardSignatures& signatures);

/// Rows about code that serves NPUs and takes CUDA unless such a variable is set:
/// `os.environ.get("PLATFORM", "cuda")`.
std::vector<ChangeRecord> VariablesForNpus(const NpuLaunches& launches, const ProjectCode& code,
                                           const ProjectIndex& index,
                                           const GuardSignatures& signatures);

}  // namespace transplt
