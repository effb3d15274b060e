// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/analysis/analyzed_project.h"
#include "transplt/base/result.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// What the text in quotes at a place of the file `path` of the project is for, what says so, and
/// where else the same value stands. An Error where there is no such text, or no such Python file.
Result<Text> EvidenceAt(const AnalyzedProject& project, const std::string& path, LineColumn place);

}  // namespace transplt
