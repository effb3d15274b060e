// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/result.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// The framework that the Python files of a project import: "pytorch", "tensorflow",
/// "mindspore"; torch wins where several do. "" if none is imported.
std::string DetectFramework(const ProjectFiles& project);

}  // namespace transplt
