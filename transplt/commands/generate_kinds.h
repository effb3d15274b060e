// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace transplt {

/// Adds to the command `generate` of `program` the commands below it, which wait until somebody
/// asks for them, since their schemas take time to read.
void AddGenerateKinds(CLI::App& program);

}  // namespace transplt
