// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/engine/file_context.h"

namespace transplt {

/// The cause of all that the project's own extension modules of CUDA stop.
inline constexpr std::string_view kOwnExtensionCause = "cuda-extension";

/// The places where a file imports and uses the CUDA extensions that the project itself builds:
/// each import, and the first use of each operator. All places of one extension have one message:
/// that of the finding among `found` at its import, if a rule knows what takes its place.
Findings CheckOwnExtensions(const FileContext& file, const Findings& found);

}  // namespace transplt
