// SPDX-License-Identifier: Apache-2.0
// Questions about a name, and about a project.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>

#include "transplt/analysis/analyzed_project.h"
#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/native_rule_text.h"
#include "transplt/commands/terminal.h"
#include "transplt/engine/engine.h"
#include "transplt/engine/target.h"
#include "transplt/migrate/migration.h"
#include "transplt/native/operator_index.h"
#include "transplt/programs/entry_points.h"
#include "transplt/rule_kinds/builtin_rules.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

struct QueryArguments {
  std::string name;
  std::string torch_version;
  std::string torch_npu;
  std::string target = "npu";
  AnalysisOptions project;
  std::string format = "text";
};

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':' ||
           c == '/';
  });
}

/// The rules about a name of C++: "cudaMalloc", "at::cuda::CUDAGuard", "is_cuda", a header.
std::vector<const NativeRule*> NativeRulesAbout(const std::string& name) {
  const NativeRules& rules = NativeRules::Builtin();
  std::vector<const NativeRule*> found;
  const std::string last = LastPartOf(name);
  for (const auto* list : {&rules.NamedBy(last), &rules.MembersNamed(last)}) {
    for (const NativeRule* rule : *list) {
      if (last == name || IsOneOf(name, rule->names)) found.push_back(rule);
    }
  }
  if (!found.empty()) return found;
  const bool is_header = name.find('/') != std::string::npos || name.ends_with(".h");
  const NativeRule* rule = is_header ? rules.HeaderRule(name) : rules.FamilyOf(last);
  if (rule != nullptr) found.push_back(rule);
  return found;
}

/// True if a rule about C++ and CUDA sources is about the name.
bool PrintNative(const std::string& name, Language language) {
  const std::vector<const NativeRule*> rules = NativeRulesAbout(name);
  for (const NativeRule* rule : rules) PrintOut(NativeRuleText(*rule, name, language));
  return !rules.empty();
}

/// Says what becomes of a name, by migrating a program that uses it.
int Query(const QueryArguments& arguments, Language language) {
  const std::string& name = arguments.name;
  if (!IsName(name)) {
    return Complain(Say("give one name, for example torch.cuda.synchronize or CUDA_VISIBLE_DEVICES",
                        "请给出一个名称, 例如 torch.cuda.synchronize 或 CUDA_VISIBLE_DEVICES"),
                    language);
  }
  Framework framework = Framework::kPytorch;
  for (Framework other : {Framework::kMindspore, Framework::kTensorflow}) {
    if (name.starts_with(PackageOf(other))) framework = other;
  }
  Result<RuleSet> rules = LoadRules({}, true,
                                    {.target = arguments.target,
                                     .framework = framework,
                                     .torch_version = arguments.torch_version,
                                     .torch_npu = arguments.torch_npu});
  if (!rules) return Complain(rules.error(), language);
  const bool is_cxx_only = name.find_first_of(":/") != std::string::npos || name.ends_with(".h");
  const size_t dot = name.find('.');
  const std::string program = is_cxx_only ? ""
                              : dot == std::string::npos
                                  ? fmt::format("import os\nos.environ[\"{}\"]\n", name)
                                  : fmt::format("import {}\nx = {}\n", name.substr(0, dot), name);
  bool is_known = false;
  FileMigrationOptions options;
  options.framework = framework;
  options.insert_npu_import = framework == Framework::kPytorch;
  for (const ChangeRecord& record :
       MigrateText("query.py", program, Engine(*rules), options).records) {
    if (record.start_line != 2 || record.operation == Operation::kInsert) continue;
    is_known = true;
    PrintOut(record.after.empty() ? fmt::format("{}\n", name)
                                  : fmt::format("{} -> {}\n", record.before, record.after));
    PrintOut(fmt::format("  {}\n", record.message.In(language)));
    for (const LoadedRule& loaded : rules->rules()) {
      const RuleHeader& header = loaded.rule->header();
      if (header.id != record.rule_id) continue;
      PrintOut(fmt::format("  {}: {}\n", header.id, header.why.In(language)));
    }
  }
  const bool is_native = arguments.target == "npu" && PrintNative(name, language);
  if (!is_known && !is_native) {
    PrintOut(
        Say("{}: no rule is about it; it stays as it is\n", "{}: 没有相关规则; 保持原样\n", name)
            .In(language));
  }
  return kExitDone;
}

Json ArgumentJson(const EntryArgument& argument) {
  return {{"name", argument.name},
          {"aliases", argument.aliases},
          {"dest", argument.dest},
          {"required", argument.required},
          {"positional", argument.positional},
          {"takes_value", argument.takes_value},
          {"default", argument.default_value},
          {"choices", argument.choices},
          {"help", argument.help},
          {"role", NameOf(argument.role)},
          {"place", argument.place}};
}

Json EntryJson(const EntryPoint& entry) {
  Json arguments = Json::array();
  for (const EntryArgument& argument : entry.arguments) arguments.push_back(ArgumentJson(argument));
  Json evidence = Json::array();
  for (const Evidence& shown : entry.evidence) {
    evidence.push_back({{"place", shown.place}, {"reason", shown.reason.en}});
  }
  return {{"path", entry.path},
          {"module", entry.module},
          {"command", entry.command},
          {"working_folder", entry.working_folder},
          {"python_path", entry.python_path},
          {"trains", entry.trains},
          {"certain", entry.is_certain},
          {"framework", entry.framework ? NameOf(*entry.framework) : ""},
          {"start", NameOf(entry.start)},
          {"start_option", entry.start_option},
          {"arguments", arguments},
          {"takes_overrides", entry.takes_overrides},
          {"has_unlisted_options", entry.has_unlisted_options},
          {"example", entry.example},
          {"example_arguments", entry.example_arguments},
          {"example_place", entry.example_place},
          {"evidence", evidence}};
}

void PrintProgramsJson(const EntryPoints& found) {
  Json candidates = Json::array();
  for (const EntryPoint& entry : found.candidates) candidates.push_back(EntryJson(entry));
  Json chosen = nullptr;
  if (found.chosen) chosen = *found.chosen;
  const Json json = {{"chosen", chosen},
                     {"why", found.why.en},
                     {"candidates", candidates},
                     {"notebooks", found.notebooks}};
  PrintOut(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void PrintEntry(const EntryPoint& entry, bool is_chosen, Language language) {
  std::string how = OneLine(entry.path);
  if (!entry.module.empty()) how += fmt::format("  (python -m {})", OneLine(entry.module));
  if (!entry.command.empty()) how += fmt::format("  ({})", OneLine(entry.command));
  PrintOut(fmt::format("{} {}\n", is_chosen ? "*" : "-", how));
  const auto row = [language](const Text& title, const std::string& value) {
    if (!value.empty()) PrintOut(fmt::format("    {}: {}\n", title.In(language), OneLine(value)));
  };
  row(Say("start", "启动方式"), fmt::format("{} {}", NameOf(entry.start), entry.start_option));
  row(Say("folder", "工作目录"), entry.working_folder);
  std::vector<std::string> paths;
  for (const std::string& path : entry.python_path) paths.push_back(path.empty() ? "." : path);
  row(Say("PYTHONPATH", "PYTHONPATH"), fmt::format("{}", fmt::join(paths, ":")));
  std::vector<std::string> required;
  std::vector<std::string> roles;
  for (const EntryArgument& argument : entry.arguments) {
    if (argument.required) required.push_back(argument.name);
    if (argument.role == ArgumentRole::kOther) continue;
    roles.push_back(fmt::format("{}={}", NameOf(argument.role), argument.name));
  }
  row(Say("arguments", "参数"), fmt::format("{}", entry.arguments.size()));
  row(Say("required", "必需参数"), fmt::format("{}", fmt::join(required, " ")));
  row(Say("meaning", "参数含义"), fmt::format("{}", fmt::join(roles, " ")));
  row(Say("example", "示例"), fmt::format("{}", fmt::join(entry.example, " ")));
  for (const Evidence& shown : entry.evidence) {
    PrintOut(fmt::format("    {}: {}\n", shown.place, shown.reason.In(language)));
  }
}

void PrintPrograms(const EntryPoints& found, Language language) {
  std::vector<std::string> others;
  for (size_t i = 0; i < found.candidates.size(); ++i) {
    const EntryPoint& entry = found.candidates[i];
    if (entry.trains) {
      PrintEntry(entry, found.chosen == i, language);
    } else {
      others.push_back(OneLine(entry.path));
    }
  }
  if (!others.empty()) {
    PrintOut(Say("programs that do not train ({}): {}\n", "不进行训练的程序（{} 个）：{}\n",
                 others.size(), fmt::format("{}", fmt::join(others, ", ")))
                 .In(language));
  }
}

/// What keeps an entry from being named, for a person.
void PrintVerdict(const EntryPoints& found, Language language) {
  if (found.chosen) {
    PrintErr(Say("{}: {}\n", "{}：{}\n", OneLine(found.candidates[*found.chosen].path),
                 found.why.In(language))
                 .In(language));
    return;
  }
  PrintErr(Say("no entry point is chosen: {}\n", "未选定入口：{}\n", found.why.In(language))
               .In(language));
  const bool trains = std::any_of(found.candidates.begin(), found.candidates.end(),
                                  [](const EntryPoint& entry) { return entry.trains; });
  if (trains || found.notebooks.empty()) return;
  PrintErr(Say("there are {} notebooks; `jupyter nbconvert --to script {}` makes a program of "
               "one\n",
               "有 {} 个 notebook；可用 `jupyter nbconvert --to script {}` 转换为程序\n",
               found.notebooks.size(), OneLine(found.notebooks.front()))
               .In(language));
}

int QueryEntries(const QueryArguments& arguments, Language language) {
  const auto project = AnalyzedProject::Open(arguments.project);
  if (!project) return Complain(project.error(), language);
  const Result<EntryPoints> found = FindEntryPoints((*project)->programs());
  if (!found) return Complain(found.error(), language);
  if (arguments.format == "json") {
    PrintProgramsJson(*found);
  } else {
    PrintPrograms(*found, language);
  }
  PrintVerdict(*found, language);
  for (const std::string& path : (*project)->unread()) {
    PrintErr(Say("transplt: {}: cannot be read\n", "transplt: {}：无法读取\n", OneLine(path))
                 .In(language));
  }
  return found->chosen && (*project)->unread().empty() ? kExitDone : kExitNeedsPerson;
}

int RunQuery(const QueryArguments& arguments, Language language) {
  return Query(arguments, language);
}

}  // namespace

void AddQueryCommand(CommandLine line) {
  auto arguments = std::make_shared<QueryArguments>();
  CLI::App* query = line.app.add_subcommand(
      "query", "what becomes of an API or a variable; or `query entries PROJECT`");
  query->add_option("NAME", arguments->name, "for example torch.cuda.synchronize");
  query->add_option("--torch-version", arguments->torch_version, "the version on the NPU machine");
  query->add_option("--torch-npu", arguments->torch_npu, "the release of torch_npu there")
      ->type_name("RELEASE");
  query->add_option("--target", arguments->target, "what is migrated to")
      ->check(CLI::IsMember(TargetNames()))
      ->capture_default_str();
  CLI::App* entries =
      query->add_subcommand("entries", "the programs of a project, and which of them trains");
  entries->add_option("PROJECT", arguments->project.input, "a file or a folder")->required();
  entries->add_option("--format", arguments->format, "how the result is printed to stdout")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  entries->add_option("--include", arguments->project.files.include, "look at these only")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  entries->add_option("--exclude", arguments->project.files.exclude, "do not look at these")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  entries->add_option("-j,--jobs", arguments->project.jobs, "threads; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  const auto is_entries = [entries] { return entries->parsed(); };
  query->callback([line, arguments, is_entries] {
    const bool wants_entries = is_entries();
    line.run = [line, arguments, wants_entries] {
      const Language language = ChooseLanguage(line.language);
      return wants_entries ? QueryEntries(*arguments, language) : RunQuery(*arguments, language);
    };
  });
}

}  // namespace transplt
