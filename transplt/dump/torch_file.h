// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/dump/byte_source.h"
#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// Reads a .pt file that torch.save has made of one tensor (or Parameter): a zip archive with
/// stored members and a pickle, of which only the few operations are followed that such a file
/// has. Nothing of the pickle is ever run. `name` is for messages.
Result<DumpedTensor> ReadTorchFile(const ByteSource& source, const std::string& name);

}  // namespace transplt
