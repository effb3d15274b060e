// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <memory>

namespace transplt::capture {
namespace {

constexpr const char* kLogFolder = ".transplt_capture";
constexpr const char* kSuffix = ".segment";

std::vector<std::string> Entries(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (stream == nullptr) return names;
  while (const dirent* entry = ::readdir(stream.get())) {  // NOLINT: the stream is ours alone
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> SegmentsOf(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& name : Entries(folder)) {
    if (name.ends_with(kSuffix)) paths.emplace_back(folder).append("/").append(name);
  }
  return paths;
}

}  // namespace

std::vector<std::string> SegmentsIn(const std::string& root) {
  std::vector<std::string> paths;
  for (const std::string& folder : Entries(root)) {
    if (!folder.starts_with(kLogFolder)) continue;
    std::string whole = root;
    whole.append("/").append(folder);
    for (const std::string& path : SegmentsOf(whole)) paths.push_back(path);
  }
  return paths;
}

void RemoveLogFolder(const std::string& folder) {
  if (!SegmentsOf(folder).empty()) return;
  ::unlink((folder + "/lock").c_str());
  ::rmdir(folder.c_str());
}

Status RunFolder::Lock(const std::string& path) {
  lock_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
  if (!lock_.is_open()) return IoError(path, errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    std::array<char, 32> text{};
    const ssize_t size = ::read(lock_.get(), text.data(), text.size() - 1);
    return {TRANSPLT_CLASH, root_ + ": process " + (size > 0 ? text.data() : "?") +
                                " captures into it now; give every process a folder of its own"};
  }
  const std::string process = std::to_string(::getpid());
  if (::fchmod(lock_.get(), kFileMode) != 0 || ::ftruncate(lock_.get(), 0) != 0 ||
      ::write(lock_.get(), process.data(), process.size()) < 0) {
    return IoError(path, errno);
  }
  return {};
}

Status RunFolder::Open(const std::string& root, uint32_t device, bool allow_existing) {
  root_ = root;
  while (root_.size() > 1 && root_.back() == '/') root_.pop_back();
  log_ = root_ + "/" + kLogFolder;
  if (device != 0) log_ += "." + std::to_string(device);
  if (Status status = MakeFolders(log_); !status.ok()) return status;
  if (Status status = Lock(log_ + "/lock"); !status.ok()) return status;
  if (!SegmentsOf(log_).empty()) {
    return {TRANSPLT_CLASH, root_ +
                                ": holds what an interrupted run has captured; recover it"
                                " (transplt_capture_recover) or delete the folder"};
  }
  if (allow_existing) return {};
  for (const std::string& name : Entries(root_)) {
    if (name.starts_with(kLogFolder)) continue;
    Close();
    return {TRANSPLT_CLASH, root_ + ": holds data of an earlier run (" + name +
                                "); delete it or choose another folder"};
  }
  return {};
}

void RunFolder::Close() {
  if (!lock_.is_open()) return;
  RemoveLogFolder(log_);
  lock_ = FileDescriptor();
}

std::string RunFolder::NewSegmentPath() {
  std::string number = std::to_string(segments_++);
  number.insert(0, 9 - std::min<size_t>(9, number.size()), '0');
  return log_ + "/" + number + kSuffix;
}

uint64_t RunFolder::FreeBytes() const {
  struct statvfs what {};
  if (::statvfs(root_.c_str(), &what) != 0) return std::numeric_limits<uint64_t>::max();
  return uint64_t{what.f_bavail} * what.f_frsize;
}

}  // namespace transplt::capture
