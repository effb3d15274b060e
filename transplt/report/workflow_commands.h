// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// The places that are left for a person as workflow commands of GitHub Actions, which shows them
/// at their lines: the worst first, one of each cause before a second one of any. GitHub shows 10
/// errors, 10 warnings and 10 notices of a step: a last notice says how many places are left out.
void WriteWorkflowCommands(const RunResult& run, std::string_view root, const TextSink& out);

}  // namespace transplt
