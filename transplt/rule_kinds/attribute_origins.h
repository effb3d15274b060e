// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/engine/file_context.h"

namespace transplt {

/// True if `value` is an attribute, as `FLAGS.use_tpu`, whose value another place of the project
/// decides and can be changed: an option of the command line, or assignments that all say False.
bool IsDecidedElsewhere(Node value, const FileContext& file);

}  // namespace transplt
