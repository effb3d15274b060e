// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "generators/doctor.h"
#include "generators/host_checks.h"
#include "transplt/base/source_file.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/frontends/shell.h"

namespace transplt {
namespace {

struct DoctorArguments {
  std::vector<std::string> files;
  std::string kind;
  bool host = false;
  std::string dump_path;
};

Result<std::string> ReadConfiguration(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return Error{Error::Code::kUsage, path, Say("is no file", "不是文件")};
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (file && text) return text.str();
  return Error{Error::Code::kUsage, path, Say("cannot be read", "无法读取")};
}

/// A shell script sets variables; everything else is taken for JSON.
bool IsShellScript(const std::string& path, std::string_view text) {
  return path.ends_with(".sh") || text.starts_with("#!");
}

Result<Diagnosis> DiagnoseScript(const std::string& path, std::string text) {
  const Result<SourceFile> source = SourceFile::FromBytes(path, std::move(text));
  if (!source) return source.error();
  std::vector<EnvironmentSetting> settings;
  for (const Setting& setting : ShellSettings(*source)) {
    // What is put together from parts is known only when the script runs.
    if (setting.kind != Setting::Kind::kVariable || setting.value.empty()) continue;
    const auto place = source->Locate(setting.name_range.start);
    settings.push_back(
        {setting.name, setting.value, fmt::format("{}:{}:{}", path, place.line, place.column)});
  }
  return DiagnoseEnvironment(path, settings);
}

Result<Diagnosis> Diagnose(const std::string& path, const GeneratorKind* kind) {
  Result<std::string> text = ReadConfiguration(path);
  if (!text) return text.error();
  const bool is_script =
      kind == nullptr ? IsShellScript(path, *text) : kind->language == OutputLanguage::kShell;
  if (is_script) return DiagnoseScript(path, *std::move(text));
  return DiagnoseJson(path, *text, kind);
}

int DiagnoseFiles(const DoctorArguments& arguments, Language language) {
  const GeneratorKind* kind = FindGeneratorKind(arguments.kind);
  int code = kExitDone;
  for (const std::string& path : arguments.files) {
    const Result<Diagnosis> diagnosis = Diagnose(path, kind);
    if (!diagnosis) {
      code = Complain(diagnosis.error(), language);
      continue;
    }
    const auto print = [language](const Error& error, const Text& word) {
      PrintOut(fmt::format("{}: {}{}\n", error.where, word.In(language), error.what.In(language)));
    };
    for (const Error& mistake : diagnosis->mistakes) print(mistake, {});
    for (const Error& note : diagnosis->notes) print(note, {"note: ", "提示："});
    const std::string name =
        diagnosis->kind == nullptr ? "JSON" : std::string(diagnosis->kind->name);
    const size_t count = diagnosis->mistakes.size();
    PrintErr(Say("{}: {}: mistakes: {}\n", "{}：{}：错误数：{}\n", path, name, count).In(language));
    if (count > 0 && code == kExitDone) code = kExitNeedsPerson;
  }
  return code;
}

int DiagnoseHost(const std::string& dump_path, Language language) {
  const Host host{"", [](const std::string& name) -> std::optional<std::string> {
                    const char* value = std::getenv(name.c_str());
                    if (value == nullptr) return std::nullopt;
                    return value;
                  }};
  int code = kExitDone;
  for (const HostCheck& check : CheckHost(host, dump_path)) {
    const bool differs = check.state == HostCheck::State::kDiffers;
    const Text state = check.state == HostCheck::State::kGood ? Text{"good", "符合"}
                       : differs                              ? Text{"differs", "不符"}
                                                              : Text{"unknown", "未知"};
    if (differs) code = kExitNeedsPerson;
    PrintOut(Say("{}: {}\n", "{}：{}\n", check.what.In(language), state.In(language)).In(language));
    if (!check.found.empty()) {
      PrintOut(Say("  found: {}\n", "  实际：{}\n", check.found.In(language)).In(language));
    }
    PrintOut(Say("  recommended: {} ({})\n", "  推荐：{}（{}）\n", check.recommended.In(language),
                 check.source.In(language))
                 .In(language));
    if (check.state != HostCheck::State::kGood) {
      PrintOut(Say("  {}\n", "  {}\n", check.remedy.In(language)).In(language));
    }
  }
  return code;
}

int RunDoctor(const DoctorArguments& arguments, Language language) {
  if (arguments.files.empty() != arguments.host) {
    return Complain(Say("give either FILE or --host", "请给出 FILE 或 --host 之一"), language);
  }
  if (arguments.host) return DiagnoseHost(arguments.dump_path, language);
  return DiagnoseFiles(arguments, language);
}

}  // namespace

void AddDoctorCommand(CommandLine line) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* app = line.app.add_subcommand(
      "doctor", "what is wrong with a configuration file, or with the settings of this machine");
  app->add_option("FILE", arguments->files, "acl.json, data_dump.json, config.json, env.sh ...");
  app->add_option("--kind", arguments->kind, "what kind of file it is, instead of looking at it")
      ->check(CLI::IsMember(DiagnosableKinds()));
  app->add_flag("--host", arguments->host,
                "compare this machine with what the vendor recommends for training");
  app->add_option("--dump-path", arguments->dump_path, "with --host: the folder for dumps")
      ->type_name("DIR");
  app->callback([line, arguments] {
    line.run = [line, arguments] { return RunDoctor(*arguments, ChooseLanguage(line.language)); };
  });
}

}  // namespace transplt
