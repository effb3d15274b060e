// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "transplt/base/plain_text.h"
#include "transplt/commands/commands.h"
#include "transplt/commands/native_rule_text.h"
#include "transplt/commands/place_explanation.h"
#include "transplt/commands/rule_files.h"
#include "transplt/commands/rule_pages.h"
#include "transplt/commands/terminal.h"
#include "transplt/engine/engine.h"
#include "transplt/engine/rule_schema.h"
#include "transplt/engine/target.h"
#include "transplt/migrate/migration.h"
#include "transplt/rule_kinds/builtin_rules.h"
#include "transplt/rule_kinds/rule_kinds.h"

namespace transplt {
namespace {

/// Built-in and user rules of every torch version and feature.
Result<RuleSet> LoadAll(const std::vector<std::string>& paths) {
  Result<std::vector<RuleFile>> files = ReadRuleFiles(paths);
  if (!files) return files.error();
  for (RuleFile& file : BuiltinRuleFiles()) files->push_back(std::move(file));
  RuleSelection selection;
  selection.include_inactive = true;
  return RuleSet::Load(*files, selection, RuleKinds());
}

int List(const std::vector<std::string>& paths, Language language) {
  Result<RuleSet> rules = LoadAll(paths);
  if (!rules) return Complain(rules.error(), language);
  for (const LoadedRule& loaded : rules->rules()) {
    const RuleHeader& header = loaded.rule->header();
    PrintOut(fmt::format("{:<22} {:<52} {}\n", header.kind, header.id, header.why.In(language)));
  }
  return kExitDone;
}

int Show(const std::vector<std::string>& paths, const std::string& id, Language language) {
  Result<RuleSet> rules = LoadAll(paths);
  if (!rules) return Complain(rules.error(), language);
  for (const LoadedRule& loaded : rules->rules()) {
    if (loaded.rule->id() != id) continue;
    PrintOut(RuleSection(loaded, language));
    return kExitDone;
  }
  if (const NativeRule* rule = NativeRules::Builtin().Find(id); rule != nullptr) {
    PrintOut(NativeRuleSection(*rule, language));
    return kExitDone;
  }
  if (const auto own = OwnIds().find(id); own != OwnIds().end()) {
    PrintOut(
        fmt::format("{}\n  {}\n", id,
                    Say("not a rule: {}", "不是规则: {}", own->second.In(language)).In(language)));
    return kExitDone;
  }
  return Complain(
      Say("there is no rule {}; `transplt rule list` shows all, with -r FILE also "
          "your own",
          "没有规则 {}; `transplt rule list` 可列出全部规则, 加 -r FILE 则包括自定义规则", id),
      language);
}

/// The id of a rule of a user begins with its file, "rules.json#/rules/...", unless it has an id of
/// its own.
int Explain(std::vector<std::string> paths, const std::string& id, Language language) {
  const std::string file = id.substr(0, id.find("#/"));
  std::error_code ignored;  // what cannot be asked for is no file
  if (paths.empty() && file != id && std::filesystem::is_regular_file(file, ignored)) {
    paths.push_back(file);
  }
  return Show(paths, id, language);
}

struct TestCount {
  size_t passed = 0;
  size_t failed = 0;
};

/// Runs the examples of the rules that are tested with `feature`: those of an option with that
/// option alone, all others with "normal".
void TestExamples(const RuleSet& rules, bool builtin, Framework framework,
                  const std::string& feature, TestCount& count) {
  FileMigrationOptions options;
  options.framework = framework;
  options.insert_npu_import = builtin && framework == Framework::kPytorch;
  const Engine engine(rules);
  for (const LoadedRule& loaded : rules.rules()) {
    if ((loaded.IsOptional() ? loaded.notes.features.front() : "normal") != feature) continue;
    for (const RuleExample& example : loaded.examples) {
      const TextMigration result = MigrateText("example.py", example.before, engine, options);
      if (result.text == example.after) {
        ++count.passed;
        continue;
      }
      ++count.failed;
      PrintOut(fmt::format("{}: {}\n--- expected\n{}--- got\n{}", loaded.rule->header().origin,
                           loaded.rule->id(), example.after, result.text));
    }
  }
}

/// Runs the examples of the rules in the files, or of the built-in ones.
int Test(const std::vector<std::string>& paths, RuleSelection selection, Language language) {
  Result<std::vector<RuleFile>> files = ReadRuleFiles(paths);
  if (!files) return Complain(files.error(), language);
  const bool builtin = paths.empty();
  TestCount count;
  std::vector<std::string> features = {"normal"};
  for (const Feature& feature : KnownFeatures()) {
    if (!feature.what.empty()) features.emplace_back(feature.name);
  }
  for (Framework framework : kFrameworks) {
    for (const std::string& feature : features) {
      selection.framework = framework;
      selection.features = {"normal", feature};
      const Result<RuleSet> rules =
          RuleSet::Load(builtin ? BuiltinRuleFiles(framework, selection.tensorflow) : *files,
                        selection, RuleKinds());
      if (!rules) return Complain(rules.error(), language);
      TestExamples(*rules, builtin, framework, feature, count);
    }
    if (!builtin) break;  // the user's rules are the same for all
  }
  PrintErr(Say("{} examples passed, {} failed\n", "{} 个示例通过, {} 个失败\n", count.passed,
               count.failed)
               .In(language));
  return count.failed == 0 ? kExitDone : kExitNeedsPerson;
}

std::string_view TypeName(FieldType type) {
  switch (type) {
    case FieldType::kInteger:
      return "integer";
    case FieldType::kBoolean:
      return "boolean";
    case FieldType::kStringList:
      return "list of strings";
    case FieldType::kRegexList:
      return "list of regular expressions";
    case FieldType::kChoice:
      return "choice";
    default:
      return "string";
  }
}

/// Text for a cell of a Markdown table.
/// "drop_last" as the command line spells it.
std::string OptionOf(std::string_view feature) {
  std::string option(feature);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

/// rules/README.md: the kinds with their fields.
int Reference() {
  PrintOut("# Rules\n\nPrinted by `transplt rule reference`; do not edit.\n\n## Kinds\n");
  for (const RuleKind& kind : RuleKinds()) {
    PrintOut(
        fmt::format("\n### {}\n\n{}\n\n| field | type | needed | meaning |\n|---|---|---|---|\n",
                    kind.name, kind.description));
    for (const FieldSpec& field : kind.fields) {
      PrintOut(fmt::format("| `{}` | {} | {} | {} |\n", field.name, TypeName(field.type),
                           field.required ? "yes" : "no", MarkdownCell(field.description)));
    }
  }
  PrintOut("\n## Options of `--enable`\n\n| option | what it does |\n|---|---|\n");
  for (const Feature& feature : KnownFeatures()) {
    if (feature.what.empty()) continue;
    PrintOut(fmt::format("| `{}` | {} |\n", OptionOf(feature.name), MarkdownCell(feature.what)));
  }
  PrintOut(
      "\nThe built-in rules: [docs/rules/en](../docs/rules/en/README.md), "
      "[docs/rules/zh](../docs/rules/zh/README.md).\n");
  return kExitDone;
}

/// Writes the pages about the built-in rules into OUT/en and OUT/zh.
int Pages(const std::string& folder, Language language) {
  Result<RuleSet> rules = LoadAll({});
  if (!rules) return Complain(rules.error(), language);
  for (const auto& [name, of] : {std::pair("en", Language::kEnglish), {"zh", Language::kChinese}}) {
    const std::filesystem::path place = std::filesystem::path(folder) / name;
    std::error_code error;
    std::filesystem::create_directories(place, error);
    if (error) {
      return Complain(
          Say("{}: cannot be created: {}", "{}: 无法创建: {}", place.string(), error.message()),
          language);
    }
    const std::map<std::string, std::string> pages = RulePages(*rules, of);
    for (const auto& [file, text] : pages) {
      const std::filesystem::path temporary = place / (file + ".part");
      std::ofstream(temporary, std::ios::binary) << text;
      std::filesystem::rename(temporary, place / file, error);
      if (error) {
        return Complain(Say("{}: cannot be written: {}", "{}: 无法写入: {}",
                            (place / file).string(), error.message()),
                        language);
      }
    }
  }
  return kExitDone;
}

}  // namespace

void AddRuleCommand(CommandLine line) {
  struct Arguments {
    std::vector<std::string> rules;
    std::string id;
    std::string project;
    std::string torch_version;
    std::string torch_npu;
    std::string target = DefaultTarget().name;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app = line.app.add_subcommand("rule", "list, show and test the rules");
  app->require_subcommand(1);
  CLI::App* list = app->add_subcommand("list", "one line per rule");
  CLI::App* show = app->add_subcommand("show", "one rule with its examples");
  CLI::App* test =
      app->add_subcommand("test", "run the examples of your rules, or of the built-in");
  CLI::App* schema = app->add_subcommand("schema", "print the JSON Schema of rule files");
  CLI::App* reference = app->add_subcommand("reference", "print all kinds as Markdown");
  CLI::App* pages =
      app->add_subcommand("pages", "write a page per file of rules to OUT/en and OUT/zh");
  pages->add_option("OUT", arguments->id, "the folder")->required();
  CLI::App* explain = line.app.add_subcommand(
      "explain", "one rule, by the id that reports give; or what a text in a program is for");
  for (CLI::App* command : {list, show, explain}) {
    command->add_option("-r,--rule", arguments->rules, "a JSON file of your own rules")
        ->type_name("FILE")
        ->allow_extra_args(false);
  }
  show->add_option("ID", arguments->id, "the rule")->required();
  test->add_option("FILE", arguments->rules, "JSON files of your own rules");
  test->add_option("--torch-version", arguments->torch_version, "the version on the NPU machine");
  test->add_option("--torch-npu", arguments->torch_npu, "the release of torch_npu there")
      ->type_name("RELEASE");
  explain->add_option("ID", arguments->id, "the rule, or FILE:LINE:COLUMN")->required();
  explain->add_option("--project", arguments->project,
                      "the folder of the project; without it that of the version control system");
  test->add_option("--target", arguments->target, "what is migrated to")
      ->check(CLI::IsMember(TargetNames()))
      ->capture_default_str();
  auto on = [line](CLI::App* command, const std::function<int(Language)>& action) {
    command->callback([line, action] {
      line.run = [line, action] { return action(ChooseLanguage(line.language)); };
    });
  };
  on(list, [arguments](Language language) { return List(arguments->rules, language); });
  on(show,
     [arguments](Language language) { return Show(arguments->rules, arguments->id, language); });
  on(explain, [arguments](Language language) {
    return IsPlace(arguments->id) ? ExplainPlace(arguments->id, arguments->project, language)
                                  : Explain(arguments->rules, arguments->id, language);
  });
  on(test, [arguments](Language language) {
    return Test(arguments->rules,
                {.target = arguments->target,
                 .torch_version = arguments->torch_version,
                 .torch_npu = arguments->torch_npu},
                language);
  });
  on(reference, [](Language) { return Reference(); });
  on(pages, [arguments](Language language) { return Pages(arguments->id, language); });
  on(schema, [](Language) {
    PrintOut(RuleSchema(RuleKinds()));
    return static_cast<int>(kExitDone);
  });
}

}  // namespace transplt
