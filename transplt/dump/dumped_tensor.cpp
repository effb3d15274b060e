// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/dumped_tensor.h"

#include <fmt/format.h>

#include <limits>

namespace transplt {

uint64_t ElementsOf(const std::vector<uint64_t>& shape) {
  uint64_t elements = 1;
  for (const uint64_t size : shape) {
    if (size != 0 && elements > (std::numeric_limits<uint64_t>::max() >> 1) / size) {
      return std::numeric_limits<uint64_t>::max() >> 1;
    }
    elements *= size;
  }
  return elements;
}

std::string ShapeText(const std::vector<uint64_t>& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace transplt
