// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/programs/program_code.h"

namespace transplt {

/// The name of an Origin that means whatever its module has.
inline constexpr std::string_view kAnyMember = "*";

struct Configured {
  /// What may be made in code that makes what configurations name, sorted: classes and functions of
  /// the project that a YAML or JSON file names in full, kAnyMember of modules that one names, and
  /// modules, without a name, that a command of its documents or scripts hands to a program.
  std::vector<Origin> targets;
  /// As ProgramCode::configured_elsewhere.
  std::map<std::string, std::set<size_t>, std::less<>> elsewhere;
  std::set<std::string, std::less<>> keys;  ///< of all YAML and JSON files
};

/// Names are looked for as from the file itself, and as from each file of `code` that makes what
/// configurations name: it need not lie above them.
Configured FindConfigured(const ProgramSources& sources, const ProgramCode& code);

}  // namespace transplt
