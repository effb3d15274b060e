// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/analysis/mode.h"
#include "transplt/base/change_record.h"

namespace transplt {

/// How much of a migration runs by itself, and what is left for a person, by kind: counted from a
/// migration that has written nothing, and from the tables of the mode torch_apis. The hours are
/// counts times the assumptions that stand beside them; effort.csv has them all.
ModeResult EffortOf(const RunResult& migration, const AnalyzedProject& project,
                    const ModeResult& torch_apis);

}  // namespace transplt
