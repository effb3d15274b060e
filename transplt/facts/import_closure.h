// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>

#include "transplt/python/project_index.h"

namespace transplt {

/// The files that the statement `import` of `file` names, and the packages that they lie in.
std::set<std::string> FilesOfImport(Node import, const OpenedFile& file,
                                    const ProjectIndex& project);

/// The files that the import statements of `path` name, and the packages that they lie in; without
/// those for types only, and those that do not count, where `counts` says which do.
std::set<std::string> FilesNamedBy(const std::string& path, const ProjectIndex& project,
                                   const std::function<bool(Node import)>& counts = {});

/// The files of the project that run when `path` is imported or started, wherever the imports
/// stand, `path` itself among them.
std::set<std::string> FilesImportedBy(const std::string& path, const ProjectIndex& project);

/// True if each way to `file` that the project has runs `line_of` too: `file` imports it, or it
/// imports `file`, and so does each other file that does, or is imported by it.
bool ComesOnlyWith(const std::string& file, const std::string& line_of,
                   const ProjectIndex& project);

/// True if the file imports something, and neither it nor a file of the project that runs with it
/// imports what does not come with Python. `project` may be null: then its files count as others.
bool ImportsPythonAlone(const NameTable& names, const ProjectIndex* project);

}  // namespace transplt
