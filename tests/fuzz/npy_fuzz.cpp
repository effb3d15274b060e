// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: what is read lies within the file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "transplt/dump/npy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const transplt::MemorySource source(bytes);
  const auto tensor = transplt::ReadNpy(source, "file");
  if (!tensor) return 0;
  REQUIRE(tensor->place.offset <= size);
  REQUIRE(tensor->place.bytes <= size - tensor->place.offset);
  return 0;
}
