// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"
#include "transplt/facts/project_code.h"

namespace transplt {

/// Takes back the fixes of what stays for CUDA, and says why in one row for each condition, and in
/// one row for the file where the program serves the other device already:
/// - a condition before what only CUDA can run, with what it protects;
/// - a condition that asks for one kind of GPU;
/// - the CUDA side of a choice that the program makes itself.
/// Gives the ranges that stay. `code` may be null: then nothing is known about other files.
std::vector<TextRange> KeepCudaSides(const FileContext& file, const GuardSignatures& signatures,
                                     const ProjectCode* code, std::vector<Finding>& findings);

}  // namespace transplt
