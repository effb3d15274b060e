// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/option_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generators/generator_kind.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/frameworks.h"

namespace transplt {
namespace {

/// One option as it is shown.
struct ShownOption {
  Text what;
  std::string choices;
  std::string default_value;
};

std::string ListOfWords(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string ChoicesOf(const OptionSpec& spec, Language language) {
  if (spec.type == OptionType::kBool) return "true, false";
  if (!spec.values.empty()) return ListOfWords(spec.values);
  if (!spec.words.empty()) return ListOfWords(Words(spec.words).words());
  if (spec.min && spec.max) {
    return Say("{} to {}", "{} 至 {}", *spec.min, *spec.max).In(language);
  }
  if (spec.min) return Say("{} or more", "不小于 {}", *spec.min).In(language);
  return {};
}

/// What the schema of the generator says about the option, where that checks it.
std::optional<ConfigOption> InGenerator(const OptionTable& table, const OptionSpec& spec,
                                        std::string_view tool) {
  const ToolSchema* of_tool = table.SchemaOf(spec.framework, tool);
  const bool has_words = spec.generator_option.empty() || !spec.generator_values.empty();
  if (of_tool == nullptr || has_words) return std::nullopt;
  const Result<ConfigSchema> schema =
      ConfigSchema::Parse(FindGeneratorKind(of_tool->generator)->schema());
  if (!schema) return std::nullopt;
  for (ConfigOption& option : schema->Options()) {
    if (option.name == spec.generator_option) return std::move(option);
  }
  return std::nullopt;
}

std::string LineOf(const OptionTable& table, const OptionSpec& spec, std::string_view tool,
                   Language language) {
  ShownOption shown{spec.what, ChoicesOf(spec, language), spec.default_value};
  if (std::optional<ConfigOption> option = InGenerator(table, spec, tool)) {
    shown = {option->what, option->choices, option->default_value};
  }
  std::string line = fmt::format("  {:<30} {}", spec.name, shown.what.In(language));
  if (!shown.choices.empty()) line += " {" + shown.choices + "}";
  if (!shown.default_value.empty()) line += " [" + shown.default_value + "]";
  const auto add = [&](const Text& text) { line += "; " + text.In(language); };
  if (!spec.needs.empty()) add(Say("needs {}", "需要 {}", ListOfWords(spec.needs)));
  if (!spec.excludes.empty()) {
    add(Say("not with {}", "不能与 {} 同用", ListOfWords(spec.excludes)));
  }
  if (!spec.goes_with.empty()) {
    add(Say("goes with {}", "与 {} 一起使用", spec.goes_with));
  }
  if (spec.framework == "tensorflow" && !spec.initialize) {
    add(Say("not read by initialize_system", "initialize_system 不读取"));
  }
  return line + "\n";
}

}  // namespace

std::string ListOptions(const OptionTable& table, std::string_view framework, std::string_view tool,
                        Language language) {
  std::string text;
  for (const std::string_view one : FindInjectFramework(framework)->tools) {
    if (!tool.empty() && one != tool) continue;
    std::string lines;
    for (const OptionSpec& spec : table.options()) {
      if (spec.framework == framework && spec.IsOf(one))
        lines += LineOf(table, spec, one, language);
    }
    if (lines.empty()) continue;
    const bool has_tools = FindInjectFramework(framework)->tools.size() > 1;
    text += fmt::format("{}{}{}\n{}", framework, has_tools ? " --tool " : "",
                        has_tools ? one : std::string_view(), lines);
  }
  return text;
}

}  // namespace transplt
