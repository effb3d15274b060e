// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"
#include "transplt/engine/rule.h"

namespace transplt {

/// What a run adds to files besides what its rules find.
struct AddedStatements {
  std::vector<const NpuPreamble*> preambles;
  bool npu = true;     ///< also `import torch_npu`; else only what fixes ask for by needs_import
  bool guard = false;  ///< imports of torch_npu are tried, and torch.npu is torch.cuda without it
};

/// The statements that a file needs once `accepted` are carried out:
///
/// `import torch_npu`, one behind the first import of torch at module level, or in each function
/// that needs it and imports torch itself. None where the file, or one of the fixes, already
/// imports torch_npu in that scope, and none in a file that does not import torch: whoever hands
/// it a tensor has loaded torch_npu. Beside it the imports that fixes ask for by needs_import, and
/// behind the imports that follow the preambles, in files that use the NPU at module level.
Findings RequiredImports(const FileContext& file, const Findings& accepted, const EditList& edits,
                         const AddedStatements& added);

}  // namespace transplt
