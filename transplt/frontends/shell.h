// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// What a shell or Slurm script sets and runs, in the order of the text: variables, options of
/// commands, programs. Parts that do not parse give nothing.
std::vector<Setting> ShellSettings(const SourceFile& source);

}  // namespace transplt
