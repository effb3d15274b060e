// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "transplt/programs/program_code.h"

namespace transplt {

struct Configured {
  /// What may be made in code that makes what configurations name, sorted: classes and functions of
  /// the project that a YAML or JSON file names in full, and modules, without a name, that a
  /// command of its documents or scripts hands to a program.
  std::vector<Origin> targets;
  std::set<std::string, std::less<>> keys;  ///< of all YAML and JSON files
};

/// Names are looked for as from the file itself, and as from each file of `code` that makes what
/// configurations name: it need not lie above them.
Configured FindConfigured(const ProgramSources& sources, const ProgramCode& code);

}  // namespace transplt
