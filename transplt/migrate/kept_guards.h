// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// Leaves the conditions that protect code which stays with CUDA: `if torch.cuda.is_available():`
/// above a call that exists for CUDA alone would let every other device run into it, and
/// `"cuda" if torch.cuda.is_available() else "mps"` would name the wrong one. Gives what it left:
/// nothing more is to be said about these places.
std::vector<Finding> KeepGuards(const SyntaxTree& tree, std::vector<Finding>& findings);

}  // namespace transplt
