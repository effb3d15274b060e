// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>

#include "transplt/commands/commands.h"
#include "transplt/commands/rule_files.h"
#include "transplt/commands/terminal.h"
#include "transplt/engine/rule_schema.h"
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
    const RuleHeader& header = loaded.rule->header();
    if (header.id != id) continue;
    PrintOut(fmt::format("{}\n  {}\n  {}\n  {}\n", header.id, header.kind, header.origin,
                         header.why.In(language)));
    for (const RuleExample& example : loaded.examples) {
      if (example.before == example.after) {
        PrintOut("\n--- unchanged\n" + example.before);
      } else {
        PrintOut("\n--- before\n" + example.before + "--- after\n" + example.after);
      }
    }
    return kExitDone;
  }
  static const std::map<std::string, Text> kOwn = {
      {"import-torch-npu", Say("not a rule: the import that the fixes of the file need",
                               "不是规则: 文件的修改所需的导入")},
      {"file-type",
       Say("not a rule: a file that is copied and not migrated", "不是规则: 只复制、不迁移的文件")},
      {"syntax",
       Say("not a rule: a part that is not valid Python", "不是规则: 不是合法 Python 的部分")},
      {"suppression",
       Say("no rule: a comment `# transplt: ignore` that covers nothing or is not understood",
           "不是规则: 未起作用或无法识别的 `# transplt: ignore` 注释")},
      {"file",
       Say("not a rule: a file that was skipped or failed", "不是规则: 被跳过或失败的文件")}};
  if (auto own = kOwn.find(id); own != kOwn.end()) {
    PrintOut(id + "\n  " + own->second.In(language) + "\n");
    return kExitDone;
  }
  return Complain(Say("there is no rule {}; `transplt rule list` shows all",
                      "没有规则 {}; `transplt rule list` 可列出全部规则", id),
                  language);
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
}

/// Says what becomes of a name, by migrating a program that uses it.
int Query(const std::string& name, const std::string& torch_version, Language language) {
  if (!IsName(name)) {
    return Complain(Say("give one name, for example torch.cuda.synchronize or CUDA_VISIBLE_DEVICES",
                        "请给出一个名称, 例如 torch.cuda.synchronize 或 CUDA_VISIBLE_DEVICES"),
                    language);
  }
  Result<RuleSet> rules = LoadRules({}, true, torch_version);
  if (!rules) return Complain(rules.error(), language);
  const size_t dot = name.find('.');
  const std::string program = dot == std::string::npos
                                  ? fmt::format("import os\nos.environ[\"{}\"]\n", name)
                                  : fmt::format("import {}\nx = {}\n", name.substr(0, dot), name);
  bool is_known = false;
  for (const ChangeRecord& record : MigrateText("query.py", program, *rules, {}).records) {
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
  if (!is_known) {
    PrintOut(
        Say("{}: no rule is about it; it stays as it is\n", "{}: 没有相关规则; 保持原样\n", name)
            .In(language));
  }
  return kExitDone;
}

/// Runs the examples of the rules in the files, or of the built-in ones.
int Test(const std::vector<std::string>& paths, const std::string& torch_version,
         Language language) {
  Result<std::vector<RuleFile>> files = ReadRuleFiles(paths);
  if (!files) return Complain(files.error(), language);
  const bool builtin = paths.empty();
  const auto load = [&](const std::vector<std::string>& features) {
    return LoadRules(*files, builtin, torch_version, features);
  };
  // The rules of an option are tested with that option alone.
  std::vector<std::string> optional;
  for (const Feature& feature : KnownFeatures()) {
    if (!feature.what.empty()) optional.emplace_back(feature.name);
  }
  Result<RuleSet> all = load(optional);
  if (!all) return Complain(all.error(), language);
  size_t passed = 0;
  size_t failed = 0;
  std::map<std::vector<std::string>, RuleSet> loaded_rules;
  for (const LoadedRule& loaded : all->rules()) {
    const std::vector<std::string> features =
        loaded.IsOptional() ? loaded.features : std::vector<std::string>();
    if (!loaded_rules.contains(features)) loaded_rules.emplace(features, *load(features));
    const RuleSet& rules = loaded_rules.at(features);
    for (const RuleExample& example : loaded.examples) {
      FileMigrationOptions options;
      options.insert_npu_import = builtin;
      const TextMigration result = MigrateText("example.py", example.before, rules, options);
      if (result.text == example.after) {
        ++passed;
        continue;
      }
      ++failed;
      PrintOut(fmt::format("{}: {}\n--- expected\n{}--- got\n{}", loaded.rule->header().origin,
                           loaded.rule->id(), example.after, result.text));
    }
  }
  PrintErr(Say("{} examples passed, {} failed\n", "{} 个示例通过, {} 个失败\n", passed, failed)
               .In(language));
  return failed == 0 ? kExitDone : kExitNeedsPerson;
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
std::string Cell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell.push_back('\\');
    cell.push_back(c == '\n' ? ' ' : c);
  }
  return cell;
}

/// "drop_last" as the command line spells it.
std::string OptionOf(std::string_view feature) {
  std::string option(feature);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

/// rules/README.md: the kinds with their fields, and all built-in rules.
int Reference(Language language) {
  Result<RuleSet> rules = LoadAll({});
  if (!rules) return Complain(rules.error(), language);
  PrintOut("# Rules\n\nPrinted by `transplt rule reference`; do not edit.\n\n## Kinds\n");
  for (const RuleKind& kind : RuleKinds()) {
    PrintOut(
        fmt::format("\n### {}\n\n{}\n\n| field | type | needed | meaning |\n|---|---|---|---|\n",
                    kind.name, kind.description));
    for (const FieldSpec& field : kind.fields) {
      PrintOut(fmt::format("| `{}` | {} | {} | {} |\n", field.name, TypeName(field.type),
                           field.required ? "yes" : "no", Cell(field.description)));
    }
  }
  PrintOut("\n## Options of `--enable`\n\n| option | what it does |\n|---|---|\n");
  for (const Feature& feature : KnownFeatures()) {
    if (feature.what.empty()) continue;
    PrintOut(fmt::format("| `{}` | {} |\n", OptionOf(feature.name), Cell(feature.what)));
  }
  PrintOut("\n## Built-in rules\n\n| rule | kind | why | 说明 |\n|---|---|---|---|\n");
  for (const LoadedRule& loaded : rules->rules()) {
    const RuleHeader& header = loaded.rule->header();
    const std::string option =
        loaded.IsOptional() ? "`" + OptionOf(loaded.features.front()) + "`: " : "";
    PrintOut(fmt::format("| `{}` | {} | {}{} | {}{} |\n", header.id, header.kind, option,
                         Cell(header.why.en), option, Cell(header.why.zh)));
  }
  return kExitDone;
}

}  // namespace

void AddRuleCommand(CommandLine line) {
  struct Arguments {
    std::vector<std::string> rules;
    std::string id;
    std::string torch_version{kNewestTorch};
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app = line.app.add_subcommand("rule", "list, show and test the rules");
  app->require_subcommand(1);
  CLI::App* list = app->add_subcommand("list", "one line per rule");
  CLI::App* show = app->add_subcommand("show", "one rule with its examples");
  CLI::App* test =
      app->add_subcommand("test", "run the examples of your rules, or of the built-in");
  CLI::App* schema = app->add_subcommand("schema", "print the JSON Schema of rule files");
  CLI::App* reference = app->add_subcommand("reference", "print all kinds and rules as Markdown");
  for (CLI::App* command : {list, show}) {
    command->add_option("-r,--rule", arguments->rules, "a JSON file of your own rules")
        ->type_name("FILE")
        ->allow_extra_args(false);
  }
  show->add_option("ID", arguments->id, "the rule")->required();
  test->add_option("FILE", arguments->rules, "JSON files of your own rules");
  test->add_option("--torch-version", arguments->torch_version, "the version on the NPU machine");
  CLI::App* explain = line.app.add_subcommand("explain", "one rule, by the id that reports give");
  explain->add_option("ID", arguments->id, "the rule")->required();
  CLI::App* query = line.app.add_subcommand("query", "what becomes of an API or a variable");
  query->add_option("NAME", arguments->id, "for example torch.cuda.synchronize")->required();
  query->add_option("--torch-version", arguments->torch_version, "the version on the NPU machine");
  auto on = [line](CLI::App* command, const std::function<int(Language)>& action) {
    command->callback([line, action] {
      line.run = [line, action] { return action(ChooseLanguage(line.language)); };
    });
  };
  on(list, [arguments](Language language) { return List(arguments->rules, language); });
  on(show,
     [arguments](Language language) { return Show(arguments->rules, arguments->id, language); });
  on(explain, [arguments](Language language) { return Show({}, arguments->id, language); });
  on(query, [arguments](Language language) {
    return Query(arguments->id, arguments->torch_version, language);
  });
  on(test, [arguments](Language language) {
    return Test(arguments->rules, arguments->torch_version, language);
  });
  on(reference, [](Language language) { return Reference(language); });
  on(schema, [](Language) {
    PrintOut(RuleSchema(RuleKinds()));
    return static_cast<int>(kExitDone);
  });
}

}  // namespace transplt
