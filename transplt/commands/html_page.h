// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "transplt/base/result.h"
#include "transplt/migrate/migration.h"

namespace transplt {

/// Refuses (kUsage) a place for the page at which it could not be written after a run with
/// `options`, or would make the result look as if a person had changed it.
std::optional<Error> CheckPagePlace(const std::string& path, const MigrationOptions& options);

/// Writes the page about `result`, whole or not at all. `force`: also over a file.
Result<Done> WritePage(const std::string& path, const MigrationResult& result, Language language,
                       bool force);

}  // namespace transplt
