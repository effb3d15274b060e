// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/tool_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/generator_kind.h"
#include "transplt/inject/option_grammar.h"

namespace transplt {
namespace {

/// The value as words of the generator's command line.
std::vector<std::string> WordsOf(const OptionValue& option) {
  const auto& meanings = option.spec->generator_values;
  if (const auto found = meanings.find(option.value); found != meanings.end()) {
    return {found->second};
  }
  if (option.spec->grammar != "list") return {option.value};
  std::vector<std::string> words;
  for (std::string_view part : PartsOf(option.value, ',')) words.emplace_back(part);
  return words;
}

/// `text` with the names of tools in place of what makes them: "--api npu" becomes
/// "--tool npu-profile".
std::string InTools(std::string text, const OptionTable& table, const ToolSchema& of_tool) {
  for (const ToolSchema& other : table.tools()) {
    if (other.framework != of_tool.framework || other.generator != of_tool.generator) continue;
    for (const auto& [option, value] : other.fixed) {
      const std::string written = "--" + option + " " + value;
      if (const size_t at = text.find(written); at != std::string::npos) {
        text.replace(at, written.size(), "--tool " + other.tool);
      }
    }
  }
  return text;
}

/// `text` with the options of the tool in place of those of the generator: "--hook-name dump"
/// becomes "enable_dump_debug=false", and what stands in brackets goes.
std::string InOptions(std::string text, const OptionTable& table, std::string_view framework,
                      std::string_view tool) {
  for (const OptionSpec& row : table.options()) {
    if (row.framework != framework || !row.IsOf(tool) || row.generator_option.empty()) continue;
    const std::string option = "--" + row.generator_option;
    for (const std::string& aside : {" (" + option + ")", "（" + option + "）"}) {
      if (const size_t at = text.find(aside); at != std::string::npos) text.erase(at, aside.size());
    }
    for (const auto& [value, word] : row.generator_values) {
      const size_t at = text.find(option + " " + word);
      if (at == std::string::npos) continue;
      text.replace(at, option.size() + 1 + word.size(), row.name + "=" + value);
    }
  }
  return text;
}

}  // namespace

std::vector<SchemaMistake> CheckBySchema(const OptionTable& table, std::string_view framework,
                                         std::string_view tool,
                                         const std::vector<OptionValue>& options) {
  std::vector<SchemaMistake> found;
  const ToolSchema* of_tool = table.SchemaOf(framework, tool);
  const GeneratorKind* kind = of_tool == nullptr ? nullptr : FindGeneratorKind(of_tool->generator);
  if (kind == nullptr) return found;
  const Result<ConfigSchema> schema = ConfigSchema::Parse(kind->schema());
  if (!schema) return {{"", schema.error().what}};
  GivenOptions given;
  const std::vector<ConfigOption> known = schema->Options();
  for (const OptionValue& option : options) {
    const std::string& name = option.spec->generator_option;
    // One that all tools have is not of every generator.
    const bool is_known = std::ranges::find(known, name, &ConfigOption::name) != known.end();
    if (is_known) given[name] = WordsOf(option);
  }
  for (const auto& [name, value] : of_tool->fixed) given[name] = {value};
  std::vector<ConfigMistake> mistakes;
  const Defaults defaults = of_tool->is_partial ? Defaults::kLeaveOut : Defaults::kWrite;
  const std::string text = schema->Make(given, defaults, mistakes);
  const Result<JsonDocument> document = JsonDocument::Parse(std::string(kind->name), text);
  if (!document) return {{"", document.error().what}};
  for (ConfigMistake& mistake : schema->Check(*document)) mistakes.push_back(std::move(mistake));
  for (const ConfigMistake& mistake : mistakes) {
    if (mistake.is_missing) continue;  // what a tool requires is in its rows
    const std::string name =
        mistake.options.empty() ? schema->OptionAt(mistake.pointer) : mistake.options.front();
    const OptionSpec* spec = nullptr;
    for (const OptionSpec& row : table.options()) {
      if (row.framework == framework && row.IsOf(tool) && row.generator_option == name) spec = &row;
    }
    const bool is_of_tool = of_tool->fixed.contains(name);
    if (!is_of_tool && spec == nullptr) continue;
    if (of_tool->is_partial && !given.contains(name)) continue;
    const auto in_words = [&](const std::string& text) {
      return InTools(InOptions(text, table, framework, tool), table, *of_tool);
    };
    found.push_back({is_of_tool ? fmt::format("--tool {}", tool) : spec->name,
                     {in_words(mistake.what.en), in_words(mistake.what.zh)},
                     mistake.is_note});
  }
  return found;
}

}  // namespace transplt
