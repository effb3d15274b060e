// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/verify/result_checks.h"

namespace transplt {

/// True for the name of a file that holds parameters or arrays.
bool IsCheckpoint(std::string_view name);

/// Compares the files that two runs have written: checkpoints tensor by tensor, texts as printed
/// lines, others byte by byte. Adds to `comparison`.
Result<Done> CompareWrittenFiles(const SimulatedRun& reference, const SimulatedRun& other,
                                 const ComparisonSettings& settings,
                                 const ResultVariation& variation, ResultComparison& comparison);

/// In what the files of a second run of the reference vary. Adds to `variation`.
void FindFileVariation(const SimulatedRun& reference, const SimulatedRun& again,
                       const ComparisonSettings& settings, ResultVariation& variation);

}  // namespace transplt
