// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace transplt::capture {
namespace {

constexpr size_t kBuffer = 65536;

Status WriteAll(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return IoError(path, errno);
    // Nothing says why: to go on asking could take for ever.
    if (written == 0) return IoError(path, EIO);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Status MakeFolders(const std::string& path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') continue;
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), kFolderMode) == 0) {
      // The umask may have taken bits away, and the group is meant to read.
      if (::chmod(part.c_str(), kFolderMode) != 0) return IoError(part, errno);
    } else if (errno != EEXIST) {
      const int error = errno;
      // A folder above may be one that we cannot write to but that is there (EROFS).
      struct stat what {};
      if (::stat(part.c_str(), &what) != 0 || !S_ISDIR(what.st_mode)) return IoError(part, error);
    }
  }
  struct stat what {};
  if (::stat(path.c_str(), &what) != 0) return IoError(path, errno);
  if (!S_ISDIR(what.st_mode)) return {TRANSPLT_IO, path + ": is not a folder"};
  return {};
}

Status SyncFileSystem(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::syncfs(file.get()) != 0) return IoError(path, errno);
  return {};
}

Status SyncFolder(const std::string& folder) {
  const FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.get()) != 0) return IoError(folder, errno);
  return {};
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (number_ >= 0 && number_ != other.number_) ::close(number_);
  number_ = other.Release();
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

int FileDescriptor::Release() { return std::exchange(number_, -1); }

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::Create(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  path_ = path;
  bool folder_is_made = false;
  // A short name of its own: the final one may already be as long as a name may be.
  for (int attempt = 0;;) {
    temporary_ = folder + "/.tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    file_ = FileDescriptor(
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
    if (file_.is_open()) break;
    const int error = errno;
    temporary_.clear();
    if (error == EEXIST && attempt++ < 1000) continue;
    // Most files have a folder already, and each of its parents would cost a look.
    if ((error == ENOENT || error == ENOTDIR) && !folder_is_made) {
      if (Status made = MakeFolders(folder); !made.ok()) return made;
      folder_is_made = true;
      continue;
    }
    return IoError(path, error);
  }
  // The umask may have taken bits away.
  struct stat what {};
  const bool has_mode = ::fstat(file_.get(), &what) == 0 && (what.st_mode & 07777U) == kFileMode;
  if (!has_mode && ::fchmod(file_.get(), kFileMode) != 0) return IoError(path, errno);
  return {};
}

Status OutputFile::FlushBuffer() {
  Status status = WriteAll(file_.get(), buffer_, path_);
  buffer_.clear();
  return status;
}

Status OutputFile::Write(std::string_view bytes) {
  if (bytes.size() >= kBuffer) {
    if (Status status = FlushBuffer(); !status.ok()) return status;
    return WriteAll(file_.get(), bytes, path_);
  }
  buffer_.append(bytes);
  return buffer_.size() < kBuffer ? Status{} : FlushBuffer();
}

Status OutputFile::Finish() {
  if (Status status = FlushBuffer(); !status.ok()) return status;
  if (::close(file_.Release()) != 0) return IoError(path_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return IoError(path_, errno);
  temporary_.clear();
  return {};
}

}  // namespace transplt::capture
