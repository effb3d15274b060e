// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The edits by which the block `definition`, a class of modules whose forward(x) splits the
/// channels of x into halves and gives back a shuffle of what torch.cat joins, takes and gives such
/// halves. Nothing if any part of forward() is something else.
std::optional<std::vector<Edit>> SplitBetweenBlocks(Node definition, const FileContext& file);

}  // namespace transplt
