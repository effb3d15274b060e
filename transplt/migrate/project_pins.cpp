// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/project_pins.h"

#include <algorithm>
#include <utility>

#include "transplt/base/requirement.h"
#include "transplt/base/source_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/engine/environment_marker.h"
#include "transplt/facts/served_devices.h"
#include "transplt/frontends/settings.h"
#include "transplt/rule_kinds/package_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr uint64_t kLargestList = 1 << 20;
constexpr std::string_view kSetup = "setup.py";

/// True for the file of requirements that binds the whole project.
bool IsMainList(std::string_view path) {
  return path == "requirements.txt" || path == "requirement.txt";
}

/// The same of one that a project has for Python 3 beside another for Python 2.
bool IsListForPython3(std::string_view name) { return Words("lists-for-python-3").Has(name); }

/// The folder, with its slash, whose list binds the project: the root, or, where that has no list,
/// the outermost folder with one that holds most of the Python files.
std::string MainFolder(const ProjectFiles& project) {
  std::vector<std::string> folders;
  size_t python = 0;
  for (const ProjectEntry& entry : project.entries) {
    const size_t name = entry.path.rfind('/') + 1;  // 0 for a file at the root
    if (IsMainList(std::string_view(entry.path).substr(name))) {
      folders.push_back(entry.path.substr(0, name));
    }
    python += entry.kind == ProjectEntry::Kind::kMigratable ? 1 : 0;
  }
  std::ranges::sort(folders, {}, &std::string::size);
  for (const std::string& folder : folders) {
    const auto in_folder = std::ranges::count_if(project.entries, [&](const ProjectEntry& entry) {
      return entry.kind == ProjectEntry::Kind::kMigratable && entry.path.starts_with(folder);
    });
    if (folder.empty() || 2 * static_cast<size_t>(in_folder) > python) return folder;
  }
  return {};
}

/// What the setup of a project says, which names the files of requirements that it reads.
std::string TextOfSetup(const ProjectFiles& project) {
  std::string text;
  for (const ProjectEntry& entry : project.entries) {
    const bool is_setup = entry.path == kSetup || entry.path == "setup.cfg" ||
                          entry.path == "pyproject.toml" || IsMainList(entry.path);
    if (!is_setup || !entry.selected || entry.size > kLargestList) continue;
    if (Result<std::string> bytes = ReadProjectFile(project, entry)) text += *bytes;
  }
  return text;
}

/// True for a file of a service that builds and tests the project: who runs the project does not
/// install what that asks for.
bool IsOfBuildService(std::string_view path) {
  return HasDeviceWord(path, Words("names-of-build-services").words());
}

bool IsForNpu(std::string_view path) {
  return HasDeviceWord(path, Words("names-of-files-for-npus").words());
}

/// Whom a file binds; nullopt if it is none that asks for packages. Files of requirements in
/// folders, and others at the root, may be for development or for the documentation: they bind the
/// project where the setup reads them. constraints.txt narrows the list beside it.
std::optional<Pin::Scope> ScopeOf(FileType type, std::string_view path, std::string_view folder,
                                  std::string_view setup) {
  const bool is_at_root = path.find('/') == std::string_view::npos;
  const auto only_if = [](bool binds) {
    return binds ? std::optional(Pin::Scope::kProject) : std::nullopt;
  };
  if (IsLockFile(path)) return std::nullopt;  // one choice of many that the project admits
  switch (type) {
    case FileType::kToml:
    case FileType::kIni:
      return only_if(is_at_root);
    case FileType::kRequirements: {
      const std::string_view in_folder =
          path.starts_with(folder) ? path.substr(folder.size()) : std::string_view();
      const bool is_main = IsMainList(in_folder) || IsListForPython3(in_folder);
      const bool is_read =
          is_main || path == "constraints.txt" || setup.find(path) != std::string_view::npos;
      return is_read ? Pin::Scope::kProject : Pin::Scope::kElsewhere;
    }
    case FileType::kYaml:
    case FileType::kCondaList:
      return is_at_root ? Pin::Scope::kProject : Pin::Scope::kElsewhere;
    case FileType::kShell:
    case FileType::kDockerfile:
    case FileType::kMarkdown:
      return Pin::Scope::kInCommand;
    default:
      return only_if(path == kSetup);
  }
}

Pin PinOf(std::string file, std::string_view package, std::string_view versions, Pin::Scope scope) {
  const bool for_npu = IsForNpu(file);
  return {std::move(file),
          std::string(package),
          std::string(versions),
          VersionSpecifier::Parse(versions),
          scope,
          for_npu};
}

/// True for a part of `["torch==2.9.0", "torch_npu==2.9.0"]`, which a setup may choose by the
/// device that it finds.
bool IsInListForNpu(Node string) {
  const Node list = string.parent();
  return list.Is(NodeKind::kList) && std::ranges::any_of(NamedChildren(list), [](Node part) {
           const std::string_view text = PlainStringContent(part).text();
           const std::optional<Requirement> found = ParseRequirement(text);
           return found && NamesPackage("torch-npu", found->name.In(text));
         });
}

/// `install_requires=["torch>=1.8"]`
void AddPinsOfSetup(const SourceFile& source, std::vector<Pin>& pins) {
  Parser parser;
  const SyntaxTree tree = SyntaxTree::Parse(source, parser);
  const PackageNames any({"*"});
  const PackageLists lists = PackageListsIn(tree);
  for (const Node node : NodesIn(tree)) {
    if (!node.Is(NodeKind::kString)) continue;
    if (!any.AreRequiredBy(node, &lists) && !IsInListForNpu(node)) continue;
    const std::string_view text = PlainStringContent(node).text();
    const std::optional<Requirement> parsed = ParseRequirement(text);
    if (!parsed || !AdmitsNpuMachine(parsed->marker.In(text))) continue;
    const Requirement& found = *parsed;
    const Pin::Scope scope = IsInExtra(node, lists) ? Pin::Scope::kExtra : Pin::Scope::kProject;
    pins.push_back(PinOf(source.path(), found.name.In(text), found.versions.In(text), scope));
    pins.back().extras = found.extras.In(text);
  }
}

}  // namespace

std::set<std::string> ListsForPython2(const ProjectFiles& project) {
  std::set<std::string> lists;
  for (const ProjectEntry& entry : project.entries) {
    const std::string_view name = NameOfFile(entry.path);
    if (Words("lists-for-python-2").Has(name)) lists.insert(entry.path);
    if (!IsListForPython3(name)) continue;
    const std::string folder(PathBeforeName(entry.path));
    for (const ProjectEntry& other : project.entries) {
      const std::string_view path = other.path;
      if (path.starts_with(folder) && IsMainList(path.substr(folder.size()))) {
        lists.insert(other.path);
      }
    }
  }
  return lists;
}

std::vector<Pin> PinsOf(const ProjectFiles& project) {
  std::vector<Pin> pins;
  if (project.is_file) return pins;
  const std::set<std::string> for_python_2 = ListsForPython2(project);
  const std::string setup = TextOfSetup(project);
  const std::string folder = MainFolder(project);
  for (const ProjectEntry& entry : project.entries) {
    const bool is_file = entry.kind == ProjectEntry::Kind::kOther || entry.path == kSetup;
    const FileType type = FileTypeOf(entry.path);
    const std::optional<Pin::Scope> scope = ScopeOf(type, entry.path, folder, setup);
    if (!is_file || !entry.selected || entry.size > kLargestList || !scope) continue;
    if (for_python_2.contains(entry.path)) continue;
    if (*scope >= Pin::Scope::kElsewhere && IsOfBuildService(entry.path)) continue;
    Result<std::string> bytes = ReadProjectFile(project, entry);  // its own row says if it cannot
    if (!bytes) continue;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (!source) continue;
    if (entry.path == kSetup) AddPinsOfSetup(*source, pins);
    for (const Setting& setting : SettingsOf(type, *source)) {
      const bool counts =
          setting.kind == Setting::Kind::kDependency && AdmitsNpuMachine(setting.marker);
      if (!counts) continue;
      pins.push_back(PinOf(entry.path, setting.name, setting.versions,
                           setting.is_extra ? Pin::Scope::kExtra : *scope));
      const std::optional<Requirement> spelled = ParseRequirement(setting.value);
      if (spelled) pins.back().extras = spelled->extras.In(setting.value);
    }
  }
  return pins;
}

std::vector<Pin> BindingPins(const std::vector<Pin>& pins, std::string_view package,
                             Pin::Scope widest) {
  std::vector<Pin> found;
  for (const Pin& pin : pins) {
    if (pin.scope > widest || !NamesPackage(package, pin.package)) continue;
    if (!found.empty() && pin.scope > found.front().scope) continue;
    if (!found.empty() && pin.scope < found.front().scope) found.clear();
    found.push_back(pin);
  }
  return found;
}

std::vector<std::pair<std::string, Version>> NewestVersions(const std::vector<Pin>& pins) {
  std::vector<std::pair<std::string, Version>> versions;
  for (const Pin& pin : pins) {
    const bool is_known = std::ranges::any_of(
        versions, [&](const auto& known) { return NamesPackage(pin.package, known.first); });
    if (is_known) continue;
    Version newest = kNewestVersion;
    for (const Pin& binding : BindingPins(pins, pin.package, Pin::Scope::kInCommand)) {
      if (binding.specifier) newest = std::min(newest, binding.specifier->newest());
    }
    versions.emplace_back(pin.package, newest);
  }
  return versions;
}

std::optional<Version> NewestBeside(std::string_view path, std::string_view package,
                                    const std::vector<Pin>& pins) {
  size_t nearest = 0;
  std::optional<Version> newest;
  for (const Pin& pin : pins) {
    const size_t length = pin.file.rfind('/') == std::string::npos ? 0 : pin.file.rfind('/') + 1;
    const bool is_beside = length > 0 && path.starts_with(pin.file.substr(0, length));
    const bool is_list = pin.scope == Pin::Scope::kElsewhere && pin.specifier;
    if (!is_beside || !is_list || length < nearest || !NamesPackage(package, pin.package)) continue;
    const Version version = pin.specifier->newest();
    newest = length > nearest || !newest ? version : std::max(*newest, version);
    nearest = length;
  }
  return newest;
}

}  // namespace transplt
