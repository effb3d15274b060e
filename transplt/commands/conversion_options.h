// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "transplt/base/result.h"
#include "transplt/batch/manifest.h"
#include "transplt/migrate/migration.h"

namespace transplt {

/// Adds those options of `migrate` that say how files are converted, and not where they come from
/// or go to. What is returned holds their values and must live until the command line is parsed.
std::shared_ptr<void> AddConversionOptions(CLI::App* app);

/// What was given of these options.
OptionValues ConversionValuesOf(const CLI::App& app);

/// The migration that values of these options ask for. All that can be wrong with them is an
/// Error, also what is wrong with the files of rules that they name.
Result<MigrationOptions> ReadConversionOptions(const OptionValues& values);

}  // namespace transplt
