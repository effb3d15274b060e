// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/archive.h"

#include <dlfcn.h>

#include <filesystem>

#include "transplt/batch/archive_plugin.h"

namespace transplt {
namespace {

/// The plugin beside the program, else where it is installed; null if there is none or if a
/// library that it needs is missing.
UnpackFunction LoadPlugin() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path();
  for (const auto& path : {folder / TRANSPLT_ARCHIVE_PLUGIN,
                           folder / TRANSPLT_PLUGIN_FOLDER / TRANSPLT_ARCHIVE_PLUGIN}) {
    void* plugin = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* function = plugin == nullptr ? nullptr : ::dlsym(plugin, kArchivePluginFunction);
    if (function == nullptr) continue;
    return reinterpret_cast<decltype(&transplt_unpack_archive)>(function)();
  }
  return nullptr;
}

}  // namespace

Result<Done> UnpackArchive(const std::string& path, const std::string& folder,
                           const ArchiveLimits& limits) {
  static const UnpackFunction unpack = LoadPlugin();
  if (unpack != nullptr) return unpack(path, folder, limits);
  return Error{Error::Code::kUsage, path,
               Say("archives need {} beside transplt, and libarchive (Debian: libarchive13)",
                   "读取压缩包需要 transplt 旁的 {} 以及 libarchive（Debian: libarchive13）",
                   TRANSPLT_ARCHIVE_PLUGIN)};
}

}  // namespace transplt
