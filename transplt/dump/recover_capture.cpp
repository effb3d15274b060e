// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/recover_capture.h"

#include <dlfcn.h>

#include <filesystem>
#include <set>

#include "transplt/dump/capture_log.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtransplt_capture.so.1";

/// What is used of runtime/include/transplt/capture.h.
struct CaptureLibrary {
  using Recover = int (*)(const char* root, uint64_t* files);
  using LastError = const char* (*)();

  Recover recover = nullptr;
  LastError last_error = nullptr;
};

/// Beside the program, as it is installed and as it is built, then where the loader looks.
CaptureLibrary LoadLibrary() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  for (const fs::path& path :
       {program / "lib" / kLibrary, program / "python" / "transplt_capture" / kLibrary,
        fs::path(kLibrary)}) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open to the end
    if (library == nullptr) continue;
    CaptureLibrary found;
    found.recover =
        reinterpret_cast<CaptureLibrary::Recover>(dlsym(library, "transplt_capture_recover"));
    found.last_error =
        reinterpret_cast<CaptureLibrary::LastError>(dlsym(library, "transplt_capture_last_error"));
    if (found.recover != nullptr && found.last_error != nullptr) return found;
  }
  return {};
}

/// The folders in or below `folder` in which a capture has left its log.
std::set<std::string> RootsIn(const fs::path& folder) {
  std::set<std::string> roots;
  std::error_code error;
  constexpr fs::directory_options kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, kSkip, error), end; !error && at != end;
       at.increment(error)) {
    if (IsCaptureLog(at->path())) roots.insert(CaptureRootOf(at->path()));
  }
  return roots;
}

}  // namespace

Result<RecoveredCapture> RecoverCapture(const std::string& folder) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  if (error) {
    return Error{Error::Code::kUsage, folder,
                 Say("cannot be found: {}", "无法找到：{}", error.message())};
  }
  const std::set<std::string> roots = RootsIn(whole);
  if (roots.empty()) {
    return Error{Error::Code::kUsage, folder,
                 Say("holds nothing to recover: no .transplt_capture/*.segment in it or below",
                     "没有可恢复的内容：其中及其子目录没有 .transplt_capture/*.segment")};
  }
  const CaptureLibrary library = LoadLibrary();
  if (library.recover == nullptr) {
    return Error{Error::Code::kUsage, folder,
                 Say("the capture library ({}) is not beside this program; where it is installed, "
                     "run: python3 -c \"import transplt_capture; transplt_capture.recover('{}')\"",
                     "未在本程序旁找到采集库（{}）；请在已安装采集库的环境中运行：python3 -c "
                     "\"import transplt_capture; transplt_capture.recover('{}')\"",
                     kLibrary, *roots.begin())};
  }
  RecoveredCapture result;
  for (const std::string& root : roots) {
    uint64_t files = 0;
    if (library.recover(root.c_str(), &files) != 0) {
      const std::string why = library.last_error();
      result.troubles.push_back({Error::Code::kIo, root, {why, why}});
    }
    result.files += files;
  }
  return result;
}

}  // namespace transplt
