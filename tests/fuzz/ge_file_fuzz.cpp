// SPDX-License-Identifier: Apache-2.0
// Any bytes as a DumpData file of GE: what is read lies within the file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "transplt/dump/ge_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const transplt::MemorySource source(bytes);
  const auto tensors = transplt::ReadGeFile(source, "file");
  if (!tensors) return 0;
  for (const transplt::DumpedTensor& tensor : *tensors) {
    REQUIRE(tensor.place.offset <= size);
    REQUIRE(tensor.place.bytes <= size - tensor.place.offset);
  }
  return 0;
}
