// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/finding.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// False if a file with these bytes has nothing that CheckPython2 would report, for certain, but
/// for a long integer that stands alone.
bool MayHoldPython2(std::string_view bytes);

/// A row at the first place that Python 3 does not read, although the parser does: a print or exec
/// statement, `except Error, e`, `raise Error, text`, `<>`, 10L, `async` as a name (3.7), tabs that
/// are as wide as Python 2 took them. No Python for an NPU is as old as Python 2: such a module
/// cannot be imported. An argument of torch that was called async gets its new name.
Findings CheckPython2(const SyntaxTree& tree);

}  // namespace transplt
