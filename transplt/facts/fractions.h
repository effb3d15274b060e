// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/facts/value_sources.h"

namespace transplt {

/// True if `value` is a number of the class float, whatever the program computes: `a / b`, which
/// Python 3 does not round, `2.0 * n`, `math.sqrt(n)`. By the expressions that make it, which
/// `sources` finds; each of them has to be one, or an integer beside others that are.
bool IsFraction(const ValueSource& value, const ValueSources& sources);

/// The parts of the fraction `value` that Python 2 rounded down before it went on: `h / 2` and
/// `w / 2` of `h / 2 + w / 2`, and names that stand for such quotients. `value` itself if it is
/// one, or was a number of the class float there, too: `0.5 * h`.
std::vector<Node> RoundedParts(const ValueSource& value, const ValueSources& sources);

/// True if one operand of an arithmetic expression in `value` surely is an integer: `len(x) / 2`.
bool HasCount(const ValueSource& value, const ValueSources& sources);

/// True if all operands of an arithmetic expression in `value` surely are integers, and no arrays:
/// what HasCount() takes, variables of loops over a range, and the index that `__getitem__` gets.
bool HasOnlyCounts(const ValueSource& value, const ValueSources& sources);

}  // namespace transplt
