// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// One row for all submodules of git that the project names and whose folders hold no file: their
/// sources were not there to be migrated. A submodule in whose place one of `records` names
/// something else, as of a library that the NPU has another for, is left out.
std::vector<ChangeRecord> MissingSubmodules(const ProjectFiles& project,
                                            const std::vector<ChangeRecord>& records);

/// Of the rows about `missing` modules, those of a submodule about which a record says what takes
/// its place become places of the cause of that: to check it out would not help.
void TellBySubmodule(const ProjectFiles& project, const std::vector<ChangeRecord>& records,
                     std::vector<ChangeRecord>& missing);

/// Sources of extensions that lie in such a submodule are there once it is checked out: rows about
/// them become notes.
void NoteSourcesOfSubmodules(const ProjectFiles& project, std::vector<ChangeRecord>& records);

/// Their paths below the project.
std::vector<std::string> MissingSubmodulePaths(const ProjectFiles& project);

}  // namespace transplt
