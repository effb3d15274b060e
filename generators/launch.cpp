// SPDX-License-Identifier: Apache-2.0
#include "generators/launch.h"

#include <algorithm>
#include <map>

#include "generators/launch_checks.h"
#include "generators/texts.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

using Texts = std::map<std::string, std::string>;

/// A file of a launcher.
struct LaunchFile {
  std::string_view launcher;
  std::string_view name;
  TextFunction script;
  OutputLanguage language = OutputLanguage::kShell;
  int cards = 0;         ///< of a script for so many
  bool is_full = false;  ///< trains to the end
};

constexpr LaunchFile kFiles[] = {
    {"bash", "run_distributed_npu.sh", LaunchBashTemplate},
    {"torchrun", "run_torchrun_npu.sh", LaunchTorchrunTemplate},
    {"mpirun", "run_mpirun_npu.sh", LaunchMpirunTemplate},
    {"slurm", "run_slurm_npu.sbatch", LaunchSlurmTemplate},
    {"msrun", "run_msrun_npu.sh", LaunchMsrunTemplate},
    {"volcano", "volcano_job.yaml", LaunchVolcanoTemplate, OutputLanguage::kYaml},
    {"field", "env_npu.sh", LaunchEnvNpuTemplate},
    {"field", "run_distributed_npu.sh", LaunchBashTemplate},
    {"field", "train_full_1p.sh", LaunchFieldTemplate, OutputLanguage::kShell, 1, true},
    {"field", "train_full_8p.sh", LaunchFieldTemplate, OutputLanguage::kShell, 8, true},
    {"field", "train_performance_1p.sh", LaunchFieldTemplate, OutputLanguage::kShell, 1},
    {"field", "train_performance_8p.sh", LaunchFieldTemplate, OutputLanguage::kShell, 8},
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

std::string Quoted(const std::string& text, OutputLanguage language) {
  return Literal(OrderedJson(text).dump(), language);
}

/// What the templates see besides the configuration.
Texts TextsOf(const OrderedJson& configuration, const OrderedJson& environment) {
  constexpr std::string_view kSetEnv = "/usr/local/Ascend/ascend-toolkit/set_env.sh";
  Texts texts;
  const std::string arguments = configuration.at("arguments").get<std::string>();
  texts["arguments_words"] = arguments;
  texts["environment"] = EnvironmentLines(environment);
  texts["set_env_file"] =
      Quoted(configuration.value("set_env", std::string(kSetEnv)), OutputLanguage::kShell);
  const std::string start = configuration.at("start").get<std::string>();
  const bool has_chief = configuration.at("framework") == "tensorflow" &&
                         !configuration.contains("rank_table") && start != "single";
  if (has_chief) texts["chief"] = "";
  if (arguments.find("data_path") != std::string::npos) texts["data_in_arguments"] = "";
  std::string folders;
  for (const OrderedJson& folder : configuration.at("python_path")) {
    folders += (folders.empty() ? "" : " ") + Literal(folder.dump(), OutputLanguage::kShell);
  }
  if (!folders.empty()) texts["python_path_words"] = folders;
  const bool starts_one = start == "spawns" || start == "single";
  texts["tasks_per_node"] = starts_one ? "1" : configuration.at("npus").dump();
  return texts;
}

/// Appends what one of the field's scripts sees.
void AddFieldTexts(const OrderedJson& configuration, const LaunchFile& file, Texts& texts) {
  if (file.cards == 0) return;
  texts["cards"] = std::to_string(file.cards);
  if (file.cards == 1) texts["one"] = "";
  if (file.is_full) texts["full"] = "";
  const bool needs_data =
      configuration.contains("data_option") || texts.contains("data_in_arguments");
  if (needs_data) texts["needed_data"] = "";
  texts["performance_words"] = configuration.value("performance_arguments", "");
  texts["fps_words"] =
      Quoted(configuration.at("fps_pattern").get<std::string>(), OutputLanguage::kShell);
  texts["accuracy_words"] =
      Quoted(configuration.at("accuracy_pattern").get<std::string>(), OutputLanguage::kShell);
}

/// The text with `indent` before each line that is not empty.
std::string Indented(std::string_view text, std::string_view indent) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) result += fmt::format("{}{}", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!text.empty()) result += '\n';
  }
  return result;
}

/// Appends what the job of Kubernetes sees: lists as lines of YAML.
void AddVolcanoTexts(const OrderedJson& configuration, const std::string& script, Texts& texts) {
  constexpr OutputLanguage kYaml = OutputLanguage::kYaml;
  const std::string job = configuration.at("job_name").get<std::string>();
  texts["launcher_name"] = Quoted(job + "-launcher", kYaml);
  texts["script_lines"] = Indented(script, "    ");
  std::string selectors;
  for (const OrderedJson& selector : configuration.at("node_selector")) {
    const std::string text = selector.get<std::string>();
    const size_t equals = text.find('=');
    selectors +=
        fmt::format("{}            {}: {}", selectors.empty() ? "" : "\n",
                    Quoted(text.substr(0, equals), kYaml), Quoted(text.substr(equals + 1), kYaml));
  }
  std::string mounts;
  std::string volumes;
  for (size_t i = 0; i < configuration.at("mounts").size(); ++i) {
    const std::string path = configuration.at("mounts")[i].dump();
    const std::string_view newline = i == 0 ? "" : "\n";
    mounts += fmt::format("{}                - name: mount-{}\n                  mountPath: {}",
                          newline, i, path);
    volumes += fmt::format(
        "{}            - name: mount-{}\n              hostPath:\n                path: {}",
        newline, i, path);
  }
  if (!selectors.empty()) texts["selector_lines"] = selectors;
  if (!mounts.empty()) texts["mount_lines"] = mounts;
  if (!volumes.empty()) texts["volume_lines"] = volumes;
}

/// The field's scripts lie in the folder test of the project.
void MoveToTestFolder(OrderedJson& configuration) {
  const std::string folder = configuration.at("working_folder").get<std::string>();
  if (folder.starts_with('/')) return;
  configuration["working_folder"] = folder == "." ? ".." : "../" + folder;
}

}  // namespace

Result<std::vector<GeneratedFile>> MakeLaunch(const std::string& configuration,
                                              std::vector<ConfigMistake>& mistakes) {
  const Result<ConfigSchema> schema = ConfigSchema::Parse(LaunchSchema());
  if (!schema) return schema.error();
  OrderedJson complete = ParseOrderedJson(configuration);
  CompleteLaunch(complete, mistakes);
  const OrderedJson environment = LaunchEnvironment(complete, mistakes);
  std::vector<GeneratedFile> files;
  if (HasMistake(mistakes)) return files;
  if (complete.at("launcher") == "field") MoveToTestFolder(complete);
  const auto render = [&](const LaunchFile& file, const Texts& texts) {
    return RenderScript(WithSharedText(file.script()), complete.dump(), *schema, file.language,
                        texts);
  };
  for (const LaunchFile& file : kFiles) {
    if (file.launcher != complete.at("launcher").get<std::string>()) continue;
    Texts texts = TextsOf(complete, environment);
    AddFieldTexts(complete, file, texts);
    if (file.language == OutputLanguage::kYaml) {
      const Result<std::string> script = render(kFiles[0], texts);
      if (!script) return script.error();
      AddVolcanoTexts(complete, *script, texts);
    }
    Result<std::string> text = render(file, texts);
    if (!text) return text.error();
    files.push_back({std::string(file.name), *std::move(text)});
  }
  return files;
}

}  // namespace transplt
