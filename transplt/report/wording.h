// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "transplt/base/change_record.h"
#include "transplt/report/totals.h"

namespace transplt {

/// Sentences that the log and the terminal share.
Text StatusText(FileOutcome::Status status);
Text FilesLine(const Totals& totals, uint64_t ignored_files);
Text EditsLine(const Totals& totals);
Text LeftOpenLine(const Totals& totals);
/// Whether a program starts. `causes` and `further` are what the report calls those of it.
Text VerdictOf(const ProgramOutcome& program, const Text& causes, const Text& further);

}  // namespace transplt
