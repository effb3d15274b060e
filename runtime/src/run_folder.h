// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/src/output_file.h"
#include "runtime/src/own_process.h"

namespace transplt::capture {

/// Of the file system, in bytes.
struct DiskSpace {
  uint64_t free = 0;  ///< for a process that is not root's
  uint64_t total = 0;
};

/// A folder of segments, held by the lock in it: nobody else writes, reads or removes segments.
class LogFolder {
 public:
  /// CLASH if a process holds it already; `remedy` says what to do then.
  Status Hold(const std::string& path, const std::string& remedy);
  /// Removes the lock, and the folder if nothing is left in it, unless segments are. Lets go.
  void Leave();

  /// Lets go, and the folder is again what the former process has left.
  Status GiveBack();

  bool is_held() const { return lock_.is_open(); }
  const std::string& path() const { return path_; }
  /// Of the process that held it before, as it is called in the names of its temporary files;
  /// empty if there was none.
  const std::string& former_process() const { return former_process_; }
  /// Oldest first.
  std::vector<std::string> Segments() const;

 private:
  /// Into the lock, for who comes next.
  Status Name(const std::string& process);

  std::string path_;
  std::string former_process_;
  UnsharedDescriptor lock_;
};

/// The folder that one run writes into: held by a lock, and refused if it holds other data.
class RunFolder {
 public:
  /// Processes of several devices may share `root`: GE and MindSpore keep them apart below it.
  Status Open(const std::string& root, uint32_t device, bool allow_existing);
  /// CLASH if Open() would refuse what the folder holds. Makes and holds nothing.
  static Status Check(const std::string& root, uint32_t device, bool allow_existing);
  /// Removes the folder of the segments if none is left.
  void Close() { log_.Leave(); }

  const std::string& root() const { return root_; }
  const std::string& log() const { return log_.path(); }
  /// For the next segment.
  std::string NewSegmentPath();
  /// No limit where the system does not tell.
  DiskSpace Space() const;

 private:
  std::string root_;
  LogFolder log_;
  uint64_t segments_ = 0;
};

/// The folders of segments in `root`.
std::vector<std::string> LogFoldersIn(const std::string& root);

/// True for the name of such a folder.
bool IsLogFolder(std::string_view name);

}  // namespace transplt::capture
