// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/dump/number_type.h"

namespace transplt {

/// What the pickle of a torch tensor says of it.
struct PickledTensor {
  NumberType type = NumberType::kOther;
  std::string storage;  ///< name of the member with its values
  uint64_t offset = 0;  ///< of its first element in the storage, in elements
  std::vector<uint64_t> shape;
  bool is_contiguous = true;
  bool requires_grad = false;
};

/// Reads a pickle that holds one tensor or parameter; nothing for anything else.
std::optional<PickledTensor> ReadTensorPickle(std::string_view pickle);

}  // namespace transplt
