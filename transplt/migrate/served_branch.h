// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Leaves what stands in a branch for CUDA, where another branch of the same if/elif/else chain or
/// conditional expression serves the NPU already: with both named alike the second would be dead.
void LeaveServedBranches(const SyntaxTree& tree, std::vector<Finding>& findings);

}  // namespace transplt
