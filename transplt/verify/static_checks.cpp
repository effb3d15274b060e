// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/static_checks.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "transplt/base/json_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/target.h"
#include "transplt/facts/imported_library.h"
#include "transplt/migrate/migration.h"
#include "transplt/project/child_process.h"
#include "transplt/python/project_index.h"
#include "transplt/verify/simulator_files.h"
#include "transplt/verify/verified_sources.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

/// What check_sources.py says about one file.
struct SourceCheck {
  struct Import {
    std::string module;
    uint32_t line;
    bool guarded;
  };
  std::optional<std::string> error;
  uint32_t error_line = 0;
  std::vector<Import> missing;
};
using SourceChecks = std::map<std::string, SourceCheck>;  // by path

SourceCheck CheckOf(const Json& file) {
  SourceCheck check;
  if (const Json& error = file.at("error"); !error.is_null()) {
    check.error = error.at("message").get<std::string>();
    check.error_line = error.at("line").get<uint32_t>();
  }
  for (const Json& import : file.at("imports")) {
    check.missing.push_back({import.at("module").get<std::string>(),
                             import.at("line").get<uint32_t>(), import.at("guarded").get<bool>()});
  }
  return check;
}

class Checks {
 public:
  Checks(const StaticCheckOptions& options, const NpuNames& names, PythonSources original,
         PythonSources migrated)
      : options_(options),
        names_(names),
        original_(std::move(original)),
        migrated_(std::move(migrated)) {}

  Result<std::vector<Check>> Run() {
    if (const Result<Done> done = AskPython(); !done) return done.error();
    std::vector<Check> checks;
    checks.push_back(Compiles());
    checks.push_back(NamesExist());
    checks.push_back(ImportsResolve());
    checks.push_back(Leftovers());
    return checks;
  }

 private:
  Result<Done> AskPython() {
    const std::string program = options_.work_folder + "/check_sources.py";
    const std::string request = options_.work_folder + "/sources";
    Write(program, CheckSourcesProgram());
    std::string fields;
    size_t number = 0;
    for (const PythonSources* project : {&original_, &migrated_}) {
      for (const PythonSource& source : project->sources) {
        std::string path = project->root + "/" + source.path;
        if (source.is_notebook) {
          path = options_.work_folder + "/cells" + std::to_string(number++) + ".py";
          Write(path, source.text);
        }
        for (const std::string& field : {project->root, source.path, path}) {
          fields += field + '\0';
        }
      }
    }
    Write(request, fields);
    Command command;
    command.arguments = {options_.python, program, request};
    if (!options_.simulator.empty()) command.arguments.push_back(options_.simulator);
    command.environment = {{"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONIOENCODING", "utf-8"}};
    command.out = request + ".json";
    command.err = request + ".err";
    const Result<ProcessEnd> end = RunCommand(command, nullptr);
    if (!end) return end.error();
    return ReadAnswer(command.out);
  }

  static void Write(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  Result<Done> ReadAnswer(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const Json answer = ParseJson(std::string{std::istreambuf_iterator<char>(file), {}});
    const size_t wanted = original_.sources.size() + migrated_.sources.size();
    if (!answer.is_object() || answer["files"].size() != wanted) {
      return Error{Error::Code::kUsage, options_.python,
                   Say("this program did not compile the files; is it Python 3.8 or newer?",
                       "该程序未能编译各文件; 它是 Python 3.8 或更新版本吗?")};
    }
    size_t i = 0;
    for (const PythonSource& source : original_.sources) {
      of_original_[source.path] = CheckOf(answer["files"][i++]);
    }
    for (const PythonSource& source : migrated_.sources) {
      of_migrated_[source.path] = CheckOf(answer["files"][i++]);
    }
    return Done();
  }

  /// A place in the text that was compiled as a person finds it.
  static CheckItem ItemAt(const PythonSource& source, uint32_t line, Text what) {
    CheckItem item{std::move(what), source.path, line};
    if (!source.is_notebook) return item;
    size_t offset = 0;
    for (uint32_t i = 1; i < line && offset != std::string::npos; ++i) {
      offset = source.text.find('\n', offset);
      if (offset != std::string::npos) ++offset;
    }
    if (line == 0 || offset == std::string::npos || source.text.empty()) return item;
    const Notebook::Place place = source.notebook->PlaceOf(static_cast<uint32_t>(offset));
    item.line = 0;
    item.what = {fmt::format("cell {}, line {}: {}", place.cell, place.line, item.what.en),
                 fmt::format("第 {} 单元第 {} 行: {}", place.cell, place.line, item.what.zh)};
    return item;
  }

  static std::string_view LineOf(std::string_view text, uint32_t line) {
    for (uint32_t i = 1; i < line; ++i) {
      const size_t end = text.find('\n');
      if (end == text.npos) return {};
      text.remove_prefix(end + 1);
    }
    return line == 0 ? std::string_view() : text.substr(0, text.find('\n'));
  }

  Check Compiles() const {
    Check check{"compile", Say("files compile", "文件可编译"), Check::State::kOk, {}};
    size_t compiled = 0;
    for (const PythonSource& source : migrated_.sources) {
      const SourceCheck& now = of_migrated_.at(source.path);
      if (!now.error) {
        ++compiled;
        continue;
      }
      const auto before = of_original_.find(source.path);
      const bool is_new = before == of_original_.end() || !before->second.error;
      CheckItem item = ItemAt(source, now.error_line,
                              is_new ? Say("does not compile: {}", "无法编译: {}", *now.error)
                                     : Say("does not compile, nor did the original: {}",
                                           "无法编译, 原文件亦然: {}", *now.error));
      if (HasPart(LineOf(source.text, now.error_line), "async")) {
        item.what.en +=
            " (`async` is a keyword since Python 3.7: as an argument of cuda(), to() and copy_(), "
            "write non_blocking in both projects)";
        item.what.zh +=
            " (`async` 自 Python 3.7 起为关键字: 作为 cuda()、to()、copy_() 的参数时, "
            "请在两个工程中改为 "
            "non_blocking)";
      }
      item.is_failure = is_new;
      check.Add(std::move(item));
    }
    for (const auto& [path, why] : migrated_.unreadable) {
      check.Add({{"not looked at: " + why.en, "未检查: " + why.zh}, path});
    }
    for (const PythonSource& source : original_.sources) {
      if (of_migrated_.contains(source.path)) continue;
      check.Add({Say("is not in the migrated project", "迁移后的工程中没有此文件"), source.path});
    }
    check.result = Say("{} of {}", "{} / {}", compiled,
                       migrated_.sources.size() + migrated_.unreadable.size());
    return check;
  }

  Check NamesExist() const {
    Check check{"names",
                Say("names of torch_npu {} exist", "torch_npu {} 的名称存在", names_.version()),
                Check::State::kOk,
                {}};
    std::vector<std::string> files;
    for (const PythonSource& source : migrated_.sources) {
      if (!source.is_notebook) files.push_back(source.path);
    }
    const ProjectIndex index(files,
                             [this](const std::string& path) { return migrated_.Read(path); });
    const ApiTable apis;
    Parser parser;
    std::set<std::string> names;
    for (const PythonSource& source : migrated_.sources) {
      if (source.text.find(DefaultTarget().device) == std::string::npos) continue;
      const Result<SourceFile> file = SourceFile::FromBytes(source.path, source.text);
      if (!file) continue;
      const SyntaxTree tree = SyntaxTree::Parse(*file, parser);
      std::set<std::pair<uint32_t, std::string>> told;
      for (const NpuNameUse& use : NpuNamesIn(FileContext(tree, apis, &index))) {
        names.insert(use.name);
        const uint32_t line = file->Locate(use.offset).line;
        if (!names_.Lacks(use.name) || !told.emplace(line, use.name).second) continue;
        CheckItem item = ItemAt(
            source, line,
            Say("torch_npu {} has no {}", "torch_npu {} 没有 {}", names_.version(), use.name));
        item.is_failure = true;
        check.Add(std::move(item));
      }
    }
    check.result = names.empty() ? Say("none is used", "未使用任何名称")
                                 : Say("{} used, {} missing", "使用 {} 个, 缺少 {} 处",
                                       names.size(), check.items.size());
    return check;
  }

  /// Modules that the original imports and Python does not find.
  std::set<std::string> MissedByOriginal() const {
    std::set<std::string> modules;
    for (const auto& [path, check] : of_original_) {
      for (const SourceCheck::Import& import : check.missing) modules.insert(import.module);
    }
    return modules;
  }

  /// True if the original has this file and it does not compile: what it imports is not known.
  bool OriginalIsUnread(const std::string& path) const {
    const auto original = of_original_.find(path);
    return original != of_original_.end() && original->second.error;
  }

  /// The imports of one package that neither project finds: an item for all of them.
  struct LackingPackage {
    CheckItem item;
    std::string module;
    size_t places = 0;

    Text What(const std::string& name) const {
      if (Words("packages-beside-torch-npu").Has(name)) {
        return Say("{} is not found here: the NPU machine needs the one for Ascend",
                   "此处找不到 {}: NPU 环境需要适配昇腾的版本", name);
      }
      return places == 1 ? Say("{} is not found here, for the original neither",
                               "此处找不到 {}, 原工程亦然", module)
                         : Say("{} and {} more imports of {} are not found here, for the original "
                               "neither",
                               "此处找不到 {} 及另外 {} 处对 {} 的导入, 原工程亦然", module,
                               places - 1, name);
    }
  };

  Check ImportsResolve() const {
    Check check{"imports", Say("imports resolve", "导入可解析"), Check::State::kOk, {}};
    const Target& target = DefaultTarget();
    const std::set<std::string> missed_by_original = MissedByOriginal();
    std::map<std::string, LackingPackage> lacking;
    size_t places = 0;
    for (const PythonSource& source : migrated_.sources) {
      for (const SourceCheck::Import& import : of_migrated_.at(source.path).missing) {
        const bool of_npu =
            IsInside(target.package, import.module) || IsInside(target.module, import.module);
        if (of_npu || import.guarded) continue;  // NamesExist() looks at the former
        ++places;
        const std::string name = import.module.substr(0, import.module.find('.'));
        if (missed_by_original.contains(import.module) || OriginalIsUnread(source.path) ||
            Words("packages-beside-torch-npu").Has(name)) {
          LackingPackage& package = lacking[name];
          if (package.places++ == 0) {
            package.item = ItemAt(source, import.line, Text());
            package.module = import.module;
          }
          continue;
        }
        CheckItem item = ItemAt(source, import.line,
                                Say("{} is not found, and the original does not import it",
                                    "找不到 {}, 且原工程并未导入它", import.module));
        item.is_failure = true;
        check.Add(std::move(item));
      }
    }
    for (auto& [name, package] : lacking) {
      package.item.what = package.What(name);
      check.Add(std::move(package.item));
    }
    check.result =
        places == 0 ? Say("all of them", "全部") : Say("all but {}", "除 {} 处之外全部", places);
    return check;
  }

  /// What a migration would still do in the migrated project.
  Check Leftovers() const {
    Check check{
        "left", Say("nothing is left to migrate", "没有遗留待迁移之处"), Check::State::kOk, {}};
    MigrationOptions migration;
    migration.input = options_.migrated;
    migration.torch_version = names_.version();
    const Result<MigrationResult> result = Migrate(migration);
    if (!result) {
      check.state = Check::State::kSkipped;
      check.result = result.error().what;
      return check;
    }
    size_t for_person = 0;
    for (const ChangeRecord& record : result->run.records) {
      const bool is_edit = record.applicability != Applicability::kDisplayOnly;
      const bool is_import = record.rule_id == "import-torch-npu";
      if (!is_edit || is_import) {
        for_person += is_import ? 0 : 1;
        continue;
      }
      CheckItem item{Say("`transplt migrate` would write {} for {}",
                         "`transplt migrate` 会将 {1} 改为 {0}", record.after, record.before),
                     record.file, record.start_line};
      item.is_failure = options_.leftovers_fail;
      check.Add(std::move(item));
    }
    check.result = Say("{} edits, {} things reported for a person",
                       "待修改 {} 处, 需人工确认 {} 处", check.items.size(), for_person);
    return check;
  }

  const StaticCheckOptions& options_;
  const NpuNames& names_;
  const PythonSources original_;
  const PythonSources migrated_;
  SourceChecks of_original_;
  SourceChecks of_migrated_;
};

}  // namespace

Result<std::vector<Check>> CheckStatically(const StaticCheckOptions& options,
                                           const NpuNames& names) {
  Result<PythonSources> original = ReadPythonSources(options.original);
  if (!original) return original.error();
  Result<PythonSources> migrated = ReadPythonSources(options.migrated);
  if (!migrated) return migrated.error();
  return Checks(options, names, *std::move(original), *std::move(migrated)).Run();
}

}  // namespace transplt
