// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/analysis/project_analysis.h"

namespace transplt {

/// The first page: how much there is, then each API with its places, the most used first.
std::string AnalysisPage(const ProjectAnalysis& analysis, Language language);

/// unsupported_api.csv and its like: a row per use of this grade, in the columns of ms_fmk_transplt
/// (File,Start Line,End Line,OP,Tips).
std::string AnalysisCsv(const ProjectAnalysis& analysis, Support support);

}  // namespace transplt
