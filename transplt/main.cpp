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

/// The old tool's command line has no subcommand, and -i somewhere.
bool IsCompatibleForm(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 8> kCommands = {
      "migrate", "analyze", "rule", "explain", "query", "generate", "doctor", "find-graph"};
  for (const std::string& argument : arguments) {
    if (std::find(kCommands.begin(), kCommands.end(), argument) != kCommands.end()) return false;
    if (argument == "-i" || argument == "--input" || argument.starts_with("--input=")) return true;
  }
  return false;
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
  const bool compatible = IsCompatibleForm(arguments);
  CLI::App app("Migrates AI training code from CUDA to Ascend NPUs.", "transplt");
  std::string language;
  std::function<int()> run;
  const CommandLine line{app, language, run};
  app.add_option("--lang", language, "language of messages: zh or en")
      ->check(CLI::IsMember({"zh", "en"}));
  app.set_version_flag(compatible ? "--tool-version" : "--version", "transplt " TRANSPLT_VERSION);
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
    transplt::AddMigrateCommand(line);
    transplt::AddAnalyzeCommand(line);
    transplt::AddRuleCommand(line);
    transplt::AddGenerateCommand(line);
    transplt::AddDoctorCommand(line);
    transplt::AddFindGraphCommand(line);
    transplt::AddCompareCommand(line);
    transplt::AddCompareRunsCommand(line);
    transplt::AddDumpCommand(line);
  }
  return Parse(app, arguments, run);
}
