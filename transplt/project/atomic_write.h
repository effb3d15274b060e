// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "transplt/base/result.h"

namespace transplt {

enum class Existing { kReplace, kRefuse };

/// Writes the file `path` in one step: a reader sees all of it or nothing. `mode` is what the file
/// gets, less what the umask takes. `existing` says what becomes of a file that is there already;
/// after an Error it is as it was. Also removes what killed runs have left in the folder.
Result<Done> AtomicWrite(const std::string& path, std::string_view bytes, mode_t mode,
                         Existing existing);

/// Removes the files that an AtomicWrite which was killed has left in the open folder `folder`.
/// Those that a live run is writing are locked, and stay.
void RemoveLeftovers(int folder);

}  // namespace transplt
