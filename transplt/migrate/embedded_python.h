// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/migrate/file_migration.h"

namespace transplt {

/// Migrates the Python programs in `parts` of a script, adding their records and edits to
/// `result`. What does not parse is left alone, and so is a program of which an edit would not
/// stand in the script as it is.
void MigrateEmbeddedPython(const SourceFile& script, const std::vector<TextRange>& parts,
                           const Engine& engine, const ProjectIndex* project, Parser& parser,
                           const FileMigrationOptions& options, FileMigration& result);

}  // namespace transplt
