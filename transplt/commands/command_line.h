// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace transplt {

/// Runs the subcommand that `arguments` name, or the command line of ms_fmk_transplt, and returns
/// the exit code.
int RunCommandLine(std::vector<std::string> arguments, const std::string& version);

}  // namespace transplt
