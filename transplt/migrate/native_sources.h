// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>

#include "transplt/base/result.h"
#include "transplt/base/text.h"
#include "transplt/native/answer.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// True for a file in C, C++ or CUDA.
bool IsCxxSource(std::string_view path);

/// Which transplt-cxx a run would ask; "" if none is installed.
std::string NativeProgramState();

/// What transplt-cxx says about the C++ and CUDA sources of a project.
class NativeSources {
 public:
  /// Runs transplt-cxx over the sources of `project` that have to do with CUDA or torch; it does
  /// not run if there are none. `cancelled` may be null.
  static NativeSources Of(const ProjectFiles& project, const std::atomic<bool>* cancelled);

  /// What it says about the file `path`; null if it was not asked, or did not answer.
  const NativeSource* Find(std::string_view path) const;
  /// By their paths.
  const std::map<std::string, NativeSource, std::less<>>& all() const { return sources_; }
  /// What a parse says against sources of the project that are not written yet, by their paths: ""
  /// of one that it accepts.
  Result<std::map<std::string, Text>> Check(const std::map<std::string, std::string>& texts,
                                            const std::atomic<bool>* cancelled) const;
  /// Why it did not answer; empty if it did.
  const Text& reason() const { return reason_; }

 private:
  std::map<std::string, NativeSource, std::less<>> sources_;
  Text reason_;
  std::string program_;
  NativeRequest request_;
};

}  // namespace transplt
