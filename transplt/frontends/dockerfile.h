// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// The images, variables and commands of a Dockerfile, in the order of the text.
std::vector<Setting> DockerfileSettings(const SourceFile& source);

}  // namespace transplt
