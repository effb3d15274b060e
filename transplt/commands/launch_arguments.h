// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/programs/entry_points.h"

namespace transplt {

/// The arguments that a launcher gives to a training.
struct LaunchArguments {
  std::string words;                  ///< for a bash array, with the variables of the launcher
  std::vector<std::string> left_out;  ///< of the project's example, since they are placeholders
  std::vector<std::string> missing;   ///< required, and the project shows no value
};

/// Takes the example of `entry` and puts what the launcher knows in the place of what the example
/// says about ranks, addresses, backend and data.
LaunchArguments ArgumentsOf(const EntryPoint& entry);

}  // namespace transplt
