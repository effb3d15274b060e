// SPDX-License-Identifier: Apache-2.0
// The page that `man transplt` shows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transplt/commands/command_shape.h"

namespace transplt {
namespace {

/// Text of a page: no character of it is taken for a request.
std::string Roff(std::string_view text) {
  std::string page;
  for (const char c : text) {
    const bool starts_line = page.empty() || page.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) page += "\\&";
    if (c == '\\') {
      page += "\\e";
    } else if (c == '-') {
      page += "\\-";
    } else {
      page += c;
    }
  }
  return page;
}

std::string Item(const OptionShape& option) {
  std::string head = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.choices.empty()) {
    head += fmt::format(" {{{}}}", fmt::join(option.choices, ","));
  } else if (!option.value.empty()) {
    head += (head.empty() ? "" : " ") + option.value;
  }
  return fmt::format(".TP\n.B {}\n{}\n", Roff(head), Roff(option.description));
}

std::string Section(const CommandShape& command) {
  std::string page =
      fmt::format(".SS {}\n{}\n", Roff(fmt::format("{}", fmt::join(command.path, " "))),
                  Roff(command.description));
  for (const OptionShape& option : command.positionals) page += Item(option);
  for (const OptionShape& option : command.options) {
    const bool is_help = option.names.size() == 2 && option.names.back() == "--help";
    if (!is_help) page += Item(option);
  }
  return page;
}

}  // namespace

std::string ManualPage(const CommandShape& program, const std::string& version) {
  std::string page =
      fmt::format(".TH TRANSPLT 1 \"\" \"transplt {}\" \"User Commands\"\n", version);
  page += ".ad l\n.SH NAME\ntransplt \\- migrates AI training code from CUDA to Ascend NPUs\n";
  page += ".SH SYNOPSIS\n.B transplt\n.RI [ OPTION ...]\n.I COMMAND\n.RI [ ARGUMENT ...]\n";
  page += ".SH DESCRIPTION\n" + Roff(program.description) + "\n";
  page += ".SH OPTIONS\n";
  for (const OptionShape& option : program.options) page += Item(option);
  page += ".SH COMMANDS\n";
  for (const CommandShape* command : AllCommands(program)) {
    if (!command->path.empty()) page += Section(*command);
  }
  page += ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\ndone, and a person has something to do\n";
  page += ".TP\n.B 2\nwrong usage, rules or configuration; nothing was written\n";
  page += ".TP\n.B 3\ndone, and what \\-\\-fail\\-on names is left\n";
  page += ".SH ENVIRONMENT\n.TP\n.B LC_ALL, LC_MESSAGES, LANG\nthe language of messages\n";
  page += ".TP\n.B NO_COLOR\nno colours on a terminal\n";
  return page + ".SH SEE ALSO\n/usr/share/doc/transplt\n";
}

}  // namespace transplt
