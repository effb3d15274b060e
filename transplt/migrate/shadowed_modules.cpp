// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/shadowed_modules.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/version_range.h"
#include "transplt/engine/version_specifier.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/opened_files.h"
#include "transplt/python/places_of_file.h"

namespace transplt {
namespace {

constexpr std::string_view kShadowedModule = "shadowed-module";

class ShadowFinder {
 public:
  ShadowFinder(const ProjectPrograms& programs, const ProjectFiles& project,
               const ProjectIndex& index, const std::string& torch)
      : programs_(programs), index_(index), torch_(ParseVersion(torch)) {
    for (const ProjectEntry& entry : project.entries) NoteModule(entry.path);
  }

  std::vector<ChangeRecord> Find() {
    for (const EntryPoint& entry : programs_.entries.candidates) {
      // A command that installing the project makes starts from the folder of the commands.
      if (!entry.command.empty()) continue;
      const std::string first =
          entry.module.empty() ? std::string(FolderOf(entry.path)) : entry.working_folder;
      Look(first, entry);
      for (const std::string& folder : entry.python_path) Look(folder, entry);
    }
    std::vector<ChangeRecord> rows;
    for (auto& [place, row] : rows_) rows.push_back(std::move(row));
    return rows;
  }

 private:
  using Place = std::pair<std::string, uint32_t>;  // file, line

  /// "a/onnx" of a/onnx.py and of a/onnx/__init__.py: a folder without that comes after packages
  /// that are installed.
  void NoteModule(const std::string& path) {
    constexpr std::string_view kPackage = "/__init__.py";
    std::string_view module = path;
    if (module.ends_with(kPackage)) {
      module.remove_suffix(kPackage.size());
    } else if (module.ends_with(".py")) {
      module.remove_suffix(3);
    } else {
      return;
    }
    const WordList& names = Words("modules-that-torch-imports");
    if (names.Has(NameOfFile(module))) modules_[std::string(FolderOf(module))].emplace(path);
  }

  void Look(const std::string& folder, const EntryPoint& entry) {
    const auto found = modules_.find(folder);
    if (found == modules_.end()) return;
    for (const std::string& path : found->second) {
      const bool is_package = NameOfFile(path) == "__init__.py";
      const std::string_view module = is_package ? FolderOf(path) : path;
      const std::string_view name = NameOfFile(module).substr(0, NameOfFile(module).find('.'));
      const std::string_view api = ApiThatImports(name);
      if (api.empty()) continue;
      if (api == PackageOf(Framework::kPytorch)) {
        if (UsesTorch(entry)) Add(StartOf(entry), path, name, PackageOf(Framework::kPytorch));
        continue;
      }
      for (const std::string& file : index_.FilesSpelling(LastPart(api))) {
        if (!Runs(entry, file)) continue;
        for (const uint32_t line : LinesNaming(file, api)) Add({file, line}, path, name, api);
      }
    }
  }

  /// "torch.onnx.export" of the meaning "torch.onnx.export: >=2.0"; "" if the assumed torch does
  /// not import it.
  std::string_view ApiThatImports(std::string_view name) const {
    const std::string_view meaning = Words("modules-that-torch-imports").MeaningOf(name);
    if (meaning.empty()) return PackageOf(Framework::kPytorch);
    const size_t colon = meaning.find(": ");
    if (colon == std::string_view::npos) return meaning;
    const auto versions = VersionSpecifier::Parse(meaning.substr(colon + 2));
    if (versions && torch_ && !versions->Admits(*torch_)) return {};
    return meaning.substr(0, colon);
  }

  bool Runs(const EntryPoint& entry, const std::string& file) const {
    return std::ranges::any_of(
        entry.runs, [&](const RunUnit& run) { return programs_.graph.FileOf(run.unit) == file; });
  }

  std::set<uint32_t> LinesNaming(const std::string& path, std::string_view api) const {
    std::set<uint32_t> lines;
    const std::shared_ptr<const OpenedFile> file = index_.Open(path);
    if (file == nullptr) return lines;
    for (const Node node : file->names().places().NodesSaying(LastPart(api))) {
      const Node attribute = node.parent();
      const bool is_named =
          node.field() == Field::kAttribute && file->names().IsNamed(attribute, api);
      if (is_named) lines.insert(file->source().Locate(attribute.range().start).line);
    }
    return lines;
  }

  /// Where the program runs, but not who imports its file from another folder.
  Place StartOf(const EntryPoint& entry) const {
    const FileUnits* file = programs_.code.Find(entry.path);
    if (file != nullptr) {
      for (const CodeUnit& unit : file->units) {
        if (unit.name == kMainBlock) return {entry.path, unit.line};
      }
    }
    return {entry.path, 1};
  }

  bool UsesTorch(const EntryPoint& entry) const {
    return std::ranges::any_of(entry.runs, [&](const RunUnit& run) {
      const FileUnits* file = programs_.code.Find(programs_.graph.FileOf(run.unit));
      return file != nullptr && IsOneOf(Framework::kPytorch, file->frameworks);
    });
  }

  void Add(const Place& place, const std::string& path, std::string_view name,
           std::string_view importer) {
    ChangeRecord& row = rows_[place];
    row.file = place.first;
    row.start_line = row.end_line = place.second;
    row.column = 1;
    row.operation = Operation::kSuggestion;
    row.applicability = Applicability::kDisplayOnly;
    row.rule_id = row.cause = kShadowedModule;
    row.severity =
        importer == PackageOf(Framework::kPytorch) ? Severity::kStopsImport : Severity::kStopsRun;
    if (importer != PackageOf(Framework::kPytorch)) row.before = std::string(importer);
    row.values = {std::string(name)};
    row.message =
        Say("{0} of the project takes the place of the module {1}, which {2} imports itself; give "
            "it another name",
            "项目中的 {0} 取代了 {2} 自身要导入的模块 {1}；请将其改名", path, name, importer);
  }

  const ProjectPrograms& programs_;
  const ProjectIndex& index_;
  const Result<Version> torch_;
  /// By their folder: files that are a module with such a name, or the __init__.py of one.
  std::map<std::string, std::set<std::string>, std::less<>> modules_;
  std::map<Place, ChangeRecord> rows_;
};

}  // namespace

std::vector<ChangeRecord> ShadowedModules(const ProjectPrograms& programs,
                                          const ProjectFiles& project, const ProjectIndex& index,
                                          const std::string& torch) {
  return ShadowFinder(programs, project, index, torch).Find();
}

}  // namespace transplt
