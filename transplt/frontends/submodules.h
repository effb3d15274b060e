// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// The repositories that a .gitmodules brings, in the order of the text: each is a dependency by
/// the last part of its address.
std::vector<Setting> SubmoduleSettings(const SourceFile& source);

}  // namespace transplt
