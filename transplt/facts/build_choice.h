// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "transplt/facts/cuda_needs.h"
#include "transplt/facts/guard_signatures.h"
#include "transplt/facts/guards.h"
#include "transplt/python/name_table.h"

namespace transplt {

/// The first place where the condition chooses how C++ and CUDA sources are built: "ops.cu",
/// "-DWITH_CUDA", `extra_cuda_cflags`. Nothing if it chooses none of that, and in a file that has
/// nothing to do with building them.
std::optional<CudaNeed> BuildChoiceOf(const Guard& guard, const NameTable& names,
                                      const GuardSignatures& signatures);

}  // namespace transplt
