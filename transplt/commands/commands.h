// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace transplt {

/// What a command adds to the command line; `run` is set by the one that the user has chosen and
/// gives the exit code.
struct CommandLine {
  CLI::App& app;
  std::string& language;  ///< value of --lang
  std::function<int()>& run;
  /// What stands behind "--" of a command that passes it on to another program.
  const std::vector<std::string>& passed_on;
};

void AddMigrateCommand(CommandLine line);
void AddReviewCommand(CommandLine line);
void AddAnalyzeCommand(CommandLine line);
void AddInjectCommand(CommandLine line);
void AddRuleCommand(CommandLine line);
void AddQueryCommand(CommandLine line);
void AddExplainErrorCommand(CommandLine line);
void AddLspCommand(CommandLine line);
void AddCompletionCommand(CommandLine line);
void AddVerifyCommand(CommandLine line);
void AddBatchCommand(CommandLine line);
void AddGenerateCommand(CommandLine line);
void AddDoctorCommand(CommandLine line);
void AddFindGraphCommand(CommandLine line);
void AddProfileCommand(CommandLine line);
void AddCompareCommand(CommandLine line);
void AddCompareRunsCommand(CommandLine line);
void AddDumpCommand(CommandLine line);

/// The version, and a hash over the built-in rule files, as JSON.
std::string VersionJson(const std::string& version);

/// The arguments of ms_fmk_transplt, without a subcommand: -i -o -r -s -sim -v ... `app` is one
/// of its own, because its options mean other things than those of the subcommands.
void AddCompatibleOptions(CommandLine line);

}  // namespace transplt
