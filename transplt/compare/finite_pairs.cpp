// SPDX-License-Identifier: Apache-2.0
#include "transplt/compare/finite_pairs.h"

#include <cmath>

namespace transplt {

void KeepFinite(const double* x, const double* y, size_t count, PairSums* sums,
                std::vector<double>& a, std::vector<double>& b) {
  for (size_t i = 0; i < count; ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      a.push_back(x[i]);
      b.push_back(y[i]);
    } else if (sums != nullptr) {
      sums->x.nans += std::isnan(x[i]) ? 1 : 0;
      sums->y.nans += std::isnan(y[i]) ? 1 : 0;
      sums->x.infinities += std::isinf(x[i]) ? 1 : 0;
      sums->y.infinities += std::isinf(y[i]) ? 1 : 0;
      sums->x.negative_infinities += x[i] < 0 && std::isinf(x[i]) ? 1 : 0;
      sums->y.negative_infinities += y[i] < 0 && std::isinf(y[i]) ? 1 : 0;
      const bool same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
      sums->mismatched += same ? 0 : 1;
    }
  }
}

}  // namespace transplt
