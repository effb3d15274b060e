// SPDX-License-Identifier: Apache-2.0
// Any bytes as a HDF5 file, which libhdf5 wants on disk: what is one piece lies within the file.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "require.h"
#include "transplt/dump/hdf5_file.h"

/// libhdf5 1.10 loses memory on files that are not well formed: only other findings count.
extern "C" const char* __lsan_default_options() { return "detect_leaks=0"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string path = "/tmp/hdf5_file_fuzz.XXXXXX";
  const int file = mkstemp(path.data());
  REQUIRE(file >= 0);
  REQUIRE(write(file, data, size) == static_cast<ssize_t>(size));
  close(file);
  const auto tensors = transplt::ReadHdf5(path);
  unlink(path.c_str());
  if (!tensors) return 0;
  for (const transplt::DumpedTensor& tensor : *tensors) {
    if (!tensor.place.dataset.empty()) continue;
    REQUIRE(tensor.place.offset <= size);
    REQUIRE(tensor.place.bytes <= size - tensor.place.offset);
  }
  return 0;
}
