// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/engine/engine.h"

namespace transplt {

/// What the rules find in the commands that a program hands to a shell: `os.system("A=1 x --b c")`,
/// `subprocess.run(command, shell=True)`, also where a variable holds the command.
std::vector<Finding> CheckCommandStrings(const FileContext& file, const Engine& engine);

}  // namespace transplt
