// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/migrate/file_migration.h"
#include "transplt/migrate/native_sources.h"

namespace transplt {

/// The cause of host code that uses what an NPU has nothing for.
inline constexpr std::string_view kHostCause = "native-host";

/// Makes the edits of a C++ or CUDA source, and reports what they leave: names without counterpart,
/// kernels and their launches, and what does not fit the declarations of AscendCL. Where
/// transplt-cxx did not run, one row counts what is there by name.
FileMigration MigrateNative(const std::string& path, const std::string& bytes,
                            const NativeSources& sources, const FileMigrationOptions& options);

}  // namespace transplt
