// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// Refuses (kUsage) a place for the result that would overwrite or lie in the input, or that is
/// taken: without `force` by anything, with it by what transplt has not written. Compares the
/// folders themselves, so links and mounts do not deceive it.
Result<Done> CheckOutputPlace(const std::string& out_dir, const std::string& name,
                              const std::string& input, bool force);

/// Creates `folder` and those above it; returns the created ones, outermost first.
Result<std::vector<std::string>> CreateFolders(const std::string& folder);

}  // namespace transplt
