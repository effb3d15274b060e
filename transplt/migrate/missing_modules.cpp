// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/missing_modules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/migrate/linked_paths.h"
#include "transplt/migrate/module_places.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

Text MessageOf(const MissingModule& missing) {
  return Say(
      "{}: the project has the package around this module, and not the module, so that what it "
      "brings was not looked at: it is a submodule, or is generated, or was not copied",
      "{}: 项目中有其所在的包, 但没有该模块, 因此未检查其内容: 可能来自子模块, 由工具生成, "
      "或未被复制",
      missing.name);
}

ChangeRecord RowAtImport(const std::string& file, const MissingModule& missing) {
  ChangeRecord row;
  row.file = file;
  row.start_line = row.end_line = missing.line;
  row.column = missing.column;
  row.operation = Operation::kSuggestion;
  row.applicability = Applicability::kDisplayOnly;
  row.severity = missing.runs_later ? Severity::kStopsRun : Severity::kStopsImport;
  row.before = missing.name;
  row.source_line = missing.source_line;
  return row;
}

ChangeRecord MissingModuleRow(const std::string& file, const MissingModule& missing) {
  ChangeRecord row = RowAtImport(file, missing);
  row.rule_id = row.cause = kMissingModule;
  row.message = MessageOf(missing);
  return row;
}

ChangeRecord UnbuiltModuleRow(const std::string& file, const MissingModule& missing,
                              const ChangeRecord& record) {
  ChangeRecord row = RowAtImport(file, missing);
  row.rule_id = row.cause = kCythonCimport;
  row.message =
      Say("{}: Cython makes this module of {}, which it does not build as it stands "
          "(line {} there): before that is mended its import fails",
          "{}: 该模块由 Cython 从 {} 构建, 而该文件目前无法构建 (第 {} 行): "
          "修正之前导入会失败",
          missing.name, record.file, record.start_line);
  return row;
}

class MissingModuleFinder {
 public:
  explicit MissingModuleFinder(const MissingModuleSources& sources)
      : sources_(sources), places_(sources.project) {
    for (const ProjectEntry& entry : sources.project.entries) {
      if (entry.kind == ProjectEntry::Kind::kLink) links_.insert(entry.path);
      if (entry.path.ends_with(".proto")) protos_.insert(NameOfFile(WithoutEndings(entry.path)));
    }
    for (const LoadedRule& rule : sources.rules.rules()) {
      for (const Trigger& trigger : rule.rule->triggers()) {
        if (trigger.kind == NodeKind::kImportStatement) libraries_.emplace(FirstPart(trigger.name));
      }
    }
  }

  bool IsThere(const std::string& file, const MissingModule& missing) const {
    if (places_.Has(missing.path) || IsKnownElsewhere(missing)) return true;
    if (IsOfLibrary(file, missing) || FindsModulesItself(missing)) return true;
    if (IsAskedFor(missing.name) || IsMadeByProtoc(missing) || IsBehindLink(missing)) return true;
    std::string qualified = missing.path;
    std::ranges::replace(qualified, '/', '.');
    const ProjectModules& modules = sources_.modules;
    return modules.FindExtension(qualified) != nullptr || modules.IsMadeByExtension(qualified) ||
           IsWrittenBySetup(missing);
  }

 private:
  /// Another folder of the path may be meant: "nerf/dataset" is in "nerf/nerf/dataset.py".
  bool IsKnownElsewhere(const MissingModule& missing) const {
    return !missing.name.starts_with('.') && !places_.Of(missing.name).empty();
  }

  /// `from paddle.nn import x` in paddle/train.py: a folder that is called as a library, which is
  /// meant here.
  bool IsOfLibrary(const std::string& file, const MissingModule& missing) const {
    const std::string_view name = missing.name;
    const size_t dot = name.find('.');
    if (dot == 0) return false;
    // `import triton.language` beside a package of that name within one of the project.
    if (libraries_.contains(name.substr(0, dot)) && IsInPackage(missing)) return true;
    if (!sources_.modules.IsOwn(file, name.substr(0, dot))) return true;
    const std::string folder = std::string(name.substr(0, dot)) + "/";
    return name.find('.', dot + 1) == name.npos &&
           (file.starts_with(folder) || HasPart(file, "/" + folder));
  }

  /// True if the package that the import would mean lies in another one.
  bool IsInPackage(const MissingModule& missing) const {
    std::string package = "/" + std::string(missing.name);
    std::ranges::replace(package, '.', '/');
    if (!missing.path.ends_with(package)) return false;
    const std::string outer = missing.path.substr(0, missing.path.size() - package.size());
    return places_.Has(outer + "/__init__");
  }

  /// True for `app.extras.fast` where the project asks for app-extras-fast: a package may have
  /// parts in several distributions.
  bool IsAskedFor(const std::string& name) const {
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      const std::string part = name.substr(0, name.find('.', dot + 1));
      if (std::ranges::any_of(sources_.pins,
                              [&](const Pin& pin) { return NamesPackage(pin.package, part); })) {
        return true;
      }
    }
    return false;
  }

  /// True if a folder of the path is a link that leads to the module.
  bool IsBehindLink(const MissingModule& missing) const {
    std::string_view folder = FolderOf(missing.path);
    while (!folder.empty() && !links_.contains(folder)) folder = FolderOf(folder);
    if (folder.empty()) return false;
    const std::string path = sources_.project.root + "/" + missing.path;
    std::error_code error;
    return std::filesystem::exists(path, error) || std::filesystem::exists(path + ".py", error);
  }

  /// `dht_pb2` of a project that has dht.proto: messages, and nothing for a device.
  bool IsMadeByProtoc(const MissingModule& missing) const {
    const std::string_view name = NameOfFile(missing.path);
    return std::ranges::any_of(
        Words("endings-of-generated-modules").words(), [&](std::string_view ending) {
          return name.ends_with(ending) &&
                 protos_.contains(name.substr(0, name.size() - ending.size()));
        });
  }

  /// A package that sets where its modules are looked for.
  bool FindsModulesItself(const MissingModule& missing) const {
    const std::string package = std::string(FolderOf(missing.path)) + "/__init__.py";
    return std::ranges::any_of(std::array{"__path__", "meta_path"}, [&](const char* word) {
      return IsOneOf(package, sources_.index.FilesSpelling(word));
    });
  }

  /// version.py, which setup.py writes.
  bool IsWrittenBySetup(const MissingModule& missing) const {
    return std::ranges::any_of(
        sources_.index.FilesSpelling(NameOfFile(missing.path)),
        [](const std::string& path) { return NameOfFile(path) == "setup.py"; });
  }

  const MissingModuleSources& sources_;
  const ModulePlaces places_;
  std::set<std::string, std::less<>> libraries_;  // that rules know
  std::set<std::string_view> links_;              // to places in the project
  std::set<std::string_view> protos_;             // files of protobuf, by name
};

}  // namespace

std::vector<ChangeRecord> MissingModules(const MissingModuleSources& sources) {
  const ProgramCode& code = sources.code;
  const bool any =
      std::ranges::any_of(code.files, [](const FileUnits& file) { return !file.missing.empty(); });
  if (!any) return {};
  const MissingModuleFinder finder(sources);
  const LinkedPaths links(sources.project);
  std::vector<ChangeRecord> rows;
  for (size_t i = 0; i < code.paths.size(); ++i) {
    for (const MissingModule& missing : code.files[i].missing) {
      if (!finder.IsThere(code.paths[i], missing)) {
        rows.push_back(MissingModuleRow(code.paths[i], missing));
        TellLink(links.PlaceOf(missing.path), rows.back());
      }
    }
  }
  return rows;
}

std::vector<ChangeRecord> UnbuiltModules(const ProgramCode& code,
                                         const std::vector<ChangeRecord>& records) {
  std::map<std::string_view, const ChangeRecord*> unbuilt;  // by the path of the module
  for (const ChangeRecord& record : records) {
    const bool is_source = record.rule_id == kCythonCimport && record.file.ends_with(".pyx");
    if (is_source) unbuilt.emplace(WithoutEndings(record.file), &record);
  }
  std::vector<ChangeRecord> rows;
  if (unbuilt.empty()) return rows;
  for (size_t i = 0; i < code.paths.size(); ++i) {
    for (const MissingModule& missing : code.files[i].missing) {
      const auto source = unbuilt.find(missing.path);
      if (source == unbuilt.end()) continue;
      rows.push_back(UnbuiltModuleRow(code.paths[i], missing, *source->second));
    }
  }
  return rows;
}

}  // namespace transplt
