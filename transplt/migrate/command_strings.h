// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/engine/engine.h"

namespace transplt {

/// What the rules find in the commands of a program: those that it hands to a shell
/// (`os.system("A=1 x --b c")`, `subprocess.run(command, shell=True)`), also where a variable holds
/// the command, and texts and lists of words that are commands by what they say
/// (`start(f"CUDA_VISIBLE_DEVICES={i} python train.py")`), whatever is done with them. Docstrings
/// and texts for people are none.
Findings CheckCommandStrings(const FileContext& file, const Engine& engine);

}  // namespace transplt
