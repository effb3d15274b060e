// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/engine/rule_set.h"

namespace transplt {

/// The files of rules/, as built into the program.
std::vector<RuleFile> BuiltinRuleFiles();

}  // namespace transplt
