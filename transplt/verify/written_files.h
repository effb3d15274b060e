// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/verify/result_checks.h"

namespace transplt {

/// Compares the files that two runs have written: checkpoints tensor by tensor, texts as printed
/// lines, others byte by byte. Adds to `comparison`.
Result<Done> CompareWrittenFiles(const SimulatedRun& reference, const SimulatedRun& other,
                                 const ComparisonSettings& settings, ResultComparison& comparison);

}  // namespace transplt
