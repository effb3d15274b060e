// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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

/// The files of the project that cannot be imported without one of the `libraries`, and each with
/// the library: those that import it at their top, what imports these at its top, and what lies in
/// a package that does. None of it where a program of the project, or what runs in each case, is
/// among it: that is to run without the library.
std::map<std::string, std::string, std::less<>> FilesOfLibraries(
    const std::vector<std::string>& libraries, const ProjectIndex& project);

/// Those of the files of such `libraries` that only imports bring which run with the library alone:
/// `import flash_attn`, then `from engine import Engine`. No run without the library comes there.
std::map<std::string, std::string, std::less<>> FilesBehindLibraries(
    const std::vector<std::string>& libraries, const ProjectIndex& project);

/// The parts of a file that no run comes to where `files` cannot be imported: in a function or a
/// branch, what follows the import of one.
std::vector<TextRange> PartsBehindImports(
    const std::string& path, const std::map<std::string, std::string, std::less<>>& files,
    const ProjectIndex& project);

}  // namespace transplt
