// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "transplt/engine/rule_kind.h"

namespace transplt {

/// The table of all rule kinds.
std::span<const RuleKind> RuleKinds();

}  // namespace transplt
