// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/compare/metrics.h"
#include "transplt/dump/number_type.h"

namespace transplt {

/// When two tensors count as the same: by type of number, the coarser of the two.
struct Tolerance {
  enum class Rule {
    kRelative,  ///< largest difference within `absolute`, or relative Euclidean distance within
                ///< `relative`
    kPtdbg,     ///< not (cos < 0.99 and maxabs > 0.001), cos >= 0.9, maxabs <= 1
  };
  std::string name;
  Rule rule = Rule::kRelative;
  double factor = 1;     ///< of what the type allows
  double relative = -1;  ///< in place of what the type allows, unless negative
  double absolute = -1;

  /// Limits for a pair of these types.
  double RelativeOf(NumberType a, NumberType b) const;
  double AbsoluteOf(NumberType a, NumberType b) const;
  bool Allows(const Metrics& metrics, NumberType a, NumberType b) const;
};

/// "exact", "strict", "default", "loose" and "ptdbg".
const std::vector<Tolerance>& ToleranceProfiles();

}  // namespace transplt
