// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "transplt/engine/rule_kind.h"

namespace transplt {

/// The JSON Schema (draft 7) of a rule file with rules of `kinds`, for editors: everything that
/// the loader checks and that a schema can say. Ends with a line end; the same text for the same
/// kinds.
std::string RuleSchema(std::span<const RuleKind> kinds);

}  // namespace transplt
