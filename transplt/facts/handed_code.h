// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/facts/code_file.h"

namespace transplt {

/// True if all that runs `node` is what is handed to calls of `methods`, as far as the file shows:
/// `dataset.map(lambda x: node)`, `dataset.map(f)` and `dataset.map(partial(f, y))` with
/// `def f(x): node`, and a function that only such functions call. False where another file may
/// use the function.
bool RunsOnlyInsideOf(const std::vector<std::string>& methods, Node node, const CodeFile& file);

}  // namespace transplt
