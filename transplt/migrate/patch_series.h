// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/result.h"
#include "transplt/rewrite/selection.h"

namespace transplt {

/// What a series of patches is made of.
struct PatchSource {
  /// The bytes of a file of the project.
  std::function<Result<std::string>(const std::string& path)> original;
  /// The file with the edits that `decisions` does not reject; nothing if it stays as it is.
  std::function<std::optional<std::string>(const std::string& path, std::string bytes,
                                           const FixDecisions& decisions)>
      migrated;
  /// Files that the result has beside those of the project: name and content.
  std::vector<std::pair<std::string, std::string>> added;
};

/// The edits of `run` as mails for `git am`, by the names of their files: a patch for each cause,
/// first those without edits to look at. Edits that belong together are in one patch. Applied in
/// order to the project they give the migrated files, byte for byte.
Result<std::vector<std::pair<std::string, std::string>>> PatchSeries(const RunResult& run,
                                                                     const PatchSource& source);

}  // namespace transplt
