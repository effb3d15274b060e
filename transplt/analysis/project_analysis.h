// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/analysis/torch_apis.h"
#include "transplt/base/result.h"
#include "transplt/project/project_files.h"

namespace transplt {

struct AnalysisOptions {
  std::string input;
  std::string torch_version;
  int jobs = 0;  ///< threads; 0: all processors
  FileSelection files;
};

/// What a project uses that needs a look before it runs on an NPU.
struct ProjectAnalysis {
  std::string name;           ///< of the project
  std::vector<ApiUse> uses;   ///< by file, then in the order of the text
  size_t files = 0;           ///< that were read
  size_t files_of_torch = 0;  ///< of these, those that import torch
  std::vector<std::string> unread;
};

Result<ProjectAnalysis> AnalyzeProject(const AnalysisOptions& options);

}  // namespace transplt
