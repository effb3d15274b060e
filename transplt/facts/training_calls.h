// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// True for `backward` of a tensor, a scaler, an engine; not for that of torch.autograd.Function.
/// Also `loss_scaler(loss, optimizer)`: what timm, and those who have learned from it, call for it.
bool IsBackwardCall(Node call);

/// True inside of the method that autograd calls, or of one that stands in for it.
bool IsInBackwardMethod(Node call);

/// `optimizer.step()`, `scaler.step(optimizer)`; not that of a scheduler or a profiler.
bool IsUpdateCall(Node call);

}  // namespace transplt
