// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "runtime/src/status.h"

namespace transplt::capture {

/// Writes the public files of every segment that is left in `root`, but for those of runs that
/// still go on. What cannot be recovered is told and does not keep the rest from it.
Status Recover(const std::string& root, uint64_t* files);

/// Keeps a segment of which not everything could be read, out of the way of the next run.
Status SetAside(const std::string& segment);

}  // namespace transplt::capture
