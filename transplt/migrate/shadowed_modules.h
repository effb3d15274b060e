// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/programs/entry_points.h"
#include "transplt/project/project_files.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// Rows about files and packages of the project that take the place of a module which torch imports
/// itself: Python looks for it first in the folder that a program is started from, or that holds
/// it. One row for each place that lets torch import it. `torch`: the version that is assumed.
std::vector<ChangeRecord> ShadowedModules(const ProjectPrograms& programs,
                                          const ProjectFiles& project, const ProjectIndex& index,
                                          const std::string& torch);

}  // namespace transplt
