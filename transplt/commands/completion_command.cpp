// SPDX-License-Identifier: Apache-2.0
// What shells and man know of this program, made from its own options.
#include <memory>
#include <string>

#include "transplt/commands/command_shape.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/generate_kinds.h"
#include "transplt/commands/terminal.h"

namespace transplt {
namespace {

std::string Printed(const std::string& form, const CommandShape& program,
                    const std::string& version) {
  if (form == "bash") return BashCompletion(program);
  if (form == "zsh") return ZshCompletion(program);
  if (form == "fish") return FishCompletion(program);
  return ManualPage(program, version);
}

}  // namespace

void AddCompletionCommand(CommandLine line) {
  auto form = std::make_shared<std::string>();
  CLI::App* command =
      line.app.add_subcommand("completion", "print completions for a shell, or the manual page");
  command->add_option("FORM", *form, "bash, zsh or fish; man: the manual page")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  command->callback([line, form] {
    line.run = [line, form] {
      AddGenerateKinds(line.app);
      const std::string version = line.app.version();
      PrintOut(Printed(*form, ShapeOf(line.app), version.substr(version.rfind(' ') + 1)));
      return static_cast<int>(kExitDone);
    };
  });
}

}  // namespace transplt
