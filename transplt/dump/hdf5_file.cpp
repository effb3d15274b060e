// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/hdf5_file.h"

#include <dlfcn.h>

#include <filesystem>

#include "transplt/dump/hdf5_plugin.h"

namespace transplt {
namespace {

/// The plugin beside the program, else where it is installed; null if there is none or if a
/// library that it needs is missing.
const Hdf5Functions* LoadPlugin() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path();
  for (const auto& path :
       {folder / TRANSPLT_HDF5_PLUGIN, folder / TRANSPLT_PLUGIN_FOLDER / TRANSPLT_HDF5_PLUGIN}) {
    void* plugin = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* function = plugin == nullptr ? nullptr : ::dlsym(plugin, kHdf5PluginFunction);
    if (function == nullptr) continue;
    return reinterpret_cast<decltype(&transplt_hdf5_functions)>(function)();
  }
  return nullptr;
}

const Hdf5Functions* Plugin() {
  static const Hdf5Functions* const functions = LoadPlugin();
  return functions;
}

Error NoPlugin(const std::string& path) {
  return {Error::Code::kUsage, path,
          Say("HDF5 files need {} beside transplt, and libhdf5 (Debian: libhdf5-103-1)",
              "读取 HDF5 文件需要 transplt 旁的 {} 以及 libhdf5（Debian: libhdf5-103-1）",
              TRANSPLT_HDF5_PLUGIN)};
}

}  // namespace

Result<std::vector<DumpedTensor>> ReadHdf5(const std::string& path) {
  return Plugin() != nullptr ? Plugin()->read(path) : NoPlugin(path);
}

Result<std::string> ReadHdf5Values(const DumpedTensor& tensor) {
  return Plugin() != nullptr ? Plugin()->read_values(tensor) : NoPlugin(tensor.place.file);
}

Result<Done> CopyHdf5Groups(const std::string& from, const std::string& to,
                            const std::vector<std::string>& groups) {
  return Plugin() != nullptr ? Plugin()->copy_groups(from, to, groups) : NoPlugin(from);
}

}  // namespace transplt
