// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/dump/byte_source.h"
#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// Reads a DumpData file of GE, as TensorFlow, asynchronous MindSpore dumps and single operators
/// leave it: 8 bytes length, that many of a protocol buffer, then the values one after another.
/// Names are "input.0", "output.0" ...; `name` is for messages.
Result<std::vector<DumpedTensor>> ReadGeFile(const ByteSource& source, const std::string& name);

}  // namespace transplt
