// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/result.h"

namespace transplt {

/// A hash of everything below `folder`: names, kinds, the bit that makes a file executable,
/// content, and where links lead. Two trees with the same one are the same, wherever they are and
/// whenever they were written; the manifest of a result, which tells times, does not count. Links
/// are not followed.
Result<std::string> DigestOfTree(const std::string& folder);

}  // namespace transplt
