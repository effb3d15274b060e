// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// The run for a pull request, in the Markdown of GitHub and GitLab: what stops, what was assumed
/// and edited, the programs, and a table of the causes, the worst first. It is as short as the
/// limit of a comment asks for, whatever the project.
void WriteMarkdownSummary(const RunResult& run, std::string_view root, const TextSink& out);

}  // namespace transplt
