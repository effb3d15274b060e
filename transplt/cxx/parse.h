// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "transplt/native/facts.h"

namespace transplt {

class Looks;

/// With which a CrashRecoveryContext ends when a parse takes too long.
inline constexpr int kTookTooLong = 124;

/// How the sources of a project are parsed.
struct ParseOptions {
  std::vector<std::string> include_folders;
  std::vector<std::string> defines;  ///< "WITH_CUDA", "N=4"
  /// Also declare what the rules write, so that a migrated source can be checked.
  bool with_ascend = false;
  Looks* looks = nullptr;  ///< gets all looks at the disk; outlives the parser
};

/// Parses sources over declarations of CUDA, torch and the standard library that travel in the
/// program. No header needs to be there: one that is missing counts as empty. What cannot be parsed
/// shows nothing.
class NativeParser {
 public:
  explicit NativeParser(ParseOptions options);

  /// The text `source` of the file `path`. The bodies of the function templates named in
  /// `templates` are made for the types that they are used with, which shows where a type does not
  /// fit. The others stay as written.
  NativeFacts Parse(const std::string& path, const std::string& source,
                    const std::set<std::string>& templates = {}) const;

  /// Lets the sources that include the file `path` see `text` in place of what is on disk.
  void SetText(const std::string& path, std::string text) { texts_[path] = std::move(text); }
  /// The text that was set, or null.
  const std::string* TextOf(const std::string& path) const {
    const auto found = texts_.find(path);
    return found == texts_.end() ? nullptr : &found->second;
  }

 private:
  const ParseOptions options_;
  std::map<std::string, std::string> texts_;
  std::string declarations_;  // as Clang has read them, to be loaded for each source
};

}  // namespace transplt
