// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/project/project_files.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// Makes notes of the rows of links that lead nowhere: nobody misses what was not there before. One
/// whose path a program or a configuration names stays as severe as it is.
void NoteDeadLinks(const ProjectFiles& project, const ProjectIndex& index,
                   std::vector<ChangeRecord>& records);

}  // namespace transplt
