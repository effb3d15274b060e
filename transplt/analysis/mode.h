// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/analysis/analyzed_project.h"
#include "transplt/base/text.h"
#include "transplt/report/change_table.h"

namespace transplt {

/// A list that a mode gives: a CSV file, and an array of objects in the JSON.
struct ResultTable {
  std::string file;                  ///< "unsupported_api.csv"
  std::vector<std::string> columns;  ///< "File", "Start Line" ...
  std::vector<TableRow> rows;
};

/// A file that a mode writes as it is, relative to the result folder.
struct ResultFile {
  std::string path;
  std::string bytes;
};

/// A copy of the project in the result folder, with some files changed and some added.
struct ProjectCopy {
  std::map<std::string, std::string> changed;  ///< path -> bytes
  std::vector<ResultFile> added;
};

/// What one mode has to say about a project.
struct ModeResult {
  Text page;  ///< its section of the first page: whole lines, without the title
  std::vector<ResultTable> tables;
  std::vector<ResultFile> files;
  std::optional<ProjectCopy> copy;
};

/// A way to look at a project: one .cpp with one function, and one row in modes.cpp.
struct Mode {
  std::string_view name;  ///< value of --mode
  Text title;             ///< of its section
  Result<ModeResult> (*run)(const AnalyzedProject&);
};

std::span<const Mode> Modes();

Result<ModeResult> RunTorchApis(const AnalyzedProject& project);
Result<ModeResult> RunThirdParty(const AnalyzedProject& project);
Result<ModeResult> RunAffinityApis(const AnalyzedProject& project);
Result<ModeResult> RunDynamicShape(const AnalyzedProject& project);
Result<ModeResult> RunAdvice(const AnalyzedProject& project);

/// Adds `more` in both languages.
void Append(Text& page, const Text& more);
/// Adds text that is the same in both.
void Append(Text& page, std::string_view more);

}  // namespace transplt
