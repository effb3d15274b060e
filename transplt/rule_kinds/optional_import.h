// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// Completes the row of an import that may fail: nothing has to be done for it, and the message
/// says why.
void TellOptionalImport(Finding& finding);

/// True if something of the file besides imports says the name that `item` of an import binds; the
/// names of a package's own module are there for others.
bool IsImportUsed(Node item, const FileContext& file);

}  // namespace transplt
