// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/commands/commands.h"

namespace transplt {

/// Adds `merge`, which makes one report of the results of a batch, to the command `batch`.
void AddMergeCommand(CLI::App* batch, CommandLine line);

}  // namespace transplt
