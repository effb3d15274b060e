// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/src/status.h"

namespace transplt::capture {

inline constexpr unsigned kFileMode = 0640;
inline constexpr unsigned kFolderMode = 0750;

/// Makes `path` and what is missing above it, each with mode 0750 whatever the umask is.
Status MakeFolders(const std::string& path);

/// Everything of the file system that holds `path` is on its disk.
Status SyncFileSystem(const std::string& path);
/// The names in `folder` are on the disk.
Status SyncFolder(const std::string& folder);

/// A file descriptor that closes itself.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int Release();

 private:
  int number_;
};

/// A new file under a temporary name that takes its own name only when it is complete. What is
/// not finished is removed, so no named file is ever partial.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// The folders of `path` are made as needed.
  Status Create(const std::string& path);
  Status Write(std::string_view bytes);
  Status Finish();
  /// For libraries that open the file themselves.
  const std::string& temporary_path() const { return temporary_; }

 private:
  Status FlushBuffer();

  std::string path_;
  std::string temporary_;
  std::string buffer_;
  FileDescriptor file_;
};

}  // namespace transplt::capture
