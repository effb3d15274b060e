// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/ignore_rules.h"

namespace transplt {

/// What --include and --exclude select: patterns as in .gitignore, relative to the root. Without
/// --include everything is selected; of the patterns that match a file or a folder above it the
/// last one given decides, so "third_party/" then "!third_party/mine.py" works; --exclude wins.
class PathSelection {
 public:
  static Result<PathSelection> From(const std::vector<std::string>& include,
                                    const std::vector<std::string>& exclude);

  /// The last patterns that match a path or a folder above it.
  struct Matches {
    std::optional<std::size_t> include;
    std::optional<std::size_t> exclude;
  };
  /// `above` is what was found for the folder that holds `path`.
  Matches Match(const Matches& above, std::string_view path, bool is_folder) const;

  bool Selects(const Matches& matches) const;

 private:
  PathSelection() = default;

  IgnoreRules include_;
  IgnoreRules exclude_;
  bool all_included_ = true;  // --include has no pattern but such with '!'
};

}  // namespace transplt
