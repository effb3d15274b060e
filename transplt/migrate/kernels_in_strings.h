// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/finding.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// True if a string of the file may hold the source of a CUDA kernel.
bool MayHoldKernel(std::string_view bytes);

/// A row for each string that holds the source of a CUDA kernel, which a program hands to a
/// compiler at run time. Texts that nothing takes (documentation) are left out, and those of a file
/// that only writes them into files.
Findings CheckKernelsInStrings(const SyntaxTree& tree);

}  // namespace transplt
