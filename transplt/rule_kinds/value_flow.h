// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/rule_kinds/value_role.h"

namespace transplt {

/// What becomes of the value of `expression`, whose place does not say what it is. Followed are
/// variables, attributes, parameters and results of functions of the project, fields, options of
/// the command line, and what it is compared with. kNamed if it reaches the place of a device or a
/// backend, kKept if every use of it is something else, kValue if nothing is known.
ValueRole FollowValue(Node expression, const FileContext& file);

}  // namespace transplt
