// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/dump/byte_source.h"
#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// Reads the header of a .npy file: type, shape and place of the values. `name` is for messages.
Result<DumpedTensor> ReadNpy(const ByteSource& source, const std::string& name);

/// The header of a .npy file with values of `type` in C order. bfloat16 has no name in numpy.
std::string NpyHeader(NumberType type, const std::vector<uint64_t>& shape);

}  // namespace transplt
