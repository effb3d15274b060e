// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/command_line.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"

namespace transplt {
namespace {

/// A row may add more than one: `rule` adds `explain` as well.
struct Subcommand {
  std::string_view name;
  void (*add)(CommandLine);
};

constexpr std::array kSubcommands = {
    Subcommand{"migrate", AddMigrateCommand},
    Subcommand{"review", AddReviewCommand},
    Subcommand{"analyze", AddAnalyzeCommand},
    Subcommand{"verify", AddVerifyCommand},
    Subcommand{"batch", AddBatchCommand},
    Subcommand{"inject-dump-config", AddInjectCommand},
    Subcommand{"generate", AddGenerateCommand},
    Subcommand{"doctor", AddDoctorCommand},
    Subcommand{"find-graph", AddFindGraphCommand},
    Subcommand{"compare", AddCompareCommand},
    Subcommand{"compare-runs", AddCompareRunsCommand},
    Subcommand{"profile", AddProfileCommand},
    Subcommand{"dump", AddDumpCommand},
    Subcommand{"rule", AddRuleCommand},
    Subcommand{"explain", nullptr},
    Subcommand{"explain-error", AddExplainErrorCommand},
    Subcommand{"query", AddQueryCommand},
    Subcommand{"lsp", AddLspCommand},
    Subcommand{"completion", AddCompletionCommand},
};

bool IsCommand(std::string_view argument) {
  return std::any_of(kSubcommands.begin(), kSubcommands.end(),
                     [&](const Subcommand& command) { return command.name == argument; });
}

/// The old tool's command line has no subcommand, and -i somewhere.
bool IsCompatibleForm(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (IsCommand(argument)) return false;
    if (argument == "-i" || argument == "--input" || argument.starts_with("--input=")) return true;
  }
  return false;
}

/// `--version --json`, in either order. --json alone belongs to commands.
bool AsksForVersionJson(const std::vector<std::string>& arguments) {
  const auto has = [&arguments](std::string_view option) {
    return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
  };
  return arguments.size() == 2 && has("--version") && has("--json");
}

/// Cuts off what `verify` passes on: it must not be taken for options of this program.
std::vector<std::string> CutPassedOn(std::vector<std::string>& arguments) {
  const auto command = std::find_if(arguments.begin(), arguments.end(), IsCommand);
  if (command == arguments.end() || *command != "verify") return {};
  const auto separator = std::find(command, arguments.end(), "--");
  std::vector<std::string> passed_on;
  if (separator != arguments.end()) passed_on.assign(separator + 1, arguments.end());
  arguments.erase(separator, arguments.end());
  return passed_on;
}

int Parse(CLI::App& app, std::vector<std::string> arguments, std::function<int()>& run) {
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kExitUsage;
  }
  const int code = run ? run() : static_cast<int>(kExitUsage);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  PrintErr("transplt: error: cannot write to standard output\n");
  return kExitUsage;
}

}  // namespace

int RunCommandLine(std::vector<std::string> arguments, const std::string& version) {
  if (AsksForVersionJson(arguments)) {
    PrintOut(VersionJson(version));
    return std::fflush(stdout) == 0 ? kExitDone : kExitUsage;
  }
  const bool compatible = IsCompatibleForm(arguments);
  CLI::App app("Migrates AI training code from CUDA to Ascend NPUs.", "transplt");
  std::string language;
  std::function<int()> run;
  const std::vector<std::string> passed_on =
      compatible ? std::vector<std::string>() : CutPassedOn(arguments);
  const CommandLine line{app, language, run, passed_on};
  app.add_option("--lang", language, "language of messages: zh or en")
      ->check(CLI::IsMember({"zh", "en"}));
  app.set_version_flag(compatible ? "--tool-version" : "--version", "transplt " + version,
                       "Print the version and exit; with --json: and a hash of the built-in rules");
  for (std::string& argument : arguments) {
    if (argument == "-sim") argument = "--similar";
  }
  if (compatible) {
    AddCompatibleOptions(line);
  } else {
    for (std::string& argument : arguments) {
      if (argument == "-api") argument = "--api-files";
    }
    app.require_subcommand(1);
    app.fallthrough();
    for (const Subcommand& command : kSubcommands) {
      if (command.add != nullptr) command.add(line);
    }
  }
  return Parse(app, arguments, run);
}

}  // namespace transplt
