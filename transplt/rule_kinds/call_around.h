// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/file_context.h"

namespace transplt {

/// True if `node` stands among the arguments of a call of one of these functions, given by full
/// names: `x.double()` of `gradcheck(f, [x.double()])`.
bool IsInCallOf(Node node, const std::vector<std::string>& functions, const FileContext& file);

}  // namespace transplt
