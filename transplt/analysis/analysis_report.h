// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transplt/analysis/mode.h"

namespace transplt {

/// What an analysis has to tell. All reports are written from this and nothing else.
struct AnalysisResult {
  const AnalyzedProject& project;
  std::vector<std::pair<const Mode*, ModeResult>> modes;  ///< those that were asked for, in order
};

/// The first page: how much there is, then a section per mode.
std::string AnalysisPage(const AnalysisResult& analysis, Language language);
/// The same as JSON, with all rows of all tables.
std::string AnalysisJson(const AnalysisResult& analysis);
/// A table as CSV.
std::string TableCsv(const ResultTable& table);

}  // namespace transplt
