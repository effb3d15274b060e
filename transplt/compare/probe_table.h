// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/compare/comparison_table.h"

namespace transplt {

/// The columns and numbers that msprobe's compare writes. Arguments that are no tensors have rows
/// there, too.
ComparisonTable ProbeTable(const Comparison& comparison);

}  // namespace transplt
