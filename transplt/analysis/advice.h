// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "transplt/analysis/advice_table.h"
#include "transplt/analysis/analyzed_project.h"

namespace transplt {

/// A place that a kind of advice is about.
struct AdvicePlace {
  std::string file;
  uint32_t start_line = 1;
  uint32_t end_line = 1;
  std::string text;  ///< what stands there, shortened to one line
};

/// What a file says to a table: the places of each kind, in the order of the kinds.
struct FileAdvice {
  std::vector<std::vector<AdvicePlace>> places;
  std::set<std::string, std::less<>> words;    ///< of those that kinds ask for
  std::set<std::string, std::less<>> imports;  ///< other files of the project
  bool is_test = false;
};

/// `version` is that of torch.
FileAdvice AdviceIn(const FileContext& file, const AdviceTable& table, const Version& version);

/// A kind and its places in the project, by file and line.
struct Advice {
  const AdviceKind* kind = nullptr;
  std::vector<AdvicePlace> places;
};

struct ProjectAdvice {
  std::vector<Advice> kinds;  ///< in the order of the table, only those that found something
  size_t test_files = 0;      ///< not looked at
};

/// What is to be said of a project, given what its files say: of each program (the files that
/// import one another) what its words allow. `paths` are sorted.
ProjectAdvice SelectAdvice(const std::vector<std::string>& paths, std::vector<FileAdvice> files,
                           const AdviceTable& table);

Result<ProjectAdvice> AdviceOn(const AnalyzedProject& project, const AdviceTable& table);

}  // namespace transplt
