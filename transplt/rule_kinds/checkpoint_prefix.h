// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "transplt/base/finding.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// What `model.load_state_dict(state)` loads; nothing where the call does not show it.
std::optional<Argument> StateGivenTo(Node load);

/// Adds to `finding` the edits that take `prefix` off the names in `state`, and says so. Names
/// without it stay as they are.
void StripPrefix(Finding& finding, Node state, const std::string& prefix);

}  // namespace transplt
