// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_facts.h"

namespace transplt {

/// Decides how a program learns which of several processes it is. The arguments of `entry`, and
/// the start style that its trainer brings with it, are known already.
void FindStart(const ProgramGraph& graph, const ProgramFacts& facts, EntryPoint& entry);

}  // namespace transplt
