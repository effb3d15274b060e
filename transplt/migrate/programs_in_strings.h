// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/engine/engine.h"

namespace transplt {

/// What the rules find in strings that are Python programs themselves: what a generator of code
/// writes (`writeline("with torch.cuda.stream(s):")`), what exec() runs, templates. A string is a
/// program if it parses as Python statements, or is the head of one, and names something of
/// torch.cuda. A docstring or a text for people is none. Where an edit would not stand in the
/// string as it is, the place is only reported.
Findings CheckProgramsInStrings(const FileContext& file, const Engine& engine, Parser& parser);

}  // namespace transplt
