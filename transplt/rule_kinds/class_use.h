// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// What one place does with a class or function that it names.
enum class ClassUse : uint8_t {
  kRun,       ///< calls it, inherits from it, or keeps it under a name
  kHandedOn,  ///< gives it to a call, which may call it
  kReturned,  ///< gives it to whoever calls this function
  kAsked,     ///< asks whether an object is of this class
};

ClassUse UseOfClass(Node name, const FileContext& file);

/// Makes the row of a class that only its calls stop as grave as its use is.
void LowerSeverity(ClassUse use, Finding& finding);

/// True if the file asks about what the name `bound` of an import or an assignment stands for, and
/// does nothing else with it.
bool IsOnlyAsked(Node bound, const FileContext& file);

}  // namespace transplt
