// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "transplt/base/result.h"

namespace transplt {

/// Replaces the content of the file `path` in one step: a reader sees the old bytes or the new
/// ones. Mode and, where the system lets us, owner and group stay. A link is refused (kUsage),
/// and so is what is not a file. After an Error the file is as it was.
Result<Done> AtomicReplace(const std::string& path, std::string_view bytes);

/// Writes the file `path` in one step, whether or not it exists. `mode` is what a new file gets,
/// less what the umask takes.
Result<Done> AtomicWrite(const std::string& path, std::string_view bytes, mode_t mode);

/// Removes the new bytes that an AtomicReplace which was killed has left beside its file.
void RemoveLeftovers(const std::string& folder);

}  // namespace transplt
