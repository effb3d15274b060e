// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/name_use.h"

namespace transplt {

/// What the place of `name` does with the class, also where it keeps it under other names; never
/// NameUse::kKept.
NameUse UseOfClass(Node name, const FileContext& file);

/// Makes the row of a class that only its calls stop as grave as its use is.
void LowerSeverity(NameUse use, Finding& finding);

/// True if the file asks about what the name `bound` of an import or an assignment stands for, and
/// does nothing else with it.
bool IsOnlyAsked(Node bound, const FileContext& file);

}  // namespace transplt
