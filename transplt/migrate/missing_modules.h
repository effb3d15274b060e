// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/engine/rule_set.h"
#include "transplt/facts/project.h"
#include "transplt/migrate/project_pins.h"
#include "transplt/programs/program_code.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// The rule of these rows.
inline constexpr std::string_view kMissingModule = "missing-module";

/// The rule of the rows about sources of Cython that nothing builds as they stand.
inline constexpr std::string_view kCythonCimport = "cython-cimport";

/// A project in which modules are looked for.
struct MissingModuleSources {
  const ProgramCode& code;
  const ProjectFiles& project;
  const ProjectModules& modules;
  const ProjectIndex& index;
  const RuleSet& rules;          ///< which know libraries
  const std::vector<Pin>& pins;  ///< what the project asks for
};

/// A row for each import of a module that a package of the project should have and has not. One
/// that is built is there: an extension, a file of another type by its name, what setup.py writes.
/// Needs the files as they were before the run.
std::vector<ChangeRecord> MissingModules(const MissingModuleSources& sources);

/// A row for each import of a module that Cython makes of a source which it does not build, by
/// `records`: that import fails.
std::vector<ChangeRecord> UnbuiltModules(const ProgramCode& code,
                                         const std::vector<ChangeRecord>& records);

}  // namespace transplt
