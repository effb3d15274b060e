// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_code.h"

namespace transplt {

/// Makes notes of the rows about packages that the project only installs: where no code of it runs
/// a package, what the package cannot do on an NPU does no harm. What does not even install is one
/// thing to do on the machine: "unused-requirement".
void NoteUnusedPackages(const ProgramCode& code, const ProjectIndex& index,
                        std::vector<ChangeRecord>& records);

/// Makes notes of the rows about these lists, which are for Python 2.
void NoteListsForPython2(const std::set<std::string>& lists, std::vector<ChangeRecord>& records);

/// Makes notes of what stops who installs the packages of a list in a folder whose programs do not
/// use `framework`, where others do.
void NoteListsOfOthers(const ProjectPrograms& programs, Framework framework,
                       std::vector<ChangeRecord>& records);

}  // namespace transplt
