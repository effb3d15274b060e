// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/verify/simulated_run.h"
#include "transplt/verify/verdict.h"

namespace transplt {

/// Whether the original has run under the simulated CUDA.
Check CheckReference(const SimulatedRun& reference);
/// Whether the migrated project has run under the simulated NPU, and ended as the reference.
Check CheckMigrated(const SimulatedRun& migrated, const SimulatedRun& reference);
/// CUDA that the migrated project has still used. To ask whether it is there does no harm, but
/// where `left` (may be null), what a migration would still change, names the place.
Check CheckResidual(const SimulatedRun& migrated, const Check* left);
/// Whether the migrated project has used the NPU, and as an NPU lets it be used.
/// With `has_one_card` the reference uses one device, and the migrated program may use several.
Check CheckDevices(const SimulatedRun& migrated, const SimulatedRun& reference, bool has_one_card);
/// Operators that an NPU lacks or limits, along the lines that have run.
Check CheckOperators(const SimulatedRun& migrated);
/// What was written for older versions of torch and Python, and was read as it is written today.
Check CheckOldSpellings(const SimulatedRun& migrated, const SimulatedRun& reference);
/// What has run that the simulator does not imitate.
Check CheckUnsimulated(const SimulatedRun& migrated);
/// What of the projects was not in the copies.
Check CheckCopies(const SimulatedRun& migrated, const SimulatedRun& reference);

}  // namespace transplt
