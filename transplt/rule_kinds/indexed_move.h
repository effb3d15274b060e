// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// Which indices `.to()` is written for.
enum class MovedIndex { kAny, kKnown };

/// What becomes of `x.cuda(index)` where the new method of modules ignores the index: `finding`,
/// which renames `method`, then writes `.to()` with `device` and the index. It keeps its edit if
/// the call has no device, if the receiver is known to be a tensor, or if the file makes the index
/// the current device itself; with MovedIndex::kKnown also if the text does not show the index.
/// Where nothing says whether the index can be None, the row tells it.
void MoveToIndex(Node method, const std::string& old_name, const std::string& device,
                 MovedIndex moved, const FileContext& file, Finding& finding);

}  // namespace transplt
