// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// True if `range` lies in what runs where torch_npu cannot be imported: the except clause of a
/// `try` that imports it. What stands there is meant for other devices.
bool RunsWithoutNpu(const FileContext& file, TextRange range);

/// Makes the fixes that import from torch_npu try it: the import as it was before takes over where
/// torch_npu is missing. Adds a finding where that cannot be written.
void GuardMovedImports(const FileContext& file, std::vector<Finding>& findings);

}  // namespace transplt
