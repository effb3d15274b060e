// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <string>
#include <string_view>

namespace transplt {

/// What was looked at on the disk: a run that finds all of it as it was comes to the same end.
class Looks {
 public:
  /// `state` as PathState says it.
  void Add(std::string_view path, std::string state);
  /// The libraries that this program runs with.
  void AddLibraries();

  /// By path.
  const std::map<std::string, std::string>& states() const { return states_; }
  /// False if something changed between two looks.
  bool agree() const { return agree_; }

 private:
  std::map<std::string, std::string> states_;
  bool agree_ = true;
};

/// The disk, with a note of each look at it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> NotedDisk(Looks& looks);

}  // namespace transplt
