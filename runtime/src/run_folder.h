// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/src/output_file.h"

namespace transplt::capture {

/// The folder that one run writes into: held by a lock, and refused if it holds other data.
class RunFolder {
 public:
  /// Processes of several devices may share `root`: GE and MindSpore keep them apart below it.
  Status Open(const std::string& root, uint32_t device, bool allow_existing);
  /// Removes the folder of the segments if none is left.
  void Close();

  const std::string& root() const { return root_; }
  /// For the next segment.
  std::string NewSegmentPath();
  uint64_t FreeBytes() const;

 private:
  Status Lock(const std::string& path);

  std::string root_;
  std::string log_;
  FileDescriptor lock_;
  uint64_t segments_ = 0;
};

/// The segments that lie in {root}/.transplt_capture*, oldest first of each device.
std::vector<std::string> SegmentsIn(const std::string& root);

/// Removes the folder of segments and lock, if no segment is left in it.
void RemoveLogFolder(const std::string& folder);

}  // namespace transplt::capture
