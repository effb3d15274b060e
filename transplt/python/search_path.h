// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// The folders that a file adds to sys.path, as far as its text says them: "../lib" and
/// os.path.join(here, "..", "lib") give "lib", the end of the folder's path. What only leads to a
/// folder above the file, or is computed, is left out. Also the folder that a program which
/// installs the project says to hold all its packages: `package_dir={"": "lib"}`. Sorted, each
/// once.
std::vector<std::string> FoldersAddedToPath(const NameTable& names);

}  // namespace transplt
