// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "transplt/base/change_record.h"
#include "transplt/report/text_sink.h"

namespace transplt {

/// What the page shows besides the run.
struct HtmlReportParts {
  std::span<const std::string> diffs;  ///< one per changed file, as UnifiedDiff makes them
  /// The group of each edit that a person can decide about: of those of RecordsWithRejected that
  /// edit and do not follow, in their order. Edits of one group are made together or not at all.
  std::span<const uint32_t> groups;
  Language language = Language::kEnglish;  ///< in which the page opens
};

/// The run as a page that needs no other file and no network: the verdict, the causes, the diffs
/// with what was found at each line, and decisions for `transplt review`. Both languages are in it.
void WriteHtmlReport(const RunResult& run, const HtmlReportParts& parts, const TextSink& out);

}  // namespace transplt
