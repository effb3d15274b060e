// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

class SyntaxTree;

/// The parts of `tree` whose statements stand at another column than the other statements of
/// their block, with the statement before each. tree-sitter reads on over such lines without an
/// error. CPython refuses them: somebody has shifted a line, or a bracket in the statement before
/// closes too early.
std::vector<TextRange> MisindentedParts(const SyntaxTree& tree);

/// The first statement or clause of `tree` whose place among the others depends on how wide a tab
/// is: Python 3 raises TabError, Python 2 took a tab for eight columns.
std::optional<TextRange> AmbiguousIndentation(const SyntaxTree& tree);

/// False if no line of the text is indented by a tab, or none by a blank.
bool MixesTabs(std::string_view text);

}  // namespace transplt
