// SPDX-License-Identifier: Apache-2.0
// What shells complete behind "transplt".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transplt/commands/command_shape.h"

namespace transplt {
namespace {

std::string PathOf(const CommandShape& command) {
  return fmt::format("{}", fmt::join(command.path, " "));
}

/// In single quotes, for each of the three shells.
std::string InSingleQuotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c == '\n' ? ' ' : c;
    }
  }
  return quoted + "'";
}

/// The arms of a `case` that walks from one command to those below it.
std::string Steps(const std::vector<const CommandShape*>& commands) {
  std::string steps;
  for (const CommandShape* command : commands) {
    for (const CommandShape& below : command->commands) {
      steps += fmt::format("      \"{}|{}\") chain=\"{}\" ;;\n", PathOf(*command),
                           below.path.back(), PathOf(below));
    }
  }
  return steps;
}

/// Calls `print(command, option, name)` for each name of an option that takes one of some words.
template <typename Print>
void ForEachChoice(const std::vector<const CommandShape*>& commands, const Print& print) {
  for (const CommandShape* command : commands) {
    for (const OptionShape& option : command->options) {
      if (option.choices.empty()) continue;
      for (const std::string& name : option.names) print(*command, option, name);
    }
  }
}

std::vector<std::string> WordsOf(const CommandShape& command) {
  std::vector<std::string> words;
  for (const CommandShape& below : command.commands) words.push_back(below.path.back());
  for (const OptionShape& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return words;
}

/// "name:description" for zsh, in which a colon of the name would end it.
std::string Described(const std::string& name, const std::string& description) {
  std::string escaped;
  for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return InSingleQuotes(escaped + ":" + description);
}

/// What must have been typed before, for fish.
std::string FishCondition(const CommandShape& command) {
  if (command.path.empty()) return "__fish_use_subcommand";
  std::vector<std::string> seen;
  for (const std::string& name : command.path) {
    seen.push_back("__fish_seen_subcommand_from " + name);
  }
  return fmt::format("{}", fmt::join(seen, "; and "));
}

std::string FishOption(const CommandShape& command, const OptionShape& option) {
  std::string line =
      fmt::format("complete -c transplt -n {}", InSingleQuotes(FishCondition(command)));
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    line +=
        fmt::format(" -x -a {}", InSingleQuotes(fmt::format("{}", fmt::join(option.choices, " "))));
  } else if (!option.value.empty()) {
    line += " -r";
  }
  return line + fmt::format(" -d {}\n", InSingleQuotes(option.description));
}

}  // namespace

std::string BashCompletion(const CommandShape& program) {
  const std::vector<const CommandShape*> commands = AllCommands(program);
  std::string script =
      "# Completion of transplt for bash, printed by `transplt completion bash`.\n";
  script += "_transplt() {\n  local current=${COMP_WORDS[COMP_CWORD]} chain=\"\" words=\"\" i\n";
  script += "  COMPREPLY=()\n  for ((i = 1; i < COMP_CWORD; i++)); do\n";
  script += "    case \"$chain|${COMP_WORDS[i]}\" in\n" + Steps(commands) + "    esac\n  done\n";
  script += "  case \"$chain|${COMP_WORDS[COMP_CWORD - 1]}\" in\n";
  ForEachChoice(commands, [&script](const CommandShape& command, const OptionShape& option,
                                    const std::string& name) {
    script += fmt::format("    \"{}|{}\") words=\"{}\" ;;\n", PathOf(command), name,
                          fmt::join(option.choices, " "));
  });
  script += "  esac\n  if [[ -z $words ]]; then\n    case \"$chain\" in\n";
  for (const CommandShape* command : commands) {
    script += fmt::format("      \"{}\") words=\"{}\" ;;\n", PathOf(*command),
                          fmt::join(WordsOf(*command), " "));
  }
  script += "    esac\n  fi\n";
  script += "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n";
  return script + "complete -o default -F _transplt transplt\n";
}

std::string ZshCompletion(const CommandShape& program) {
  const std::vector<const CommandShape*> commands = AllCommands(program);
  std::string script = "#compdef transplt\n";
  script += "# Completion of transplt for zsh, printed by `transplt completion zsh`.\n";
  script += "_transplt() {\n  local chain=\"\"\n  local -i i\n  local -a names options\n";
  script += "  for ((i = 2; i < CURRENT; i++)); do\n";
  script += "    case \"$chain|$words[i]\" in\n" + Steps(commands) + "    esac\n  done\n";
  script += "  case \"$chain|$words[CURRENT-1]\" in\n";
  ForEachChoice(commands, [&script](const CommandShape& command, const OptionShape& option,
                                    const std::string& name) {
    script += fmt::format("    \"{}|{}\") compadd -- {}; return ;;\n", PathOf(command), name,
                          fmt::join(option.choices, " "));
  });
  script += "  esac\n  case \"$chain\" in\n";
  for (const CommandShape* command : commands) {
    std::vector<std::string> names;
    std::vector<std::string> options;
    for (const CommandShape& below : command->commands) {
      names.push_back(Described(below.path.back(), below.description));
    }
    for (const OptionShape& option : command->options) {
      for (const std::string& name : option.names) {
        options.push_back(Described(name, option.description));
      }
    }
    script += fmt::format("    \"{}\")\n      names=({})\n      options=({}) ;;\n",
                          PathOf(*command), fmt::join(names, " "), fmt::join(options, " "));
  }
  script += "  esac\n  if (( $#names )); then _describe command names; else _files; fi\n";
  return script + "  _describe -o option options\n}\n_transplt \"$@\"\n";
}

std::string FishCompletion(const CommandShape& program) {
  std::string script =
      "# Completion of transplt for fish, printed by `transplt completion fish`.\n";
  for (const CommandShape* command : AllCommands(program)) {
    for (const CommandShape& below : command->commands) {
      script += fmt::format("complete -c transplt -n {} -a {} -d {}\n",
                            InSingleQuotes(FishCondition(*command)), below.path.back(),
                            InSingleQuotes(below.description));
    }
    for (const OptionShape& option : command->options) script += FishOption(*command, option);
  }
  return script;
}

}  // namespace transplt
