// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "transplt/migrate/file_migration.h"
#include "transplt/project/project_files.h"

namespace transplt {

/// True for files that are not Python and can hold settings or code for CUDA: scripts, notebooks,
/// configurations, C++ and CUDA sources, Dockerfiles, requirements, documents in Markdown.
bool IsWorthALook(const ProjectEntry& entry);

/// Migrates the code cells of a notebook, or the settings of another such file, and reports the
/// lines that speak of CUDA or NCCL and that no rule is about.
FileMigration MigrateOtherFile(const std::string& path, const std::string& bytes,
                               const Engine& engine, const ProjectIndex* project, Parser& parser,
                               const FileMigrationOptions& options);

}  // namespace transplt
