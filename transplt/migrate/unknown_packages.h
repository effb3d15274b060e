// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/engine/rule_set.h"
#include "transplt/facts/project.h"
#include "transplt/migrate/project_pins.h"
#include "transplt/programs/program_code.h"

namespace transplt {

/// A project whose packages are looked up.
struct UnknownPackageSources {
  const ProgramCode& code;
  const ProjectFiles& project;
  const ProjectModules& modules;
  const ProjectIndex& index;
  const RuleSet& rules;
  const TrainingApis& apis;
  const std::vector<Pin>& pins;
  std::vector<std::string> submodules;  ///< paths of those that are not checked out
  bool imports_itself = false;          ///< by the name of its root folder
};

/// A row for the first import in each file of a package of which nothing is known: it is no part of
/// Python or of the project, and no rule, signature or list of transplt names it. It may need CUDA;
/// where a requirement of the project asks for it, that is a note. A name that only
/// files and folders elsewhere in the project have is known if one of them may hold what is
/// imported.
std::vector<ChangeRecord> UnknownPackages(const UnknownPackageSources& sources);

/// Takes away the rows about a module of a library that needs another package where a requirement
/// asks for one that brings this, and where the project has no requirements.
void EraseBroughtPackages(const std::vector<Pin>& pins, std::vector<ChangeRecord>& records);

}  // namespace transplt
