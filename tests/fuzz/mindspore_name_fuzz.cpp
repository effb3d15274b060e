// SPDX-License-Identifier: Apache-2.0
// Any bytes as the name of a MindSpore file, and as names of tensors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "transplt/dump/mindspore_file.h"
#include "transplt/dump/tensor_name.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tensor = transplt::ReadMindSporeName(bytes, size);
  REQUIRE(!tensor || tensor->place.bytes == size);
  const transplt::TensorName name = transplt::SplitTensorName(bytes);
  REQUIRE(name.op.size() <= bytes.size());
  REQUIRE(transplt::NeutralOp(bytes).size() <= bytes.size());
  REQUIRE(!transplt::NaturalLess(bytes, bytes));
  return 0;
}
