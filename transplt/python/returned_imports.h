// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// The full names of what a function imports in its body and returns, where it returns nothing but
/// that and None: `try: import fast except ImportError: fast = None` and `return fast`. Empty of
/// any other function.
std::vector<std::string> ReturnedImports(Node function, const NameTable& names);

}  // namespace transplt
