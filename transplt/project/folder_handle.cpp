// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/folder_handle.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "transplt/base/cancelled.h"

namespace transplt {
namespace {

constexpr std::size_t kLongestPath = 4000;  // below PATH_MAX, with room for the last name
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kKernelChunk = 64 * kChunk;  // between two questions whether to go on

/// Removes the files of `folder`, and appends the folders in it to `folders`.
bool RemoveFiles(int parent, const std::string& folder, std::vector<std::string>& folders) {
  FileHandle handle = OpenBelow(parent, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (!handle && errno == EACCES) {
    // Not even the owner may list it: the owner may change that.
    Place place = OpenParentBelow(parent, folder);
    if (!place.folder || fchmodat(place.folder.get(), place.name.c_str(), 0700, 0) != 0) {
      return false;
    }
    handle = OpenBelow(parent, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
  struct stat status {};
  if (!handle || fstat(handle.get(), &status) != 0) return false;
  if ((status.st_mode & 0300) != 0300) fchmod(handle.get(), 0700);  // unlinkat reports a failure
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
  if (!list) return false;
  handle.Release();
  errno = 0;
  while (const dirent* entry = readdir(list.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (unlinkat(dirfd(list.get()), name.c_str(), 0) != 0) {
      if (errno != EISDIR && errno != EPERM) return false;
      folders.push_back(Joined(folder, name));
    }
    errno = 0;
  }
  return errno == 0;
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileHandle::Close() { return close(std::exchange(descriptor_, -1)) == 0; }

FileHandle OpenFolder(const std::string& path) {
  return FileHandle(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

FileHandle OpenBelow(int folder, std::string_view relative, int flags, mode_t mode) {
  FileHandle step;
  while (relative.size() > kLongestPath) {
    const std::size_t cut = relative.rfind('/', kLongestPath);
    if (cut == std::string_view::npos) break;  // the system refuses such a name
    const std::string part(relative.substr(0, cut));
    step = FileHandle(openat(folder, part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!step) return step;
    folder = step.get();
    relative.remove_prefix(cut + 1);
  }
  const std::string rest(relative.empty() ? "." : relative);
  return FileHandle(openat(folder, rest.c_str(), flags | O_CLOEXEC, mode));
}

Place OpenParentBelow(int folder, std::string_view relative) {
  return {OpenBelow(folder, ParentOf(relative), O_PATH | O_DIRECTORY),
          std::string(LastName(relative))};
}

std::string_view LastName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view ParentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string Joined(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty()) path += '/';
  path += name;
  return path;
}

bool IsPlainPath(std::string_view relative) {
  while (true) {
    const std::string_view part = relative.substr(0, relative.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == relative.size()) return true;
    relative.remove_prefix(part.size() + 1);
  }
}

bool MakeFoldersBelow(int folder, std::string_view relative, mode_t mode) {
  for (std::size_t end = 0; end < relative.size();) {
    end = std::min(relative.find('/', end + 1), relative.size());
    const Place place = OpenParentBelow(folder, relative.substr(0, end));
    if (!place.folder) return false;
    if (mkdirat(place.folder.get(), place.name.c_str(), mode) != 0 && errno != EEXIST) return false;
  }
  return true;
}

int64_t ModifiedAt(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool ReadAll(int file, std::string& bytes) {
  struct stat status {};
  if (fstat(file, &status) != 0) return false;
  bytes.clear();
  // One byte more than expected shows the end without growing the buffer.
  std::size_t room = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) + 1;
  std::size_t size = 0;
  while (true) {
    bytes.resize(size + room);
    const ssize_t got = read(file, bytes.data() + size, room);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) size += static_cast<std::size_t>(got);
    room = std::max(bytes.size() - size, std::size_t{4096});
    if (got > 0) continue;
    bytes.resize(size);
    return got == 0;
  }
}

CopyOutcome CopyAll(int from, int to, const std::atomic<bool>* cancelled) {
  struct stat status {};
  if (fstat(from, &status) != 0) return CopyOutcome::kCannotRead;
  const std::size_t size = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  for (std::size_t left = size; left > 0;) {
    if (IsCancelled(cancelled)) return CopyOutcome::kCancelled;
    const ssize_t copied =
        copy_file_range(from, nullptr, to, nullptr, std::min(left, kKernelChunk), 0);
    if (copied < 0 && errno == EINTR) continue;
    // Where the kernel cannot copy between the two file systems it says so, or says that it has
    // copied nothing; the rest is copied below. A full disk shows there, too.
    if (copied <= 0) break;
    left -= std::min(left, static_cast<std::size_t>(copied));
  }
  std::string buffer(std::min(size + 1, kChunk), '\0');
  while (true) {
    if (IsCancelled(cancelled)) return CopyOutcome::kCancelled;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got == 0) return CopyOutcome::kDone;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CopyOutcome::kCannotRead;
    if (!WriteAll(to, std::string_view(buffer).substr(0, static_cast<std::size_t>(got)))) {
      return CopyOutcome::kCannotWrite;
    }
  }
}

bool ReadLink(int folder, const std::string& name, std::string& target) {
  target.resize(256);
  while (true) {
    const ssize_t size = readlinkat(folder, name.c_str(), target.data(), target.size());
    if (size < 0) return false;
    if (static_cast<std::size_t>(size) < target.size()) {
      target.resize(static_cast<std::size_t>(size));
      return true;
    }
    target.resize(target.size() * 4);
  }
}

bool RemoveTree(int parent, const std::string& name) {
  std::vector<std::string> folders = {name};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (!RemoveFiles(parent, std::string(folders[i]), folders)) return false;
  }
  // A folder stands after the one that holds it.
  for (std::size_t i = folders.size(); i-- > 0;) {
    const Place place = OpenParentBelow(parent, folders[i]);
    if (!place.folder) return false;
    if (unlinkat(place.folder.get(), place.name.c_str(), AT_REMOVEDIR) != 0) return false;
  }
  return true;
}

}  // namespace transplt
