// SPDX-License-Identifier: Apache-2.0
// Any bytes as an HDF5 file: what is read lies within the file, and what libhdf5 does not survive
// is refused.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"
#include "transplt/dump/hdf5_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("hdf5", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(write(file, data, size) == static_cast<ssize_t>(size));
  const auto tensors = transplt::ReadHdf5("/proc/self/fd/" + std::to_string(file));
  if (tensors) {
    for (const transplt::DumpedTensor& tensor : *tensors) {
      if (!tensor.place.dataset.empty()) continue;
      REQUIRE(tensor.place.offset <= size);
      REQUIRE(tensor.place.bytes <= size - tensor.place.offset);
    }
  }
  close(file);
  return 0;
}
