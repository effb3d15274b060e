// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "transplt/migrate/file_migration.h"
#include "transplt/migrate/project_files.h"

namespace transplt {

/// True for files that can hold settings or code for CUDA but are not migrated: scripts,
/// notebooks, configurations, C++ and CUDA sources, Dockerfiles, requirements.
bool IsWorthALook(const ProjectEntry& entry);

/// Records the first line of such a file that speaks of CUDA or NCCL, so that nobody believes it
/// was migrated.
void LookAtOtherFile(const std::string& path, std::string_view bytes, FileMigration& result);

}  // namespace transplt
