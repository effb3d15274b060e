// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/unknown_packages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/api_table.h"
#include "transplt/facts/signatures.h"
#include "transplt/migrate/linked_paths.h"
#include "transplt/migrate/module_places.h"
#include "transplt/python/dotted_name.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kUnknownPackage = "unknown-package";
constexpr std::string_view kUnknownRequirement = "unknown-requirement";
constexpr std::string_view kMissingSubmodule = "missing-submodule";

class KnownPackages {
 public:
  explicit KnownPackages(const UnknownPackageSources& sources)
      : sources_(sources), places_(sources.project) {
    for (const Signature& signature : Signatures::Builtin().rows()) {
      AddFirstParts(signature.packages);
      AddFirstParts(signature.calls);
    }
    for (const TrainingApi& api : sources.apis.rows()) AddFirstParts(api.packages);
    for (const ProjectEntry& entry : sources.project.entries) AddModules(entry.path);
    AddBuiltModules();
    if (sources.imports_itself) names_.insert(sources.project.name);
  }

  bool Has(const std::string& file, const std::string& package) const {
    return names_.contains(package) || IsGenerated(package) ||
           sources_.modules.IsOwn(file, package) ||
           sources_.modules.FindExtension(package) != nullptr ||
           sources_.modules.IsMadeByExtension(package) || NamesOfRules().contains(package);
  }

  /// True for the name of a file or a folder of the project that is not beside the import.
  bool IsNameElsewhere(const std::string& package) const { return elsewhere_.contains(package); }

  /// True if one of those may hold what is imported: Python may start in its folder.
  bool IsHeldElsewhere(const PackageImport& import) const {
    return std::ranges::any_of(places_.Of(import.module), [&](std::string_view place) {
      return std::ranges::all_of(import.names,
                                 [&](const std::string& name) { return MayHold(place, name); });
    });
  }

  bool IsRequired(const std::string& package) const {
    return std::ranges::any_of(sources_.pins,
                               [&](const Pin& pin) { return MayProvide(pin.package, package); });
  }

 private:
  /// True for `speech_pb2`, which protoc makes.
  static bool IsGenerated(std::string_view module) {
    return std::ranges::any_of(Words("endings-of-generated-modules").words(),
                               [&](std::string_view end) { return module.ends_with(end); });
  }

  /// A folder need not have an __init__.py to be a package, and where a file of Python, or a
  /// module that Cython makes of a .pyx, lies is on the path of a program beside it.
  void AddModules(std::string_view path) {
    if (path.ends_with(".py") || path.ends_with(".pyx")) {
      const std::string_view name = path.substr(path.rfind('/') + 1);
      elsewhere_.emplace(name.substr(0, name.rfind('.')));
    }
    for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
      elsewhere_.emplace(path.substr(0, slash));
      path.remove_prefix(slash + 1);
    }
  }

  /// A folder holds its modules, and a file what it spells.
  bool MayHold(std::string_view place, const std::string& name) const {
    const std::string path(place);
    if (places_.Has(path + "/" + name)) return true;
    const bool is_plain_folder = places_.HasFolder(place) && !places_.Has(path + "/__init__");
    return FileMayHold(path + ".py", name) || FileMayHold(path + "/__init__.py", name) ||
           (!is_plain_folder && sources_.index.Open(path + ".py") == nullptr &&
            sources_.index.Open(path + "/__init__.py") == nullptr);
  }

  bool FileMayHold(const std::string& path, std::string_view name, int depth = 0) const {
    constexpr int kMostFiles = 4;  // one behind the other
    const auto spells = [&](std::string_view word) {
      return IsOneOf(path, sources_.index.FilesSpelling(word));
    };
    if (spells(name) || spells("__getattr__") || spells("__path__")) return true;
    const auto file = depth < kMostFiles ? sources_.index.Open(path) : nullptr;
    if (file == nullptr) return depth == kMostFiles;
    return std::ranges::any_of(NodesIn(file->tree().root()), [&](Node node) {
      if (!node.Is(NodeKind::kWildcardImport)) return false;
      const std::string module = file->names().ModuleOf(node.parent());
      const std::string from = sources_.index.FileOfModule(path, module);
      return from.empty() || FileMayHold(from, name, depth + 1);
    });
  }

  /// box.cpython-38-x86_64-linux-gnu.so beside a .pyx: Cython has made it, which knows no CUDA.
  void AddBuiltModules() {
    std::set<std::string_view> folders;  // with sources in Cython
    for (const ProjectEntry& entry : sources_.project.entries) {
      if (entry.path.ends_with(".pyx")) folders.insert(FolderOf(entry.path));
    }
    for (const ProjectEntry& entry : sources_.project.entries) {
      if (!entry.path.ends_with(".so") || !folders.contains(FolderOf(entry.path))) continue;
      const std::string_view name = NameOfFile(entry.path);
      names_.emplace(name.substr(0, name.find('.')));
    }
  }

  void AddFirstParts(const std::vector<std::string>& names) {
    for (const std::string& name : names) names_.insert(std::string(FirstPart(name)));
  }

  /// Collected once something else does not know a package: the rules are many.
  const std::unordered_set<std::string>& NamesOfRules() const {
    if (!names_of_rules_.empty()) return names_of_rules_;
    for (const LoadedRule& rule : sources_.rules.rules()) {
      // A rule about sklearn.tree.export waits for imports of its last part, which is no package.
      const ApiEntry* entry = rule.rule->api_entry();
      if (entry != nullptr) {
        names_of_rules_.emplace(FirstPart(entry->old_name));
      } else {
        for (const Trigger& trigger : rule.rule->triggers()) {
          if (trigger.kind == NodeKind::kImportStatement) names_of_rules_.insert(trigger.name);
        }
      }
      // "torch-scatter" is imported as torch_scatter; a part of a name alone is no package.
      for (const std::vector<std::string>& words : rule.rule->required_words()) {
        if (words.empty()) continue;
        names_of_rules_.insert(words.front());
        if (words.size() > 1) names_of_rules_.insert(fmt::format("{}", fmt::join(words, "_")));
      }
    }
    return names_of_rules_;
  }

  const UnknownPackageSources& sources_;
  const ModulePlaces places_;
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> elsewhere_;
  mutable std::unordered_set<std::string> names_of_rules_;
};

/// Whether a package lies in a submodule that is not checked out.
enum class InSubmodule { kNo, kMaybe, kYes };

ChangeRecord UnknownPackageRow(const std::string& file, const PackageImport& import,
                               InSubmodule in_submodule) {
  ChangeRecord row;
  row.file = file;
  row.start_line = row.end_line = import.line;
  row.column = import.column;
  row.operation = Operation::kSuggestion;
  row.applicability = Applicability::kDisplayOnly;
  row.rule_id = row.cause = kUnknownPackage;
  row.severity = Severity::kMayGoWrong;
  row.before = import.text;
  row.values = {import.name};
  row.source_line = import.source_line;
  row.message = Say(
      "{}: neither the project nor its requirements have it, and nothing is known about it: it "
      "is a file that is missing, or a package that may need CUDA",
      "{}: 工程及其依赖中均没有它, transplt 对其也一无所知: 可能是缺失的文件, 或需要 CUDA 的软件包",
      import.name);
  if (in_submodule == InSubmodule::kNo) return row;
  row.rule_id = row.cause = kMissingSubmodule;
  if (in_submodule == InSubmodule::kYes) row.severity = Severity::kStopsImport;
  row.message =
      in_submodule == InSubmodule::kYes
          ? Say("{}: this comes from a submodule that is not checked out", "{}: 来自未检出的子模块",
                import.name)
          : Say("{}: this may come from a submodule that is not checked out, or it is a "
                "package of which nothing is known here",
                "{}: 可能来自未检出的子模块, 也可能是 transplt 不了解的软件包", import.name);
  return row;
}

/// For what a requirement asks for, which a person has chosen to install.
void BecomeRequirement(ChangeRecord& row, std::string_view package) {
  row.rule_id = row.cause = kUnknownRequirement;
  row.severity = Severity::kNote;
  row.message =
      Say("{}: a requirement asks for this package, and nothing is known about it here: it may "
          "need CUDA",
          "{}: 工程的依赖中有该软件包, transplt 对其一无所知: 可能需要 CUDA", package);
}

/// For a submodule that pip installs from elsewhere: the project is written beside its code, which
/// does for CUDA what it does with devices.
void BecomeInstalledSubmodule(ChangeRecord& row, std::string_view package) {
  row.rule_id = row.cause = kMissingSubmodule;
  row.severity = Severity::kStopsRun;
  row.message = Say(
      "{}: this is a submodule that is not checked out, and what a requirement installs in its "
      "place is not migrated: what that does with devices is for CUDA",
      "{}: 这是未检出的子模块, 依赖中安装的同名软件包未经迁移: 其设备相关代码仍面向 CUDA", package);
}

/// True if the package is the submodule, or a folder of its path; or the submodule is the project
/// of a package: "third_party/Matcha-TTS" holds matcha.
bool IsIn(const std::vector<std::string>& submodules, std::string_view package) {
  return std::ranges::any_of(submodules, [&](const std::string& path) {
    const std::string_view last = NameOfFile(path);
    return HasPart("/" + path + "/", "/" + std::string(package) + "/") ||
           (last.size() > package.size() && last[package.size()] == '-' &&
            NamesPackage(last.substr(0, package.size()), package));
  });
}

/// Where a link of this name is made at the root, beside the file, or in a folder above it.
std::string_view PlaceOfLink(const LinkedPaths& links, std::string_view file,
                             const std::string& package) {
  for (std::string_view folder = FolderOf(file); !folder.empty(); folder = FolderOf(folder)) {
    const std::string_view place = links.PlaceOf(fmt::format("{}/{}", folder, package));
    if (!place.empty()) return place;
  }
  return links.PlaceOf(package);
}

/// The files that change sys.path: what those that import one find may lie in a submodule that is
/// not there.
std::set<std::string_view> FilesThatChangePath(const ProgramCode& code) {
  std::set<std::string_view> paths;
  for (size_t i = 0; i < code.paths.size(); ++i) {
    for (const CodeUnit& unit : code.files[i].units) {
      for (const CodeFact& fact : unit.facts) {
        if (fact.kind == CodeFact::Kind::kAddsToPath) paths.insert(code.paths[i]);
      }
    }
  }
  return paths;
}

bool ImportsOneOf(const std::set<std::string_view>& paths, const FileUnits& file) {
  return std::ranges::any_of(file.units, [&](const CodeUnit& unit) {
    return std::ranges::any_of(
        unit.imports, [&](const FileImport& import) { return paths.contains(import.file); });
  });
}

bool IsAskedFor(const std::vector<std::string>& requirements, std::string_view package) {
  return std::ranges::any_of(requirements, [&](const std::string& text) {
    const std::optional<Requirement> requirement = ParseRequirement(text);
    return requirement && MayProvide(requirement->name.In(text), package);
  });
}

}  // namespace

std::vector<ChangeRecord> UnknownPackages(const UnknownPackageSources& sources) {
  const ProgramCode& code = sources.code;
  std::vector<ChangeRecord> rows;
  if (sources.project.is_file) return rows;  // of what lies beside it nothing is known either
  const KnownPackages known(sources);
  std::optional<LinkedPaths> links;  // once a package is not known
  std::set<std::string_view> changers;
  if (!sources.submodules.empty()) changers = FilesThatChangePath(code);
  for (size_t i = 0; i < code.paths.size(); ++i) {
    const bool may_lie_in_one =
        changers.contains(code.paths[i]) || ImportsOneOf(changers, code.files[i]);
    std::set<std::string_view> told;
    for (const PackageImport& import : code.files[i].packages) {
      if (known.Has(code.paths[i], import.name)) continue;
      if (known.IsNameElsewhere(import.name) &&
          (known.IsHeldElsewhere(import) || known.IsRequired(import.name))) {
        continue;
      }
      if (!told.insert(import.name).second) continue;
      if (known.IsRequired(import.name) ||
          IsAskedFor(code.files[i].script_requirements, import.name)) {
        rows.push_back(UnknownPackageRow(code.paths[i], import, InSubmodule::kNo));
        if (IsIn(sources.submodules, import.name)) {
          BecomeInstalledSubmodule(rows.back(), import.name);
        } else {
          BecomeRequirement(rows.back(), import.name);
        }
        continue;
      }
      if (!links) links.emplace(sources.project);
      const InSubmodule in_submodule = IsIn(sources.submodules, import.name) ? InSubmodule::kYes
                                       : may_lie_in_one                      ? InSubmodule::kMaybe
                                                                             : InSubmodule::kNo;
      rows.push_back(UnknownPackageRow(code.paths[i], import, in_submodule));
      TellLink(PlaceOfLink(*links, code.paths[i], import.name), rows.back());
    }
  }
  return rows;
}

void EraseBroughtPackages(const std::vector<Pin>& pins, std::vector<ChangeRecord>& records) {
  const WordList& needs = Words("packages-needed-beside");
  std::erase_if(records, [&](const ChangeRecord& record) {
    std::string_view packages = needs.MeaningOf(record.rule_id);
    if (packages.empty()) return false;
    bool is_brought = pins.empty();
    while (!is_brought && !packages.empty()) {
      const size_t end = std::min(packages.find(' '), packages.size());
      const std::string_view package = packages.substr(0, end);
      packages.remove_prefix(std::min(end + 1, packages.size()));
      is_brought = std::ranges::any_of(
          pins, [&](const Pin& pin) { return NamesWithExtra(package, pin.package, pin.extras); });
    }
    return is_brought;
  });
}

}  // namespace transplt
