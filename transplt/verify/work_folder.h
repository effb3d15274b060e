// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/result.h"

namespace transplt {

/// The folder in which a verification works, with the simulator in it. Removed at the end, unless
/// the user has asked to keep it.
class WorkFolder {
 public:
  /// `keep`: the folder to make, which must not exist or be empty; "" for one of the system's.
  static Result<WorkFolder> Create(const std::string& keep);
  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::string& path() const { return path_; }
  std::string simulator() const { return path_ + "/simulator"; }

 private:
  WorkFolder(std::string path, bool is_kept) : path_(std::move(path)), is_kept_(is_kept) {}
  Result<Done> WriteSimulator() const;

  std::string path_;
  bool is_kept_;
};

}  // namespace transplt
