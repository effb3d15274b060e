// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The cause of all that the project's own extension modules of CUDA stop.
inline constexpr std::string_view kOwnExtensionCause = "cuda-extension";

inline constexpr std::string_view kOwnExtensionRule = "own-extension";
/// Of a place that calls an operator of torch.ops which the project registers.
inline constexpr std::string_view kOwnOperatorRule = "own-operator";
/// The cause of all that one of them, known by its name, stops: "cuda-extension:pkg.ops_cuda".
std::string OwnExtensionCause(std::string_view module);

class StandInPlan;

/// The places where a file imports and uses the CUDA extensions that the project itself builds:
/// each import, and the first use of each operator. All places of one extension have one message:
/// that of the finding among `found` at its import, if a rule knows what takes its place; that one
/// gets the cause of the extension. Of an extension whose CUDA sources have stand-ins each operator
/// is told where the file uses it first: it is slow or stops there. So is each operator of
/// torch.ops that the project's sources register and that gets to code for CUDA. `stand_ins` may be
/// null.
Findings CheckOwnExtensions(const FileContext& file, Findings& found,
                            const StandInPlan* stand_ins = nullptr);

/// What a program that builds extensions asks for and cannot get: sources that the project does not
/// have, and a standard of C++ that `torch`, a version or "", is too new for.
Findings CheckExtensionBuild(const FileContext& file, std::string_view torch);

}  // namespace transplt
