// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>

#include "generators/dump_estimate.h"
#include "generators/generator_kind.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/generate_kinds.h"
#include "transplt/commands/launch_facts.h"
#include "transplt/commands/output_file.h"
#include "transplt/commands/project_facts.h"
#include "transplt/commands/terminal.h"

namespace transplt {
namespace {

struct GenerateArguments {
  std::string output;
  std::string project;
  bool force = false;
  bool list = false;
  bool estimate = false;
  std::string sample;  // of a dump
  std::string bytes_per_step;
  std::string write_rate;
  EstimateInputs inputs;
  const GeneratorKind* kind = nullptr;
  std::map<std::string, std::vector<std::string>> values;  // of all options of all kinds
};

/// What an option takes, for its help.
std::string HelpOf(const ConfigOption& option) {
  std::string help = option.what.en;
  if (!option.choices.empty()) help += " {" + option.choices + "}";
  if (!option.default_value.empty()) help += " [" + option.default_value + "]";
  if (option.is_required) help += " REQUIRED";
  return help;
}

void ListKinds(Language language) {
  for (const GeneratorKind& kind : GeneratorKinds()) {
    PrintOut(fmt::format("{:<17} {}\n{:<17} {}\n", kind.name, kind.title.In(language), "",
                         kind.page.In(language)));
  }
}

void ListOptions(const GeneratorKind& kind, const ConfigSchema& schema, Language language) {
  PrintOut(fmt::format("{}\n{}\n", kind.title.In(language), kind.page.In(language)));
  for (const ConfigOption& option : schema.Options()) {
    PrintOut(fmt::format("  --{:<20} {}", option.name, option.what.In(language)));
    if (!option.choices.empty()) PrintOut(" {" + option.choices + "}");
    if (!option.default_value.empty()) PrintOut(" [" + option.default_value + "]");
    PrintOut("\n");
  }
}

using FactsBySource = std::map<std::string, std::vector<std::string>>;  // by what x-from says

/// The model of a project, for `option`; none is looked for where that is empty.
Result<FactsBySource> ModelFacts(const std::string& project, const GeneratorKind& kind,
                                 const std::string& option) {
  const Result<ProjectFacts> facts = ReadProjectFacts(project);
  if (!facts) return facts.error();
  if (!kind.framework.empty() && kind.framework != NameOf(facts->framework)) {
    return Error{Error::Code::kUsage, project,
                 Say("is a project of {}, and {} is for {}", "是 {} 项目，而 {} 用于 {}",
                     NameOf(facts->framework), kind.name, kind.framework)};
  }
  if (option.empty()) return FactsBySource();
  if (facts->models.size() != 1) {
    constexpr size_t kShown = 10;
    const std::vector<std::string>& all = facts->models;
    const std::span<const std::string> shown(all.data(), std::min(all.size(), kShown));
    const std::string list =
        fmt::format("{}{}", fmt::join(shown, ", "), all.size() > kShown ? " ..." : "");
    return Error{Error::Code::kUsage, "--" + option,
                 Say("the project has {} models; give one: {}",
                     "该项目有 {} 个模型；请指定其一：{}", all.size(), list)};
  }
  const std::string& model = facts->models.front();
  return FactsBySource{{"model", {model}}, {"model_class", {model.substr(model.find(':') + 1)}}};
}

/// Where a script will lie that is written to `output`; "" for stdout.
std::string FolderOf(const std::string& output, bool is_folder) {
  if (output.empty()) return "";
  std::error_code error;
  if (is_folder || output.ends_with('/') || std::filesystem::is_directory(output, error)) {
    return output;
  }
  const std::string folder = std::filesystem::path(output).parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<FactsBySource> StartFacts(const GenerateArguments& arguments, const GivenOptions& given,
                                 Language language) {
  const auto launcher = given.find("launcher");
  const bool is_folder =
      launcher != given.end() && launcher->second == std::vector<std::string>{"field"};
  Result<LaunchFacts> facts =
      ReadLaunchFacts(arguments.project, given, FolderOf(arguments.output, is_folder));
  if (!facts) return facts.error();
  for (const Text& note : facts->notes) {
    PrintErr(Say("note: {}\n", "提示：{}\n", note.In(language)).In(language));
  }
  return std::move(facts->values);
}

/// Fills what a project can answer and the user has not given; says what was taken.
Result<Done> AddFromProject(const GenerateArguments& arguments, const ConfigSchema& schema,
                            GivenOptions& given, Language language) {
  const auto wanted = schema.OptionsFromProject();
  const auto is_open = [&](const auto& row) { return !given.contains(row.first); };
  const auto first = std::find_if(wanted.begin(), wanted.end(), is_open);
  const std::string option = first == wanted.end() ? "" : first->first;
  const bool is_start = std::any_of(wanted.begin(), wanted.end(),
                                    [](const auto& row) { return row.second == "entry"; });
  const Result<FactsBySource> facts = is_start
                                          ? StartFacts(arguments, given, language)
                                          : ModelFacts(arguments.project, *arguments.kind, option);
  if (!facts) return facts.error();
  // A script is named as seen from the folder that the project says.
  const bool names_entry = facts->contains("entry") && !given.contains("working-folder");
  for (const auto& [name, fact] : wanted) {
    const auto found = facts->find(fact);
    const bool is_given = given.contains(name) && !(fact == "entry" && names_entry);
    if (found == facts->end() || is_given) continue;
    given[name] = found->second;
    for (const std::string& value : found->second) {
      PrintErr(Say("--{} {}: from {}\n", "--{} {}：取自 {}\n", name, value, arguments.project)
                   .In(language));
    }
  }
  return Done();
}

/// Puts the texts of the files that options name in the place of the names.
Result<Done> ReadFilesOfOptions(const ConfigSchema& schema, GivenOptions& given) {
  for (const ConfigOption& option : schema.Options()) {
    const auto found = given.find(option.name);
    if (!option.takes_file || found == given.end()) continue;
    for (std::string& value : found->second) {
      std::ifstream file(value, std::ios::binary);
      std::ostringstream text;
      if (!file || !(text << file.rdbuf())) {
        return Error{Error::Code::kUsage, "--" + option.name,
                     Say("{} cannot be read", "无法读取 {}", value)};
      }
      const auto document = JsonDocument::Parse(value, text.str());
      if (!document) return document.error();
      value = text.str();
    }
  }
  return Done();
}

/// The files and bytes of a folder that holds the dump of one step of one device.
Result<Done> MeasureSample(const std::string& folder, EstimateInputs& inputs) {
  namespace fs = std::filesystem;
  std::error_code error;
  double files = 0;
  double bytes = 0;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    ++files;
    bytes += static_cast<double>(at->file_size(error));
  }
  if (error) {
    return Error{Error::Code::kBadInput, folder, Say("cannot be read", "无法读取")};
  }
  inputs.files_per_step = files;
  inputs.bytes_per_step = bytes;
  return Done();
}

int PrintEstimate(const GenerateArguments& arguments, const ConfigSchema& schema,
                  const Generated& generated, Language language) {
  EstimateInputs inputs = arguments.inputs;
  if (!arguments.sample.empty()) {
    if (const auto done = MeasureSample(arguments.sample, inputs); !done) {
      return Complain(done.error(), language);
    }
  }
  for (const auto& [text, value, option] :
       {std::tuple(&arguments.bytes_per_step, &inputs.bytes_per_step, "--bytes-per-step"),
        std::tuple(&arguments.write_rate, &inputs.write_rate, "--write-rate")}) {
    if (text->empty()) continue;
    *value = ReadBytes(*text);
    if (*value && **value > 0) continue;
    return Complain(Error{Error::Code::kUsage, option,
                          Say("is {}; write a number of bytes such as 800M or 1.5G",
                              "为 {}；请写字节数，如 800M 或 1.5G", QuoteForMessage(*text))},
                    language);
  }
  const auto lines = EstimateDump(schema, generated.configuration, inputs);
  if (!lines) return Complain(lines.error(), language);
  for (const Text& line : *lines) PrintOut(line.In(language) + "\n");
  return kExitDone;
}

/// To stdout, to the file `output`, or into the folder `output`: several files, or "FOLDER/".
Result<Done> WriteGenerated(const std::vector<GeneratedFile>& files, const std::string& output,
                            bool force) {
  namespace fs = std::filesystem;
  if (output.empty()) {
    if (files.size() == 1) {
      PrintOut(files.front().text);
      return Done();
    }
    return Error{Error::Code::kUsage, "--output",
                 Say("must be given: {} files are written into a folder",
                     "必须给出：{} 个文件将写入目录", files.size())};
  }
  const bool is_folder = files.size() > 1 || output.ends_with('/');
  if (is_folder) {
    std::error_code error;
    fs::create_directories(output, error);
    if (error) {
      return Error{Error::Code::kIo, output, Say("cannot be created", "无法创建")};
    }
  }
  // Nothing is written where one of them must not be replaced.
  for (const GeneratedFile& file : files) {
    const std::string path = (fs::path(output) / file.name).string();
    if (is_folder && !force && fs::exists(fs::symlink_status(path))) {
      return Error{
          Error::Code::kUsage, path,
          Say("the file exists; give --force to replace it", "文件已存在；如需替换请加 --force")};
    }
  }
  for (const GeneratedFile& file : files) {
    const std::string path = is_folder ? (fs::path(output) / file.name).string() : output;
    const mode_t mode = file.text.starts_with("#!") ? 0777 : 0666;
    const auto done = WriteOutputFile(path, file.text, force, mode);
    if (!done) return done.error();
  }
  return Done();
}

int RunKind(const GenerateArguments& arguments, Language language) {
  const GeneratorKind& kind = *arguments.kind;
  const Result<ConfigSchema> schema = ConfigSchema::Parse(kind.schema());
  if (!schema) return Complain(schema.error(), language);
  if (arguments.list) {
    ListOptions(kind, *schema, language);
    return kExitDone;
  }
  GivenOptions given;
  for (const ConfigOption& option : schema->Options()) {
    const auto found = arguments.values.find(std::string(kind.name) + " " + option.name);
    if (found != arguments.values.end()) given.emplace(option.name, found->second);
  }
  if (!arguments.project.empty()) {
    const auto done = AddFromProject(arguments, *schema, given, language);
    if (!done) return Complain(done.error(), language);
  }
  if (const auto done = ReadFilesOfOptions(*schema, given); !done) {
    return Complain(done.error(), language);
  }
  const Result<Generated> generated = Generate(kind, given);
  if (!generated) return Complain(generated.error(), language);
  for (const Error& mistake : generated->mistakes) Complain(mistake, language);
  if (!generated->mistakes.empty()) return kExitUsage;
  for (const Text& note : generated->notes) {
    PrintErr(Say("note: {}\n", "提示：{}\n", note.In(language)).In(language));
  }
  if (arguments.estimate) return PrintEstimate(arguments, *schema, *generated, language);
  const auto done = WriteGenerated(generated->files, arguments.output, arguments.force);
  return done ? static_cast<int>(kExitDone) : Complain(done.error(), language);
}

void AddKind(CLI::App* generate, const GeneratorKind& kind,
             const std::shared_ptr<GenerateArguments>& arguments) {
  const Result<ConfigSchema> schema = ConfigSchema::Parse(kind.schema());
  if (!schema) return;  // a unit test says so
  CLI::App* app = generate->add_subcommand(std::string(kind.name), kind.title.en);
  for (const ConfigOption& option : schema->Options()) {
    const std::string key = std::string(kind.name) + " " + option.name;
    const bool is_flag = option.type == "boolean";
    const auto take = [arguments, key, is_flag](const std::vector<std::string>& values) {
      // A flag without a value is empty.
      std::vector<std::string> texts = values;
      if (is_flag) std::replace(texts.begin(), texts.end(), std::string(), std::string("true"));
      arguments->values[key] = texts;
      return true;
    };
    CLI::Option* added = app->add_option("--" + option.name, take, HelpOf(option));
    added->type_name("")->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (is_flag) added->expected(0, 1);
  }
  app->callback([arguments, &kind] { arguments->kind = &kind; });
}

}  // namespace

void AddGenerateKinds(CLI::App& program) {
  const auto arguments = std::make_shared<GenerateArguments>();
  for (const GeneratorKind& kind : GeneratorKinds()) {
    AddKind(program.get_subcommand("generate"), kind, arguments);
  }
}

void AddGenerateCommand(CommandLine line) {
  auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* app = line.app.add_subcommand(
      "generate", "configuration files and scripts: dump, profiling, tuning, environment");
  app->add_option("-o,--output", arguments->output,
                  "write this file, or into the folder DIR/; stdout if not given")
      ->type_name("PATH");
  app->add_flag("--force", arguments->force, "replace an existing file");
  app->add_option("--from", arguments->project, "a project that answers what it can")
      ->type_name("PROJECT");
  app->add_flag("--options", arguments->list, "only print what KIND takes");
  app->add_flag("--estimate", arguments->estimate,
                "only print how large the dump would be, from what is given about it:");
  app->add_option("--sample", arguments->sample,
                  "a folder with the dump of one step of one device, to be measured")
      ->type_name("DIR");
  app->add_option("--bytes-per-step", arguments->bytes_per_step, "of one device, such as 1.5G");
  app->add_option("--files-per-step", arguments->inputs.files_per_step, "of one device");
  app->add_option("--steps", arguments->inputs.steps, "where the configuration names none");
  app->add_option("--devices", arguments->inputs.devices, "that write");
  app->add_option("--write-rate", arguments->write_rate, "bytes per second, such as 800M");
  // Only now: other commands need not wait for the schemas to be read.
  app->preparse_callback([app, arguments](size_t) {
    for (const GeneratorKind& kind : GeneratorKinds()) AddKind(app, kind, arguments);
  });
  app->require_subcommand(0, 1);
  app->callback([line, arguments] {
    line.run = [line, arguments] {
      const Language language = ChooseLanguage(line.language);
      if (arguments->kind != nullptr) return RunKind(*arguments, language);
      ListKinds(language);
      return static_cast<int>(kExitDone);
    };
  });
}

}  // namespace transplt
