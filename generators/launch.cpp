// SPDX-License-Identifier: Apache-2.0
#include "generators/launch.h"

#include <algorithm>
#include <map>

#include "generators/launch_checks.h"
#include "generators/texts.h"

namespace transplt {
namespace {

using TextFunction = std::string_view (*)();
using Texts = std::map<std::string, std::string>;

/// A file of a launcher.
struct LaunchFile {
  std::string_view launcher;
  std::string_view name;
  TextFunction script;
};

constexpr LaunchFile kFiles[] = {
    {"bash", "run_distributed_npu.sh", LaunchBashTemplate},
    {"torchrun", "run_torchrun_npu.sh", LaunchTorchrunTemplate},
};

/// What templates share: the line "{{>NAME}}" stands for the text.
constexpr std::pair<std::string_view, TextFunction> kShared[] = {
    {"{{>settings}}\n", LaunchSettingsTemplate},
    {"{{>checks}}\n", LaunchChecksTemplate},
    {"{{>ranks}}\n", LaunchRanksTemplate},
    {"{{>supervise}}\n", LaunchSuperviseTemplate},
};

std::string WithSharedText(std::string_view script) {
  std::string text(script);
  for (const auto& [line, shared] : kShared) {
    const size_t at = text.find(line);
    if (at != text.npos) text.replace(at, line.size(), shared());
  }
  return text;
}

/// A line for each variable, with its meaning before it.
std::string EnvironmentLines(const OrderedJson& environment) {
  const auto schema = ConfigSchema::Parse(EnvSchema());
  std::string lines;
  for (const auto& [name, value] : environment.items()) {
    const std::string what = schema ? schema->DescriptionAt("/" + name) : "";
    if (!what.empty()) lines += fmt::format("    # {}\n", what);
    lines +=
        fmt::format("    set_default {} {}\n", name, Literal(value.dump(), OutputLanguage::kShell));
  }
  if (!lines.empty()) lines.pop_back();
  return lines;
}

Texts TextsOf(const OrderedJson& configuration, const OrderedJson& environment) {
  constexpr std::string_view kSetEnv = "/usr/local/Ascend/ascend-toolkit/set_env.sh";
  Texts texts;
  texts["arguments_words"] = configuration.at("arguments").get<std::string>();
  texts["environment"] = EnvironmentLines(environment);
  const std::string set_env = configuration.value("set_env", std::string(kSetEnv));
  texts["set_env_file"] = Literal(OrderedJson(set_env).dump(), OutputLanguage::kShell);
  const bool has_chief = configuration.at("framework") == "tensorflow" &&
                         !configuration.contains("rank_table") &&
                         configuration.at("start") != "single";
  if (has_chief) texts["chief"] = "";
  return texts;
}

bool HasMistake(const std::vector<ConfigMistake>& mistakes) {
  return std::any_of(mistakes.begin(), mistakes.end(),
                     [](const ConfigMistake& mistake) { return !mistake.is_note; });
}

}  // namespace

Result<std::vector<GeneratedFile>> MakeLaunch(const std::string& configuration,
                                              std::vector<ConfigMistake>& mistakes) {
  const Result<ConfigSchema> schema = ConfigSchema::Parse(LaunchSchema());
  if (!schema) return schema.error();
  OrderedJson complete = OrderedJson::parse(configuration, nullptr, false);
  CompleteLaunch(complete, mistakes);
  const OrderedJson environment = LaunchEnvironment(complete, mistakes);
  std::vector<GeneratedFile> files;
  if (HasMistake(mistakes)) return files;
  const Texts texts = TextsOf(complete, environment);
  for (const LaunchFile& file : kFiles) {
    if (file.launcher != complete.at("launcher").get<std::string>()) continue;
    Result<std::string> text = RenderScript(WithSharedText(file.script()), complete.dump(), *schema,
                                            OutputLanguage::kShell, texts);
    if (!text) return text.error();
    files.push_back({std::string(file.name), *std::move(text)});
  }
  return files;
}

}  // namespace transplt
