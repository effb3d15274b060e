// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// What runs where torch_npu cannot be imported: the except clauses of each `try` that imports it,
/// in the order of the text, the outermost ones. What stands there is meant for other devices.
std::vector<TextRange> PartsWithoutNpu(const SyntaxTree& tree, const Target& target);

/// Makes the fixes that import from torch_npu try it: the import as it was before takes over where
/// torch_npu is missing. Adds a finding where that cannot be written, and at each fix that names
/// torch_npu in code: that needs it.
void GuardMovedImports(const FileContext& file, Findings& findings);

}  // namespace transplt
