// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// The files below `input`, relative to it, that are not as in the commit `reference` of its git
/// repository: changed, new, also those that git does not track yet. Deleted ones are not there.
/// kUsage without a repository or without such a commit.
Result<std::vector<std::string>> ChangedFiles(const std::string& input,
                                              const std::string& reference);

/// The pattern, as in .gitignore, that matches just the file `path`.
std::string PatternOfFile(std::string_view path);

}  // namespace transplt
