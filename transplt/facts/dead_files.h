// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "transplt/facts/settled_conditions.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// What no run comes to on any of the machines.
std::vector<TextRange> DeadPartsOnAll(const NameTable& names, const std::vector<Machine>& machines);

/// The files of the project that only imports in such parts bring, and files that these import: no
/// program of the project runs them on any of the machines. A file with a main block may be started
/// by itself, and is none of them.
std::set<std::string, std::less<>> FilesOfDeadImports(const ProjectIndex& project,
                                                      const std::vector<Machine>& machines);

}  // namespace transplt
