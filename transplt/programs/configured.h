// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/programs/program_code.h"

namespace transplt {

/// What may be made in code that makes what configurations name, sorted: classes and functions of
/// the project that a YAML or JSON file names in full, and modules, without a name, that a command
/// of its documents or scripts hands to a program. Names are looked for as from the file itself,
/// and as from each file of `code` that makes what configurations name: it need not lie above them.
std::vector<Origin> FindConfigured(const ProgramSources& sources, const ProgramCode& code);

}  // namespace transplt
