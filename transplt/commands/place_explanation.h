// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "transplt/base/text.h"

namespace transplt {

/// True for "train.py:12:20".
bool IsPlace(std::string_view text);

/// Prints what the text at `place` is for, what says so, and where else the same value stands.
/// `project` is the folder of the project, or "" for the nearest one above the file that is a
/// checkout or has a setup.py or pyproject.toml. Gives the exit code.
int ExplainPlace(const std::string& place, const std::string& project, Language language);

}  // namespace transplt
