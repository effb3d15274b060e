// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>

#include "runtime/src/output_file.h"

namespace transplt::capture {

/// Tells the process that made it from its forked children, in which no other thread lives on.
class OwnProcess {
 public:
  OwnProcess();
  bool is_here() const;

 private:
  struct UnmapPage {
    void operator()(char* page) const;
  };
  // One page that the kernel empties in a child: cheaper than to ask for the process each time.
  std::unique_ptr<char, UnmapPage> page_;
  bool is_wiped_;  ///< false: the kernel cannot do that
  pid_t process_;
};

/// A descriptor that forked children do not share: a lock is held by every process that has one.
class UnsharedDescriptor {
 public:
  UnsharedDescriptor() = default;
  UnsharedDescriptor(const UnsharedDescriptor&) = delete;
  UnsharedDescriptor& operator=(const UnsharedDescriptor&) = delete;
  ~UnsharedDescriptor() { Close(); }

  /// Takes the place of what it was.
  void Reset(FileDescriptor file);
  void Close();
  int get() const { return file_.get(); }
  bool is_open() const { return file_.is_open(); }

 private:
  FileDescriptor file_;
};

}  // namespace transplt::capture
