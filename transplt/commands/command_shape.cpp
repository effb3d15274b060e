// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/command_shape.h"

#include <algorithm>

namespace transplt {
namespace {

/// The names in "TEXT:{npu,agnostic}"; none in other names of types.
std::vector<std::string> ChoicesIn(std::string_view type) {
  std::vector<std::string> choices;
  const size_t open = type.find('{');
  if (open == type.npos) return choices;
  const size_t close = type.find('}', open);
  for (std::string_view rest = type.substr(open + 1, close - open - 1); !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    choices.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return choices;
}

OptionShape ShapeOf(const CLI::Option& option) {
  OptionShape shape;
  for (const std::string& name : option.get_snames()) shape.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) shape.names.push_back("--" + name);
  if (option.get_positional()) shape.value = option.get_name(true, false);
  if (!option.get_positional() && option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    shape.value = type.substr(0, type.find(':'));
    shape.choices = ChoicesIn(type);
    if (shape.value.empty()) shape.value = "VALUE";
  }
  shape.description = option.get_description();
  return shape;
}

CommandShape ShapeBelow(const CLI::App& app, const std::vector<std::string>& path) {
  CommandShape shape;
  shape.path = path;
  shape.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? shape.positionals : shape.options).push_back(ShapeOf(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    std::vector<std::string> below = path;
    below.push_back(command->get_name());
    shape.commands.push_back(ShapeBelow(*command, below));
  }
  return shape;
}

void AddCommands(const CommandShape& command, std::vector<const CommandShape*>& all) {
  all.push_back(&command);
  for (const CommandShape& below : command.commands) AddCommands(below, all);
}

}  // namespace

CommandShape ShapeOf(const CLI::App& app) { return ShapeBelow(app, {}); }

std::vector<const CommandShape*> AllCommands(const CommandShape& program) {
  std::vector<const CommandShape*> all;
  AddCommands(program, all);
  return all;
}

}  // namespace transplt
