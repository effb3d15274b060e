// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/work_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/verify/simulator_files.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

Text CannotMake() { return Say("cannot make the work folder", "无法创建工作目录"); }

}  // namespace

Result<WorkFolder> WorkFolder::Create(const std::string& keep) {
  std::string path;
  std::error_code error;
  if (keep.empty()) {
    const fs::path parent = fs::temp_directory_path(error);
    path = (error ? fs::path("/tmp") : parent) / "transplt-verify-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return FileError(path, CannotMake(), errno);
  } else {
    fs::create_directories(keep, error);
    if (error) return FileError(keep, CannotMake(), error.value(), Error::Code::kUsage);
    if (!fs::is_empty(keep, error) || error) {
      return Error{Error::Code::kUsage, keep,
                   Say("--keep needs a folder that is empty or does not exist yet",
                       "--keep 需要空目录或尚不存在的目录")};
    }
    path = fs::absolute(keep).string();
  }
  // The name that processes see as their current folder.
  WorkFolder folder(fs::canonical(path, error).string(), !keep.empty());
  if (const Result<Done> done = folder.WriteSimulator(); !done) return done.error();
  return folder;
}

Result<Done> WorkFolder::WriteSimulator() const {
  for (const EmbeddedFile& file : SimulatorFiles()) {
    const fs::path target = fs::path(simulator()) / file.path;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    std::ofstream stream(target, std::ios::binary);
    stream.write(file.text.data(), static_cast<std::streamsize>(file.text.size()));
    if (!stream.flush()) return FileError(target.string(), CannotMake(), errno);
  }
  return Done();
}

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), is_kept_(other.is_kept_) {}

WorkFolder::~WorkFolder() {
  if (path_.empty() || is_kept_) return;
  const fs::path path(path_);
  const FileHandle parent = OpenFolder(path.parent_path().string());
  if (parent) RemoveTree(parent.get(), path.filename().string());
}

}  // namespace transplt
