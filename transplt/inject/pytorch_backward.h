// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/inject/inject_file.h"

namespace transplt {

/// Where a file runs backward passes.
struct BackwardPasses {
  /// The call of backward() itself or, where that is in a function of its own, the call of that
  /// function: in a loop, or in a function that computes the loss and updates the weights. In the
  /// order of the text.
  std::vector<Node> calls;
  /// The first backward() of each function that nothing in the file is seen to call.
  std::vector<Node> out_of_sight;
};

BackwardPasses FindBackwardPasses(const InjectFile& file);

/// True if `call` updates the weights: `optimizer.step()`, or a function that does so.
bool RunsUpdate(const InjectFile& file, Node call);

/// True for a call in a test, which may call backward() and train nothing.
bool IsInTest(const InjectFile& file, Node call);

}  // namespace transplt
