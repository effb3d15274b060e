// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string_view>

namespace transplt {

/// True for a file of Python: "x.py", or one without any dot in its name that says
/// `#!/usr/bin/env python3` in its first line; setup.py makes it executable where it installs it.
/// `name` is in the open `folder` (AT_FDCWD: any path). What cannot be read is none.
bool IsPythonScript(int folder, std::string_view name, mode_t mode);

}  // namespace transplt
