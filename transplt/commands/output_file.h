// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "transplt/base/result.h"

namespace transplt {

/// Writes a file under a temporary name beside `path` and renames it, so that nobody ever sees a
/// part of it. A file that is there is refused unless `force`.
Result<Done> WriteOutputFile(const std::string& path, std::string_view text, bool force,
                             mode_t mode);

}  // namespace transplt
