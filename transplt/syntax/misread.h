// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text_range.h"
#include "transplt/syntax/syntax_error.h"

namespace transplt {

/// Text that is valid Python and that tree-sitter-python 0.25 nevertheless refuses, near an error
/// of the parser: the parts to blank out so that it reads the rest.
///
/// `a, *[b]` and `a, *(b,) * n`: the star of a display that stands outside of brackets.
/// `class A[T = int]:`: the default of a type parameter (PEP 696).
/// `f'{x:=^{n}}'`: the `=` that fills up to the width of a format.
/// `x: tuple[int, int] or int`: the brackets of a type that goes on.
std::vector<TextRange> RefusedParts(std::string_view text, const SyntaxError& error);

/// Rewrites, byte for byte, indentation in which a tab follows blanks: tree-sitter counts eight
/// columns for any tab, Python 2 fills up to a multiple of eight. False if there is none.
bool NormalizeMixedTabs(std::string& text);

}  // namespace transplt
