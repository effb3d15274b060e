// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace transplt {

/// A file that travels inside the program and is written beside a run.
struct EmbeddedFile {
  std::string_view path;  ///< relative to the simulator's folder
  std::string_view text;
};

/// runtime/simulator, with the tables of rules/ that it reads; made by CMake.
std::vector<EmbeddedFile> SimulatorFiles();

/// check_sources.py; made by CMake.
std::string_view CheckSourcesProgram();

/// verdict.html.mustache; made by CMake.
std::string_view VerdictTemplate();

}  // namespace transplt
