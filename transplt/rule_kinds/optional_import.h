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

/// True if all that the file does with what `item` brings is for objects of a class of the library:
/// it stands behind `isinstance(x, CLASS)`, or in a function of which a parameter is annotated with
/// that; and nothing in the project makes one: it calls no such class or method of it, and spells
/// none of `makers`. `names` are those of the library.
bool WaitsForObjects(Node item, const std::vector<std::string>& names,
                     const std::vector<std::string>& makers, const FileContext& file);

}  // namespace transplt
