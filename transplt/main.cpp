// SPDX-License-Identifier: Apache-2.0
// The program: chooses between the subcommands and the command line of ms_fmk_transplt.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"

namespace {

using transplt::CommandLine;

/// A row may add more than one: `rule` adds `explain` as well.
struct Subcommand {
  std::string_view name;
  void (*add)(CommandLine);
};

constexpr std::array kSubcommands = {
    Subcommand{"migrate", transplt::AddMigrateCommand},
    Subcommand{"review", transplt::AddReviewCommand},
    Subcommand{"analyze", transplt::AddAnalyzeCommand},
    Subcommand{"verify", transplt::AddVerifyCommand},
    Subcommand{"batch", transplt::AddBatchCommand},
    Subcommand{"inject-dump-config", transplt::AddInjectCommand},
    Subcommand{"generate", transplt::AddGenerateCommand},
    Subcommand{"doctor", transplt::AddDoctorCommand},
    Subcommand{"find-graph", transplt::AddFindGraphCommand},
    Subcommand{"compare", transplt::AddCompareCommand},
    Subcommand{"compare-runs", transplt::AddCompareRunsCommand},
    Subcommand{"profile", transplt::AddProfileCommand},
    Subcommand{"dump", transplt::AddDumpCommand},
    Subcommand{"rule", transplt::AddRuleCommand},
    Subcommand{"explain", nullptr},
    Subcommand{"explain-error", transplt::AddExplainErrorCommand},
    Subcommand{"query", transplt::AddQueryCommand},
    Subcommand{"lsp", transplt::AddLspCommand},
    Subcommand{"completion", transplt::AddCompletionCommand},
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
    return transplt::kExitUsage;
  }
  const int code = run ? run() : static_cast<int>(transplt::kExitUsage);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  transplt::PrintErr("transplt: error: cannot write to standard output\n");
  return transplt::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is then an error that names it
#ifdef __GLIBC__
  // The tree of a large file goes back to the system, and does not stretch the heap for good.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (AsksForVersionJson(arguments)) {
    transplt::PrintOut(transplt::VersionJson(TRANSPLT_VERSION));
    return std::fflush(stdout) == 0 ? transplt::kExitDone : transplt::kExitUsage;
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
  app.set_version_flag(compatible ? "--tool-version" : "--version", "transplt " TRANSPLT_VERSION,
                       "Print the version and exit; with --json: and a hash of the built-in rules");
  for (std::string& argument : arguments) {
    if (argument == "-sim") argument = "--similar";
  }
  if (compatible) {
    transplt::AddCompatibleOptions(line);
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
