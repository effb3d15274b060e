// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/src/output_file.h"

namespace transplt::capture {

/// The folder that one run writes into: held by a lock, and refused if it holds other data.
class RunFolder {
 public:
  Status Open(const std::string& root, bool allow_existing);
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

/// The segments that lie in {root}/.transplt_capture, oldest first.
std::vector<std::string> SegmentsIn(const std::string& root);

}  // namespace transplt::capture
