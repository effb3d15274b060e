// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

class SyntaxTree;

/// The parts of `tree` whose statements stand at another column than the other statements of
/// their block, with the statement before each. tree-sitter reads on over such lines without an
/// error. CPython refuses them: somebody has shifted a line, or a bracket in the statement before
/// closes too early.
std::vector<TextRange> MisindentedParts(const SyntaxTree& tree);

}  // namespace transplt
