// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/inject/inject_file.h"

namespace transplt {

/// One step of training in a program of PyTorch: what runs from the input to the update of the
/// weights, once per round of a loop, or per call of a function.
struct TrainingStep {
  Node backward;            ///< the call that runs the backward pass
  Node loop;                ///< the loop around it, or null
  Node outer_loop;          ///< the outermost one in the same function, or null
  Node first;               ///< the statement that the step begins with
  Node last;                ///< the statement that it ends with: that of the optimizer
  std::vector<Node> exits;  ///< statements in between that leave the round early
  Node gradients;           ///< the statement after which the gradients are there, and not yet used
};

/// The steps around the calls of BackwardPasses, in the order of the text.
std::vector<TrainingStep> FindTrainingSteps(const InjectFile& file,
                                            const std::vector<Node>& passes);

/// The import of torch at module level, else the last import above all functions; null if none.
Node TorchImport(const InjectFile& file);

/// Imports of functions by name, which a tool that replaces the functions of torch does not see.
std::vector<Node> FunctionsImportedByName(const InjectFile& file);

}  // namespace transplt
