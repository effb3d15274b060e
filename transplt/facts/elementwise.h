// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// The tensor that `expression` computes with element by element, so that its result has the same
/// number of dimensions, or more, and their order in memory: x of `x.float()`, `x.eq(y)`, `x == y`,
/// `x * 2`, `x.data`. A null node for anything else.
Node ElementwiseOperand(Node expression);

}  // namespace transplt
