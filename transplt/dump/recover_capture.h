// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

struct RecoveredCapture {
  uint64_t files = 0;
  std::vector<Error> troubles;  ///< captures that were not recovered, or not wholly
};

/// Writes the files that interrupted captures in or below `folder` have only in their logs. The
/// capture library does it: it is looked for beside the program and loaded if there is something
/// to do, so that the compiler needs no part of the runtime. Fails if nothing is there to recover
/// or if the library is not found.
Result<RecoveredCapture> RecoverCapture(const std::string& folder);

}  // namespace transplt
