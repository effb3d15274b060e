// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/report/totals.h"

namespace transplt {

/// Sentences that the log and the terminal share.
Text StatusText(FileOutcome::Status status);
Text FilesLine(const Totals& totals, uint64_t ignored_files);
Text EditsLine(const Totals& totals);
Text LeftOpenLine(const Totals& totals);
/// Whether a program starts. `name` gives what the report calls the causes of these ids.
Text VerdictOf(const ProgramOutcome& program,
               const std::function<Text(const std::vector<std::string>& ids)>& name);

}  // namespace transplt
