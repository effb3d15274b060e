// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The imports of the NPU adapter for TensorFlow that `accepted` and `others` need: one statement
/// behind the first import of TensorFlow of the scope, with the names that the file does not have
/// yet. They are named, because npu_init also has an `os`, a `session` and a `util`, which could
/// hide those of the program. What is needed with blanks in it is a statement of its own.
Findings AdapterImports(const FileContext& file, const Findings& accepted, const Findings& others,
                        const EditList& edits);

}  // namespace transplt
