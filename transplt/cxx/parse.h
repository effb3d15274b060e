// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transplt/native/facts.h"

namespace transplt {

/// How the sources of a project are parsed.
struct ParseOptions {
  std::vector<std::string> include_folders;
  std::vector<std::string> defines;  ///< "WITH_CUDA", "N=4"
  /// Also declare what the rules write, so that a migrated source can be checked.
  bool with_ascend = false;
  /// What files of the project hold now, by their paths, in place of what is on disk.
  std::map<std::string, std::string> texts = {};
};

/// Parses the text `source` of the file `path` over declarations of CUDA, torch and the standard
/// library that travel in the program. No header needs to be there: one that is missing counts as
/// empty. What cannot be parsed shows nothing.
NativeFacts ParseNative(const std::string& path, const std::string& source,
                        const ParseOptions& options);

}  // namespace transplt
