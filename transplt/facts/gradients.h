// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// True if the program computes no gradients in the code around `node`: `with torch.no_grad():`,
/// `@torch.inference_mode()`.
bool IsWithoutGradients(Node node);

}  // namespace transplt
