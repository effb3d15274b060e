// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/batch/archive.h"
#include "transplt/migrate/migration.h"

namespace transplt {

/// One project on its way through a batch.
struct ProjectJob {
  std::string path;                           ///< what records call it
  std::string location;                       ///< a folder, a script, or an archive
  const MigrationOptions* options = nullptr;  ///< what the command line and the manifest say
  std::string output;         ///< the folder that gets the result; empty: nothing is written
  std::string output_prefix;  ///< what `output` is called in records: "projects/NAME"
  std::string work;           ///< a folder that may be made, for what an archive holds
  ArchiveLimits limits;
};

/// Unpacks the project if need be, migrates it on this thread alone, and gives the members of its
/// record; see project_record.h. Meant for a process of its own.
std::string MigrateProject(const ProjectJob& job);

}  // namespace transplt
