// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/project/project_files.h"

namespace transplt {

/// Decides what becomes of the link at `entry.path`, which says `target`: sets kind, link_target
/// or reason. `root` is absolute and without links.
void ClassifyLink(const std::string& root, const std::string& target, ProjectEntry& entry);

}  // namespace transplt
