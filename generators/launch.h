// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "generators/generator_kind.h"

namespace transplt {

/// The scripts that start a training on NPUs: `configuration` fits schemas/launch.json.
Result<std::vector<GeneratedFile>> MakeLaunch(const std::string& configuration,
                                              std::vector<ConfigMistake>& mistakes);

}  // namespace transplt
