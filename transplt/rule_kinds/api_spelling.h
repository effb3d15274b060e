// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/base/edit.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The fewest bytes that turn the attribute chain at `node`, which stands for the old name of
/// `entry`, into the new name as the file spells it: an alias or an imported part at its head
/// stays where its own definition is migrated. Empty if nothing of the chain is to change.
Fix RespellChain(Node node, const ApiEntry& entry, const FileContext& file);

}  // namespace transplt
