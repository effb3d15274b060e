// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// The folders that a file adds to sys.path, as far as its text says them: "../lib" and
/// os.path.join(here, "..", "lib") give "lib", the end of the folder's path. What only leads to a
/// folder above the file, or is computed, is left out. Also the folder that a program which
/// installs the project says to hold all its packages: `package_dir={"": "lib"}`. Sorted, each
/// once.
std::vector<std::string> FoldersAddedToPath(const NameTable& names);

/// The folders that a script or a document puts on PYTHONPATH, in the same form: what is assigned
/// to it, and what a sentence about it names in a form of its own, "lib/" or `lib`. Sorted, each
/// once.
std::vector<std::string> FoldersOnPythonPath(std::string_view text);

}  // namespace transplt
