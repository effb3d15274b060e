// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/value_sources.h"

namespace transplt {

/// True if `value` may be an array or a number of NumPy, which is an object of a class and no
/// number of Python: `np.mean(x)`, `tensor.numpy().sum()`. By the expressions that make it, which
/// `sources` finds.
bool MayBeOfNumpy(const ValueSource& value, const ValueSources& sources);

}  // namespace transplt
