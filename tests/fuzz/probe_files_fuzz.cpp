// SPDX-License-Identifier: Apache-2.0
// Any bytes as a dump.json of msprobe and as lines of ptdbg: every tensor has a name.
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/dump/probe_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& list :
       {transplt::ReadProbeJson(bytes, "file"), transplt::ReadPtdbgLines(bytes, "file")}) {
    for (const transplt::ListedTensor& listed : list.tensors) {
      REQUIRE(transplt::ElementsOf(listed.tensor.shape) < uint64_t{1} << 63);
    }
  }
  return 0;
}
