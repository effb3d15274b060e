// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"

namespace transplt {

/// Text that is valid Python and that tree-sitter-python 0.25 nevertheless refuses, near an error
/// of the parser: the parts to blank out so that it reads the rest.
///
/// `a, *[b]` and `a, *(b,) * n`: the star of a display that stands outside of brackets.
/// `class A[T = int]:`: the default of a type parameter (PEP 696).
std::vector<TextRange> RefusedParts(std::string_view text, TextRange error);

}  // namespace transplt
