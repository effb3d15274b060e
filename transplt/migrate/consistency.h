// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// What `edits` leave half migrated: a condition that still asks about CUDA before what no longer
/// does, or the other way round; and, beside edits of the same function, a device that neither
/// they nor one of the findings in `open` are about. Nothing where all of a function has moved, and
/// nothing about what `decided` is about: comments in the source keep rules off it.
Findings HalfMigrated(const FileContext& file, const EditList& edits, const Findings& open,
                      const Findings& decided);

}  // namespace transplt
