// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// The plain strings that stand beside this one as other choices: in the same collection,
/// dictionary, Literal or class body, or compared in the same if/elif chain.
std::vector<std::string_view> SiblingsOf(Node string);

/// Of `CUDA = "cuda"` in a class body, a choice: the strings that its other members have.
std::vector<std::string_view> OtherMembers(Node assignment);

}  // namespace transplt
