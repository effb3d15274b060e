// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/hdf5_file.h"

namespace transplt {
namespace {

Error NotBuilt(const std::string& path) {
  return {Error::Code::kUsage, path,
          Say("HDF5 files need a transplt that was built with libhdf5 (libhdf5-dev)",
              "读取 HDF5 文件需要使用带 libhdf5（libhdf5-dev）编译的 transplt")};
}

}  // namespace

Result<std::vector<DumpedTensor>> ReadHdf5(const std::string& path) { return NotBuilt(path); }

Result<std::string> ReadHdf5Values(const DumpedTensor& tensor) {
  return NotBuilt(tensor.place.file);
}

Result<Done> CopyHdf5Groups(const std::string& from, const std::string& /*to*/,
                            const std::vector<std::string>& /*groups*/) {
  return NotBuilt(from);
}

}  // namespace transplt
