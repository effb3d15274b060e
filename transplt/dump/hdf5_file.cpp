// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/hdf5_file.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>

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

// Longer than any walk through a million tensors takes; a damaged file can have circles.
constexpr unsigned kSeconds = 300;

/// Held around each use of the library, which no other thread may be inside of when a child is
/// made.
std::mutex& Lock() {
  static std::mutex lock;
  return lock;
}

/// Lets a child of this process read first: libhdf5 1.10 ends in a crash on many a damaged file.
template <typename Read>
Result<Done> SurvivesReading(const std::string& path, const Read& read) {
  const pid_t child = ::fork();
  if (child < 0) {
    return Error{
        Error::Code::kIo, path,
        Say("cannot start a process to read it: {}", "无法启动读取进程: {}", std::strerror(errno))};
  }
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) {
      std::signal(signal, SIG_DFL);
    }
    ::close(STDERR_FILENO);  // what the C library says of a broken heap
    ::alarm(kSeconds);
    read();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return Error{Error::Code::kIo, path,
                   Say("cannot wait for the process that reads it: {}", "无法等待读取进程: {}",
                       std::strerror(errno))};
    }
  }
  if (WIFEXITED(status)) return Done();
  return Error{Error::Code::kBadInput, path,
               Say("is damaged: libhdf5 does not survive reading it ({})",
                   "已损坏: libhdf5 读取时崩溃 ({})", strsignal(WTERMSIG(status)))};
}

}  // namespace

Result<std::vector<DumpedTensor>> ReadHdf5(const std::string& path) {
  const Hdf5Functions* plugin = Plugin();
  if (plugin == nullptr) return NoPlugin(path);
  const std::lock_guard<std::mutex> lock(Lock());
  if (const auto fine = SurvivesReading(path, [&] { (void)plugin->read(path); }); !fine) {
    return fine.error();
  }
  return plugin->read(path);
}

Result<std::string> ReadHdf5Values(const DumpedTensor& tensor) {
  const Hdf5Functions* plugin = Plugin();
  if (plugin == nullptr) return NoPlugin(tensor.place.file);
  const std::lock_guard<std::mutex> lock(Lock());
  const auto fine = SurvivesReading(tensor.place.file, [&] { (void)plugin->read_values(tensor); });
  if (!fine) return fine.error();
  return plugin->read_values(tensor);
}

Result<Done> CopyHdf5Groups(const std::string& from, const std::string& to,
                            const std::vector<std::string>& groups) {
  const Hdf5Functions* plugin = Plugin();
  if (plugin == nullptr) return NoPlugin(from);
  const std::lock_guard<std::mutex> lock(Lock());
  const auto fine = SurvivesReading(from, [&] { (void)plugin->read(from); });
  if (!fine) return fine.error();
  return plugin->copy_groups(from, to, groups);
}

}  // namespace transplt
