// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/saved_files.h"

namespace transplt {

/// True if the file that `load` reads is surely one that the same run has written before, in the
/// file of `names`: at the same path, on every way to `load`. A loop that saves counts as one that
/// has saved. `project` may be null.
bool IsWrittenByRun(Node load, const NameTable& names, const ProjectIndex* project,
                    const IsSaving& is_saving);

}  // namespace transplt
