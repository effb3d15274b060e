// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace transplt {

/// An open file or folder, closed when it goes out of scope. All functions of this file report
/// trouble through errno.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileHandle();

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }
  /// Closes now, because some file systems report a failed write only here.
  bool Close();

 private:
  int descriptor_ = -1;
};

FileHandle OpenFolder(const std::string& path);

/// Opens `relative` (no empty component, "" for the folder itself) below `folder`. Unlike
/// open(2) it has no limit for the length of the whole path.
FileHandle OpenBelow(int folder, std::string_view relative, int flags, mode_t mode = 0);

/// The folder that holds `relative`, and its last name.
struct Place {
  FileHandle folder;
  std::string name;
};
Place OpenParentBelow(int folder, std::string_view relative);

/// The last name of a path: "b" of "a/b".
std::string_view LastName(std::string_view path);
/// "a" of "a/b", "" of "b".
std::string_view ParentOf(std::string_view path);
/// "a/b" of "a" and "b", "b" of "" and "b".
std::string Joined(std::string_view folder, std::string_view name);

/// True for a relative path without empty components, "." and "..", which so cannot lead out of
/// the folder that it is relative to.
bool IsPlainPath(std::string_view relative);

/// Creates those folders on the way `relative` that are missing.
bool MakeFoldersBelow(int folder, std::string_view relative, mode_t mode);

/// When the file was last written, in nanoseconds.
int64_t ModifiedAt(const struct stat& status);

bool WriteAll(int file, std::string_view bytes);
bool ReadAll(int file, std::string& bytes);
enum class CopyOutcome { kDone, kCannotRead, kCannotWrite, kCancelled };
/// Copies the rest of `from` to the end of `to`, inside the kernel where it can, until `cancelled`,
/// which may be null, is set.
CopyOutcome CopyAll(int from, int to, const std::atomic<bool>* cancelled = nullptr);
/// The target of the link `name` in `folder`.
bool ReadLink(int folder, const std::string& name, std::string& target);

/// Removes the folder `name` of `parent` with all it holds, links not followed; also read-only
/// and very deep ones. False: something is left, errno says why.
bool RemoveTree(int parent, const std::string& name);

}  // namespace transplt
