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

/// What the file says, without what is no digit.
std::string NumberIn(int file) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  std::string number;
  for (ssize_t i = 0;
       i < size && text[static_cast<size_t>(i)] >= '0' && text[static_cast<size_t>(i)] <= '9';
       ++i) {
    number += text[static_cast<size_t>(i)];
  }
  return number;
}

bool IsThere(int file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

bool IsLogFolder(std::string_view name) { return name.starts_with(kLogFolder); }

std::vector<std::string> LogFoldersIn(const std::string& root) {
  std::vector<std::string> paths;
  for (const std::string& name : Entries(root)) {
    std::string path = root;
    path.append("/").append(name);
    struct stat what {};
    if (IsLogFolder(name) && ::stat(path.c_str(), &what) == 0 && S_ISDIR(what.st_mode)) {
      paths.push_back(path);
    }
  }
  return paths;
}

Status LogFolder::Hold(const std::string& path, const std::string& remedy) {
  const std::string lock = path + "/lock";
  for (int attempt = 0; !is_held(); ++attempt) {
    if (attempt == 100) return {TRANSPLT_IO, lock + ": vanishes again and again"};
    if (Status status = MakeFolders(path); !status.ok()) return status;
    FileDescriptor file(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
    // Who held the folder may remove it between any two of our steps: then from the start.
    if (!file.is_open() && errno == ENOENT) continue;
    if (!file.is_open()) return IoError(lock, errno);
    const std::string process = NumberIn(file.get());
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return IoError(lock, errno);
      std::string message = path + ": process ";
      message.append(process.empty() ? "?" : process).append(" captures into it now; ");
      return {TRANSPLT_CLASH, message + remedy};
    }
    if (!IsThere(file.get(), lock)) continue;
    former_process_ = NumberIn(file.get());
    lock_.Reset(std::move(file));
  }
  path_ = path;
  if (::fchmod(lock_.get(), kFileMode) != 0) return IoError(lock, errno);
  return Name(std::to_string(::getpid()));
}

Status LogFolder::Name(const std::string& process) {
  if (::ftruncate(lock_.get(), 0) != 0 ||
      ::pwrite(lock_.get(), process.data(), process.size(), 0) < 0) {
    return IoError(path_ + "/lock", errno);
  }
  return {};
}

Status LogFolder::GiveBack() {
  Status status = Name(former_process_);
  lock_.Close();
  return status;
}

void LogFolder::Leave() {
  if (!is_held()) return;
  if (Segments().empty()) {
    ::unlink((path_ + "/lock").c_str());
    ::rmdir(path_.c_str());
  }
  lock_.Close();
}

std::vector<std::string> LogFolder::Segments() const {
  std::vector<std::string> paths;
  for (const std::string& name : Entries(path_)) {
    if (name.ends_with(kSuffix)) paths.emplace_back(path_).append("/").append(name);
  }
  return paths;
}

Status RunFolder::Open(const std::string& root, uint32_t device, bool allow_existing) {
  root_ = root;
  while (root_.size() > 1 && root_.back() == '/') root_.pop_back();
  std::string log = root_ + "/" + kLogFolder;
  if (device != 0) log += "." + std::to_string(device);
  if (Status status = log_.Hold(log, "give every process a folder of its own"); !status.ok()) {
    return status;
  }
  if (!log_.Segments().empty()) {
    if (Status status = log_.GiveBack(); !status.ok()) return status;
    return {TRANSPLT_CLASH, root_ +
                                ": holds what an interrupted run has captured; recover it"
                                " (transplt_capture_recover) or delete the folder"};
  }
  if (allow_existing) return {};
  for (const std::string& name : Entries(root_)) {
    if (IsLogFolder(name)) continue;
    Close();
    return {TRANSPLT_CLASH, root_ + ": holds data of an earlier run (" + name +
                                "); delete it or choose another folder"};
  }
  return {};
}

std::string RunFolder::NewSegmentPath() {
  std::string number = std::to_string(segments_++);
  number.insert(0, 9 - std::min<size_t>(9, number.size()), '0');
  return log_.path() + "/" + number + kSuffix;
}

uint64_t RunFolder::FreeBytes() const {
  struct statvfs what {};
  if (::statvfs(root_.c_str(), &what) != 0) return std::numeric_limits<uint64_t>::max();
  return uint64_t{what.f_bavail} * what.f_frsize;
}

}  // namespace transplt::capture
