// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "transplt/base/change_record.h"

namespace transplt {

inline constexpr std::string_view kRunLogFile = "msFmkTranspltlog.txt";

/// The content of msFmkTranspltlog.txt: a line per file with what became of it, and the totals.
/// Nothing in it depends on time, machine or folder, so that equal runs give equal logs.
std::string RunLog(const RunResult& run, Language language);

}  // namespace transplt
