// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// The `if __name__ == "__main__":` statements of a module, in whatever order and brackets.
std::vector<Node> MainBlocksOf(Node module);

}  // namespace transplt
