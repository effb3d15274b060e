// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/facts/value_sources.h"

namespace transplt {

/// `torch.sum(x)`, `x.mean()`: a call that makes one number of all elements where x is a tensor.
bool IsWholeReduction(const ValueSource& call);

/// True if each maker of `value` is a sum over all elements of a tensor, a loss, or is computed of
/// one element by element, so that the value has no dimension: `x.view(-1).float().sum(0).mul_(2)`.
/// `takes_plain`: also whole reductions, which give several numbers of what is no tensor.
bool IsWholeSum(const ValueSource& value, const ValueSources& sources, bool takes_plain);

}  // namespace transplt
