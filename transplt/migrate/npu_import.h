// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The `import torch_npu` that a file needs once `accepted` are carried out: one behind the first
/// import of torch at module level, or in each function that needs it and imports torch itself.
/// None where the file, or one of the fixes, already imports torch_npu in that scope, and none in
/// a file that does not import torch: whoever hands it a tensor has loaded torch_npu.
std::vector<Finding> RequiredNpuImports(const FileContext& file,
                                        const std::vector<Finding>& accepted,
                                        const EditList& edits);

}  // namespace transplt
