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

/// "assumed: torch 2.1.0 with torch_npu 7.2.0 (CANN 8.3.RC1), from requirements.txt": no `cann` is
/// known of what is newer than the table of releases.
Text AssumedVersions(const std::string& torch, const std::string& torch_npu,
                     const std::string& cann, const Text& chosen_by);
Text StatusText(FileOutcome::Status status);
Text FilesLine(const Totals& totals, uint64_t ignored_files);
Text EditsLine(const Totals& totals);
Text LeftOpenLine(const Totals& totals);
/// Whether a program starts. `name` gives what the report calls the causes of these ids.
Text VerdictOf(const ProgramOutcome& program,
               const std::function<Text(const std::vector<std::string>& ids)>& name);

}  // namespace transplt
