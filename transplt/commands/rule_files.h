// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/rule_set.h"

namespace transplt {

/// Reads the files that -r names.
Result<std::vector<RuleFile>> ReadRuleFiles(const std::vector<std::string>& paths);

}  // namespace transplt
