// SPDX-License-Identifier: Apache-2.0
// Between the program and its plugin for HDF5, which is loaded on first use: libhdf5 brings two
// dozen libraries along, and only dumps of some tools need it.
#pragma once

#include <string>
#include <vector>

#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// What the plugin does; hdf5_file.h says what each function means. Debian's library must be
/// entered by one thread at a time.
struct Hdf5Functions {
  Result<std::vector<DumpedTensor>> (*read)(const std::string& path);
  Result<std::string> (*read_values)(const DumpedTensor& tensor);
  Result<Done> (*copy_groups)(const std::string& from, const std::string& to,
                              const std::vector<std::string>& groups);
};

constexpr const char* kHdf5PluginFunction = "transplt_hdf5_functions";

}  // namespace transplt

extern "C" __attribute__((visibility("default"))) const transplt::Hdf5Functions*
transplt_hdf5_functions();
