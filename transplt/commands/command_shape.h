// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace transplt {

struct OptionShape {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for what stands alone
  std::string value;               ///< "FILE"; empty for a flag
  std::vector<std::string> choices;
  std::string description;
};

/// A command as its user sees it: what completions and manual pages are made of.
struct CommandShape {
  std::vector<std::string> path;  ///< "generate", "launch"; empty for the program
  std::string description;
  std::vector<OptionShape> options;
  std::vector<OptionShape> positionals;
  std::vector<CommandShape> commands;
};

CommandShape ShapeOf(const CLI::App& app);

/// The program and all of its commands, each before those below it.
std::vector<const CommandShape*> AllCommands(const CommandShape& program);

std::string BashCompletion(const CommandShape& program);
std::string ZshCompletion(const CommandShape& program);
std::string FishCompletion(const CommandShape& program);
/// A page in the format of man.
std::string ManualPage(const CommandShape& program, const std::string& version);

}  // namespace transplt
