// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// What the loop goes through whose variable `name` is, alone or beside others: `loader` of
/// `for i, (x, y) in loader`, of a statement or a comprehension. A null node for what is no
/// variable of a loop.
Node IteratedBy(Node name);

}  // namespace transplt
