// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/engine/rule_kind.h"

namespace transplt {

/// Rules that take a wrapper off what it wraps.
RuleKind UnwrapRuleKind();

}  // namespace transplt
