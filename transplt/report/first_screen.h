// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/change_record.h"

namespace transplt {

inline constexpr std::string_view kNextFile = "NEXT.md";

/// What a run of `migrate` did, in at most 25 lines whatever the project: what was assumed, what
/// was edited and which edits to look at, what is left for a person in the order of the work, and
/// what to run next. Of the notes about the run the first few are shown, and the others counted.
std::string FirstScreen(const RunResult& run, Language language);

/// What the first screen says about the run as a whole, for a report in another form.
struct RunFacts {
  std::string assumed;
  std::string written;
  std::string edits;
  std::string not_read;  ///< empty if all was looked at
  std::vector<std::string> commands;
  std::string disclaimer;
};
RunFacts FactsOf(const RunResult& run, Language language);

/// NEXT.md of a result folder: the same as a checklist without the limit of lines.
std::string NextSteps(const RunResult& run, Language language);

/// All causes with all of their places, for `--list causes`.
std::string ListOfCauses(const RunResult& run, Language language);

}  // namespace transplt
