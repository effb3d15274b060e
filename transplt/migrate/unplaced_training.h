// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/facts/project.h"
#include "transplt/programs/entry_points.h"

namespace transplt {

/// Rows about programs that train with PyTorch and compute on the CPU: nothing of all that they
/// reach names a device, and they use no library that may choose one. No edit would help there: a
/// person has to move the model and its data. One row for each place that trains. Where the files
/// of a program cannot be read, or it uses a package of which that is not known, nothing is told.
std::vector<ChangeRecord> UnplacedTraining(const ProjectPrograms& programs,
                                           const ProjectModules& modules,
                                           const ProjectIndex& index);

}  // namespace transplt
