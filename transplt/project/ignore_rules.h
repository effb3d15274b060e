// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "transplt/project/path_pattern.h"

namespace transplt {

/// The lines of one .gitignore file, read and matched exactly as git does. libgit2 is not used
/// for this: up to 1.5 it drops "!name" of a nested .gitignore that takes back a rule of an
/// outer one, and projects rely on that.
class IgnoreRules {
 public:
  struct Rule {
    PathPattern pattern;
    bool negated;      ///< starts with '!'
    bool folder_only;  ///< ends with '/'
  };

  static IgnoreRules FromText(std::string_view text);

  /// Adds one line; an empty line or a comment adds nothing.
  void AddLine(std::string_view line);

  /// The last rule that matches; `path` is relative to the folder of the rules. Whether a folder
  /// above is ignored is the caller's to know.
  std::optional<std::size_t> LastMatch(std::string_view path, bool is_folder) const;

  const std::vector<Rule>& rules() const { return rules_; }
  bool empty() const { return rules_.empty(); }

 private:
  std::vector<Rule> rules_;
};

}  // namespace transplt
