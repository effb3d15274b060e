// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/analysis/mode.h"

namespace transplt {

/// A part of an analysis.
struct AnalysisSection {
  std::string name;  ///< of the mode
  Text title;
  ModeResult result;
};

/// What an analysis has to tell. All reports are written from this and nothing else.
struct AnalysisResult {
  std::string input;  ///< as given by the user
  std::string torch_version;
  std::string torch_npu;                     ///< the release
  const AnalyzedProject* project = nullptr;  ///< null if the input is no project
  std::vector<AnalysisSection> sections;     ///< those that were asked for, in order
};

/// The first page: how much there is, then a section per mode.
std::string AnalysisPage(const AnalysisResult& analysis, Language language);
/// The same as JSON, with all rows of all tables.
std::string AnalysisJson(const AnalysisResult& analysis);
/// A table as CSV.
std::string TableCsv(const ResultTable& table);

}  // namespace transplt
