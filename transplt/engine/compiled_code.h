// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/engine/file_context.h"

namespace transplt {

/// True if torch.jit compiles the function around `node` from its text: a decorator says so, or the
/// file gives the function, its class or an object of that class to torch.jit.script. TorchScript
/// knows fewer names than Python: an expression that asks for the accelerator is none of them.
bool IsTorchScript(Node node, const FileContext& file);

}  // namespace transplt
