// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/file_budget.h"
#include "transplt/base/framework.h"
#include "transplt/base/result.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// The framework that most Python files of a project import, TensorFlow only if none imports
/// another; PyTorch if they import none. An Error if they import only frameworks that cannot be
/// migrated, or once `cancelled` is set, which may be null.
Result<Framework> DetectFramework(const ProjectFiles& project, const FileBudget& budget = {},
                                  const std::atomic<bool>* cancelled = nullptr);

/// True if a file beside `path` (below the same folder of the project's root, or in the root
/// itself) imports torch or mindspore: what `path` does with TensorFlow then serves a program of
/// that framework.
bool ServesAnotherFramework(const ProjectFiles& project, const std::string& path,
                            const FileBudget& budget = {},
                            const std::atomic<bool>* cancelled = nullptr);

/// Why a project of `framework`, "mindspore" or "tensorflow", cannot be migrated for any device.
Text OnlyPytorchIsForAnyDevice(std::string_view framework);

/// "uses jax in 3 files: not migrated", from what rules/..frameworks.json have found.
std::vector<Text> NotesAboutFrameworks(const RunResult& run);

}  // namespace transplt
