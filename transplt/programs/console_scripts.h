// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace transplt {

struct ProgramCode;
struct ProgramSources;

/// A command that installing the project makes.
struct ConsoleScript {
  std::string name;      ///< "fairseq-train"
  std::string file;      ///< of the project
  std::string module;    ///< "fairseq_cli.train"
  std::string function;  ///< "cli_main"
  std::string place;     ///< "setup.py:12"
};

/// What setup.py, setup.cfg and pyproject.toml at any place of the project name. A file that
/// does not parse names nothing.
std::vector<ConsoleScript> FindConsoleScripts(const ProgramSources& sources,
                                              const ProgramCode& code);

}  // namespace transplt
