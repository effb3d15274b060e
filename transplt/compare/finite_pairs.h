// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "transplt/compare/metrics.h"

namespace transplt {

/// Appends the pairs that are finite to `a` and `b`, and counts the others in `sums`, if that is
/// not null.
void KeepFinite(const double* x, const double* y, size_t count, PairSums* sums,
                std::vector<double>& a, std::vector<double>& b);

}  // namespace transplt
