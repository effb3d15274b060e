// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/finding.h"

namespace transplt {

/// Completes the row of an import that may fail: nothing has to be done for it, and the message
/// says why.
void TellOptionalImport(Finding& finding);

}  // namespace transplt
