// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "transplt/compare/comparison.h"

namespace transplt {

/// Compares the two tensors of `row` and fills in the rest of it: by their values where both dumps
/// hold them, else by their statistics or checksums.
void CompareTensors(const CompareOptions& options, ComparedTensor& row);

/// How often values fall into equal parts of the range that both tensors cover.
struct Histogram {
  double low = 0;
  double high = 0;
  std::vector<uint64_t> a;
  std::vector<uint64_t> b;
};
/// Reads the values once more; empty if they cannot be read.
Histogram HistogramOf(const ComparedTensor& row, size_t parts);

}  // namespace transplt
