// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/result.h"
#include "transplt/engine/framework.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// The framework that most Python files of a project import; PyTorch if they import none. An Error
/// if they import only frameworks that cannot be migrated.
Result<Framework> DetectFramework(const ProjectFiles& project);

/// "uses jax in 3 files: not migrated", from what rules/..frameworks.json have found.
std::vector<Text> NotesAboutFrameworks(const RunResult& run);

}  // namespace transplt
