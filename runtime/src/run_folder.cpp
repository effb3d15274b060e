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

/// True if the open `file` is what stands at `path`.
bool IsOpenFileOf(int file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

std::vector<std::string> SegmentsIn(const std::string& log) {
  std::vector<std::string> paths;
  for (const std::string& name : Entries(log)) {
    if (name.ends_with(kSuffix)) paths.emplace_back(log).append("/").append(name);
  }
  return paths;
}

std::string WithoutLastSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string LogOf(const std::string& root, uint32_t device) {
  return root + "/" + kLogFolder + (device == 0 ? "" : "." + std::to_string(device));
}

Status CheckSegments(const std::vector<std::string>& segments, const std::string& root) {
  if (segments.empty()) return {};
  return {TRANSPLT_CLASH, root +
                              ": holds what an interrupted run has captured; recover it"
                              " (transplt_capture_recover) or delete the folder"};
}

Status CheckEntries(const std::string& root) {
  for (const std::string& name : Entries(root)) {
    if (IsLogFolder(name)) continue;
    return {TRANSPLT_CLASH, root + ": holds data of an earlier run (" + name +
                                "); delete it or choose another folder"};
  }
  return {};
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
    if (!file.is_open()) {
      Status status = IoError(lock, errno);
      ::rmdir(path.c_str());  // of use to nobody, and gone only if it is empty
      return status;
    }
    const std::string process = NumberIn(file.get());
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return IoError(lock, errno);
      std::string message = path + ": process ";
      message.append(process.empty() ? "?" : process).append(" captures into it now; ");
      return {TRANSPLT_CLASH, message + remedy};
    }
    if (!IsOpenFileOf(file.get(), lock)) continue;
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

std::vector<std::string> LogFolder::Segments() const { return SegmentsIn(path_); }

Status RunFolder::Open(const std::string& root, uint32_t device, bool allow_existing) {
  root_ = WithoutLastSlashes(root);
  if (Status status = log_.Hold(LogOf(root_, device), "give every process a folder of its own");
      !status.ok()) {
    return status;
  }
  if (Status status = CheckSegments(log_.Segments(), root_); !status.ok()) {
    Status given_back = log_.GiveBack();
    return given_back.ok() ? status : given_back;
  }
  Status status = allow_existing ? Status{} : CheckEntries(root_);
  if (!status.ok()) Close();
  return status;
}

Status RunFolder::Check(const std::string& root, uint32_t device, bool allow_existing) {
  const std::string folder = WithoutLastSlashes(root);
  Status status = CheckSegments(SegmentsIn(LogOf(folder, device)), folder);
  return status.ok() && !allow_existing ? CheckEntries(folder) : status;
}

std::string RunFolder::NewSegmentPath() {
  std::string number = std::to_string(segments_++);
  number.insert(0, 9 - std::min<size_t>(9, number.size()), '0');
  return log_.path() + "/" + number + kSuffix;
}

DiskSpace RunFolder::Space() const {
  struct statvfs what {};
  constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max() / 2;
  if (::statvfs(root_.c_str(), &what) != 0) return {kNoLimit, kNoLimit};
  return {uint64_t{what.f_bavail} * what.f_frsize, uint64_t{what.f_blocks} * what.f_frsize};
}

}  // namespace transplt::capture
