// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/disk_faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr uint64_t kBlock = 4096;

uint64_t Blocks(uint64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

/// What is asked for, and what has been seen of it.
class Faults {
 public:
  Faults() {
    if (const char* folder = std::getenv("TRANSPLT_FAULTS_UNDER")) folder_ = folder;
    if (const char* bytes = std::getenv("TRANSPLT_FAULTS_DISK"))
      disk_ = std::strtoull(bytes, nullptr, 10);
    if (const char* fault = std::getenv("TRANSPLT_FAULTS")) {
      std::array<char, 32> kind{};
      unsigned long long number = 0;
      if (std::sscanf(fault, "%31s %llu %d %d", kind.data(), &number, &error_, &lasts_) != 4) {
        std::fprintf(stderr, "TRANSPLT_FAULTS: \"kind number errno lasts\" is expected\n");
        std::abort();
      }
      kind_ = kind.data();
      number_ = number;
    }
  }

  void Under(const char* folder) {
    const std::lock_guard lock(mutex_);
    folder_ = folder;
  }

  void Arm(const char* kind, uint64_t number, int error, int lasts) {
    const std::lock_guard lock(mutex_);
    seen_.clear();
    kind_ = kind;
    number_ = number;
    error_ = error;
    lasts_ = lasts;
  }

  void Disk(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    disk_ = bytes;
    sizes_.clear();
    used_ = 0;
  }

  uint64_t Seen(const char* kind) {
    const std::lock_guard lock(mutex_);
    return seen_[kind];
  }

  /// True with errno if this call is to fail.
  bool Refuses(const char* kind, const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (!IsBelow(path)) return false;
    const uint64_t any = ++seen_["any"];
    const uint64_t of_kind = ++seen_[kind];
    if (number_ == 0 || (kind_ != kind && kind_ != "any")) return false;
    const uint64_t at = kind_ == "any" ? any : of_kind;
    if (at != number_ && !(lasts_ != 0 && at > number_)) return false;
    errno = error_;
    return true;
  }

  bool RefusesFile(const char* kind, int file) { return Refuses(kind, PathOf(file)); }

  /// How many of `size` bytes at `offset` the disk has room for; all if it has no limit.
  size_t Grow(int file, uint64_t offset, size_t size) {
    const std::lock_guard lock(mutex_);
    struct stat what {};
    if (disk_ == 0 || !IsBelow(PathOf(file)) || ::fstat(file, &what) != 0) return size;
    uint64_t& taken = sizes_[{what.st_dev, what.st_ino}];
    const uint64_t room = disk_ - std::min(disk_, used_) + taken;
    const uint64_t end = std::min(offset + size, room / kBlock * kBlock);
    if (end <= offset) return 0;
    if (Blocks(end) > taken) {
      used_ += Blocks(end) - taken;
      taken = Blocks(end);
    }
    return end - offset;
  }

  /// The file that is called so is about to be removed or replaced.
  void Free(const char* path) {
    const std::lock_guard lock(mutex_);
    struct stat what {};
    if (disk_ == 0 || ::lstat(path, &what) != 0) return;
    const auto found = sizes_.find({what.st_dev, what.st_ino});
    if (found == sizes_.end()) return;
    used_ -= found->second;
    sizes_.erase(found);
  }

  bool FreeSpace(const char* path, uint64_t* free, uint64_t* total) {
    const std::lock_guard lock(mutex_);
    if (disk_ == 0 || !IsBelow(path)) return false;
    *free = disk_ - std::min(disk_, used_);
    *total = disk_;
    return true;
  }

 private:
  bool IsBelow(std::string_view path) const {
    return !folder_.empty() && path.substr(0, folder_.size()) == folder_;
  }

  static std::string PathOf(int file) {
    std::array<char, 4096> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
    return size < 0 ? "" : std::string(path.data(), static_cast<size_t>(size));
  }

  std::mutex mutex_;
  std::string folder_;
  std::string kind_;
  uint64_t number_ = 0;
  int error_ = 0;
  int lasts_ = 0;
  uint64_t disk_ = 0;
  uint64_t used_ = 0;
  std::map<std::pair<dev_t, ino_t>, uint64_t> sizes_;
  std::map<std::string, uint64_t> seen_;
};

Faults& TheFaults() {
  // Never destroyed: programs write while they end.
  static auto* faults = new Faults();
  return *faults;
}

/// The C library's function.
template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int Open(const char* name, const char* path, int flags, unsigned mode) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (TheFaults().Refuses(writes ? "open" : "read", path)) return -1;
  return Real<int(const char*, int, ...)>(name)(path, flags, mode);
}

ssize_t Write(const char* name, int file, const void* bytes, size_t size, off_t offset) {
  if (TheFaults().RefusesFile("write", file)) return -1;
  size = TheFaults().Grow(file, static_cast<uint64_t>(offset), size);
  if (size == 0) {
    errno = ENOSPC;
    return -1;
  }
  return Real<ssize_t(int, const void*, size_t, off_t)>(name)(file, bytes, size, offset);
}

}  // namespace

void disk_faults_under(const char* folder) { TheFaults().Under(folder); }
void disk_faults_arm(const char* kind, uint64_t number, int error, int lasts) {
  TheFaults().Arm(kind, number, error, lasts);
}
uint64_t disk_faults_seen(const char* kind) { return TheFaults().Seen(kind); }
void disk_faults_disk(uint64_t bytes) { TheFaults().Disk(bytes); }

// What programs call in the place of the C library.
extern "C" {  // NOLINTBEGIN: names of C

#define TRANSPLT_OPEN(name)                       \
  int name(const char* path, int flags, ...) {    \
    va_list rest;                                 \
    va_start(rest, flags);                        \
    const unsigned mode = va_arg(rest, unsigned); \
    va_end(rest);                                 \
    return Open(#name, path, flags, mode);        \
  }
TRANSPLT_OPEN(open)
TRANSPLT_OPEN(open64)

ssize_t write(int file, const void* bytes, size_t size) {
  if (TheFaults().RefusesFile("write", file)) return -1;
  const off_t at = ::lseek(file, 0, SEEK_CUR);
  if (size > 0 && at >= 0) {
    size = TheFaults().Grow(file, static_cast<uint64_t>(at), size);
    if (size == 0) {
      errno = ENOSPC;
      return -1;
    }
  }
  return Real<ssize_t(int, const void*, size_t)>("write")(file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return Write("pwrite", file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return Write("pwrite64", file, bytes, size, offset);
}
ssize_t pread(int file, void* bytes, size_t size, off_t offset) {
  if (TheFaults().RefusesFile("read", file)) return -1;
  return Real<ssize_t(int, void*, size_t, off_t)>("pread")(file, bytes, size, offset);
}
// What they sync no test looks at, and a real disk would take its time.
int fsync(int file) { return TheFaults().RefusesFile("fsync", file) ? -1 : 0; }
int fdatasync(int file) { return fsync(file); }
int syncfs(int file) noexcept { return fsync(file); }
int close(int file) {
  // A refused close has closed the file all the same.
  const bool is_refused = TheFaults().RefusesFile("close", file);
  const int error = errno;
  const int result = Real<int(int)>("close")(file);
  if (is_refused) errno = error;
  return is_refused ? -1 : result;
}
int ftruncate(int file, off_t size) noexcept {
  if (TheFaults().RefusesFile("ftruncate", file)) return -1;
  return Real<int(int, off_t)>("ftruncate")(file, size);
}
int ftruncate64(int file, off64_t size) noexcept { return ftruncate(file, size); }
int fallocate(int file, int mode, off_t offset, off_t size) {
  if (TheFaults().RefusesFile("ftruncate", file)) return -1;
  return Real<int(int, int, off_t, off_t)>("fallocate")(file, mode, offset, size);
}
int mkdir(const char* path, mode_t mode) noexcept {
  if (TheFaults().Refuses("mkdir", path)) return -1;
  return Real<int(const char*, mode_t)>("mkdir")(path, mode);
}
int rename(const char* from, const char* to) noexcept {
  if (TheFaults().Refuses("rename", to)) return -1;
  TheFaults().Free(to);
  return Real<int(const char*, const char*)>("rename")(from, to);
}
int link(const char* from, const char* to) noexcept {
  if (TheFaults().Refuses("link", to)) return -1;
  return Real<int(const char*, const char*)>("link")(from, to);
}
int unlink(const char* path) noexcept {
  if (TheFaults().Refuses("unlink", path)) return -1;
  TheFaults().Free(path);
  return Real<int(const char*)>("unlink")(path);
}
int rmdir(const char* path) noexcept {
  if (TheFaults().Refuses("unlink", path)) return -1;
  return Real<int(const char*)>("rmdir")(path);
}
int chmod(const char* path, mode_t mode) noexcept {
  if (TheFaults().Refuses("chmod", path)) return -1;
  return Real<int(const char*, mode_t)>("chmod")(path, mode);
}
int fchmod(int file, mode_t mode) noexcept {
  if (TheFaults().RefusesFile("chmod", file)) return -1;
  return Real<int(int, mode_t)>("fchmod")(file, mode);
}
int statvfs(const char* path, struct statvfs* result) noexcept {
  const int status = Real<int(const char*, struct statvfs*)>("statvfs")(path, result);
  uint64_t free = 0;
  uint64_t total = 0;
  if (status == 0 && TheFaults().FreeSpace(path, &free, &total)) {
    result->f_frsize = kBlock;
    result->f_bavail = result->f_bfree = free / kBlock;
    result->f_blocks = total / kBlock;
  }
  return status;
}
}  // NOLINTEND
