// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "generators/generator_kind.h"

namespace transplt {

/// The rank table of HCCL for the servers of `configuration`, which fits schemas/rank_table.json.
/// Reads the files that it names.
Result<std::vector<GeneratedFile>> MakeRankTable(const std::string& configuration,
                                                 std::vector<ConfigMistake>& mistakes);

}  // namespace transplt
