// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// True for a name as synchronous MindSpore dumps give it:
/// {op}_{input|output}_{index}_shape_{d0_d1}_{Type}_{Format}.bin.
bool IsMindSporeName(std::string_view file);

/// The tensor in a file of that name and that many bytes; its values are the whole file.
Result<DumpedTensor> ReadMindSporeName(std::string_view file, uint64_t bytes);

}  // namespace transplt
