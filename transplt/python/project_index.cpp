// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/project_index.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "transplt/base/cancelled.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/search_path.h"

namespace transplt {
namespace {

/// A file of 10,000 lines takes about 8 MB with its tree and its names. All files of most projects
/// fit: to parse what was forgotten again takes half of the time of a run over a larger one.
constexpr size_t kOpenedMemory = 256U << 20U;

void AddUnique(std::vector<QualifiedName>& names, const QualifiedName& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// "fast-ops/src" of "fast-ops/src/fast_ops/__init__.py", and likewise "fast-ops/python": a folder
/// for one package, called like it, which is installed from there, whatever file says so; else "".
std::string_view RootOfPackage(std::string_view file) {
  if (!file.ends_with("/__init__.py")) return {};
  const std::string_view package = FolderOf(file);
  const std::string_view root = FolderOf(package);
  const std::string_view project = FolderOf(root);
  if (project.empty() || (NameOfFile(root) != "src" && NameOfFile(root) != "python")) return {};
  const auto is_same = [](char a, char b) { return a == b || (a == '-' && b == '_'); };
  return std::ranges::equal(NameOfFile(project), NameOfFile(package), is_same) ? root
                                                                               : std::string_view();
}

}  // namespace

bool ProjectIndex::Trail::Enter(const std::string& file, std::string_view name) {
  constexpr size_t kMaxDepth = 40;
  constexpr int kMaxSteps = 2000;
  if (path.size() >= kMaxDepth || ++steps > kMaxSteps) return false;
  const bool is_cyclic = std::any_of(path.begin(), path.end(), [&](const auto& step) {
    return step.first == file && step.second == name;
  });
  if (!is_cyclic) path.emplace_back(file, name);
  return !is_cyclic;
}

struct ProjectIndex::Module {
  std::once_flag once;
  std::unique_ptr<const ModuleSummary> summary;  // most modules are never asked for
  std::mutex files_mutex;
  std::map<std::string, std::string, std::less<>> files;  // that its imports mean, by the module
};

ProjectIndex::ProjectIndex(const std::vector<std::string>& files, Reader reader,
                           const FileBudget& budget, const std::atomic<bool>* cancelled,
                           std::string root_name, std::vector<std::string> texts)
    : reader_(std::move(reader)),
      budget_(budget),
      cancelled_(cancelled),
      opened_(kOpenedMemory),
      root_name_(std::move(root_name)),
      texts_(std::move(texts)) {
  if (!root_name_.empty()) top_names_.insert(root_name_);
  for (const std::string& file : files) {
    modules_.emplace(file, std::make_unique<Module>());
    std::string_view rest = file;
    for (size_t slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
      top_names_.emplace(rest.substr(0, slash));
      rest.remove_prefix(slash + 1);
    }
    if (rest == "setup.py" && file != rest) install_roots_.emplace_back(FolderOf(file));
    if (std::string_view root = RootOfPackage(file); !root.empty())
      install_roots_.emplace_back(root);
    if (rest.ends_with(".py")) rest.remove_suffix(3);
    top_names_.emplace(rest);
  }
  paths_.reserve(modules_.size());
  for (const auto& [path, module] : modules_) paths_.push_back(path);
}

ProjectIndex::~ProjectIndex() = default;

std::string ProjectIndex::ModuleName(std::string_view path) {
  if (path.ends_with(".py")) path.remove_suffix(3);
  if (path == "__init__") return "";
  if (path.ends_with("/__init__")) path.remove_suffix(9);
  std::string module(path);
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

bool ProjectIndex::IsPackage(std::string_view path) {
  return path == "__init__.py" || path.ends_with("/__init__.py");
}

const ModuleSummary& ProjectIndex::SummaryOf(const std::string& path) const {
  Module& module = *modules_.find(path)->second;
  std::call_once(module.once,
                 [&] { module.summary = std::make_unique<ModuleSummary>(Summary(path)); });
  return *module.summary;
}

std::shared_ptr<const OpenedFile> ProjectIndex::Open(const std::string& path) const {
  if (!modules_.contains(path)) return nullptr;
  return opened_.Get(path, [&] { return Read(path); });
}

std::shared_ptr<const OpenedFile> ProjectIndex::Read(const std::string& path) const {
  if (IsCancelled(cancelled_)) return nullptr;
  Result<std::string> bytes = reader_(path);
  // What is wrong with the file is reported when the file itself is migrated.
  BudgetMeter meter(budget_, cancelled_);
  if (!bytes || meter.IsSpentByBytes(bytes->size())) return nullptr;
  Result<SourceFile> read = SourceFile::FromBytes(path, *std::move(bytes));
  if (!read) return nullptr;
  Parser parser;
  parser.SetMeter(&meter);
  auto source = std::make_unique<const SourceFile>(*std::move(read));
  SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  if (meter.spent()) return nullptr;
  return std::make_shared<const OpenedFile>(std::move(source), std::move(tree), this);
}

const std::vector<std::string>& ProjectIndex::FilesSpelling(std::string_view word) const {
  return FilesWith(
      word, [&] { return AllWords().FilesSpelling(word); }, spellers_);
}

const std::set<std::string, std::less<>>& ProjectIndex::PropertyNames() const {
  std::call_once(properties_read_, [&] {
    for (const std::string_view word : {"property", "cached_property"}) {
      for (const std::string& path : FilesSpelling(word)) {
        const std::shared_ptr<const OpenedFile> file = Open(path);
        if (file == nullptr) continue;
        for (const Node name : file->names().places().NodesSaying(word)) {
          Node decorator = name;
          while (decorator && !decorator.Is(NodeKind::kDecorator)) decorator = decorator.parent();
          if (!decorator) continue;
          const Node function = decorator.parent().Child(Field::kDefinition);
          if (IsProperty(function)) {
            properties_.emplace(function.Child(Field::kName).text());
          }
        }
      }
    }
  });
  return properties_;
}

const std::vector<std::string>& ProjectIndex::FilesCalling(std::string_view name) const {
  return FilesWith(
      name, [&] { return AllWords().FilesCalling(name); }, callers_);
}

const WordIndex& ProjectIndex::AllWords() const {
  std::call_once(words_read_, [&] {
    for (const std::string& path : paths_) {
      if (IsCancelled(cancelled_)) break;
      const Result<std::string> bytes = reader_(path);
      words_.Add(bytes ? *bytes : std::string());
    }
    words_.Finish();
  });
  return words_;
}

const std::vector<std::string>& ProjectIndex::FilesWith(
    std::string_view word, const std::function<std::vector<uint32_t>()>& find,
    PathsByWord& known) const {
  {
    const std::lock_guard lock(spellers_mutex_);
    if (const auto answer = known.find(word); answer != known.end()) return answer->second;
  }
  std::vector<std::string> files;
  for (const uint32_t file : find()) files.push_back(paths_[file]);
  const std::lock_guard lock(spellers_mutex_);
  return known.try_emplace(std::string(word), std::move(files)).first->second;
}

/// What `summary` calls `giver`, its functions that return what a `giver` gives, and its classes
/// that derive from one.
std::vector<std::string> ProjectIndex::NamesFor(std::string_view giver,
                                                const ModuleSummary& summary) {
  std::vector<std::string> names;
  const auto means = [&](const QualifiedName& name) { return LastPart(name.name) == giver; };
  for (const auto* table : {&summary.names, &summary.results}) {
    for (const auto& [name, targets] : *table) {
      if (std::any_of(targets.begin(), targets.end(), means)) names.push_back(name);
    }
  }
  for (const auto& [name, defined] : summary.classes) {
    const auto derives = [&](const std::string& base) { return LastPart(base) == giver; };
    if (std::ranges::any_of(defined.bases, derives)) names.push_back(name);
  }
  return names;
}

const std::set<std::string, std::less<>>& ProjectIndex::NamesGiving(
    std::string_view function) const {
  const std::lock_guard lock(givers_mutex_);
  const auto known = givers_.find(function);
  if (known != givers_.end()) return known->second;
  Names& names = givers_[std::string(function)];
  std::vector<std::string> open = {std::string(LastPart(function))};
  while (!open.empty()) {
    const std::string giver = std::move(open.back());
    open.pop_back();
    if (!names.insert(giver).second) continue;
    for (const std::string& path : FilesSpelling(giver)) {
      for (std::string& name : NamesFor(giver, SummaryOf(path))) open.push_back(std::move(name));
    }
  }
  return names;
}

bool ProjectIndex::IsImportedElsewhere(const std::string& path, std::string_view name) const {
  const std::lock_guard lock(sources_mutex_);
  auto sources = sources_.find(name);
  if (sources == sources_.end()) {
    sources = sources_.emplace(name, Paths()).first;
    for (const std::string& user : FilesSpelling(name)) {
      const std::shared_ptr<const OpenedFile> file = Open(user);
      if (file != nullptr) AddSourcesOf(name, file->tree(), sources->second);
    }
  }
  return sources->second.contains(path);
}

void ProjectIndex::AddSourcesOf(std::string_view name, const SyntaxTree& tree,
                                Paths& sources) const {
  const std::string& user = tree.source().path();
  const NameTable names(tree, ModuleName(user), IsPackage(user));
  const auto add = [&](std::string_view module) {
    const std::string path = FileOfModule(user, module);
    if (!path.empty() && path != user && sources.insert(path).second) AddStarsOf(path, sources);
  };
  for (const Binding& binding : names.bindings()) {
    const std::string_view target = binding.target;
    const size_t dot = target.rfind('.');
    if (binding.kind != BindingKind::kImport || dot == std::string_view::npos) continue;
    if (target.substr(dot + 1) == name) add(target.substr(0, dot));
  }
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (!node.Is(NodeKind::kIdentifier) || node.text() != name) continue;
    if (node.field() == Field::kAttribute) {
      for (const QualifiedName& module : names.Resolve(node.parent().Child(Field::kObject))) {
        add(module.name);
      }
    } else if (!names.star_imports().empty() && names.BindingsOf(node).empty()) {
      for (const std::string& module : names.star_imports()) add(module);
    }
  }
}

/// What `path` hands on with `from module import *` does not spell the name.
void ProjectIndex::AddStarsOf(const std::string& path, Paths& sources) const {
  const std::shared_ptr<const OpenedFile> file = Open(path);
  if (file == nullptr) return;
  for (const std::string& module : file->names().star_imports()) {
    const std::string next = FileOfModule(path, module);
    if (!next.empty() && sources.insert(next).second) AddStarsOf(next, sources);
  }
}

ModuleSummary ProjectIndex::Summary(const std::string& path) const {
  const std::shared_ptr<const OpenedFile> file = Open(path);
  if (file == nullptr) return {};
  // Without other files: a summary must not depend on which of two files is asked about first.
  return Summarize(NameTable(file->tree(), ModuleName(path), IsPackage(path)));
}

std::string ProjectIndex::FileBelow(std::string_view folder, std::string_view module) const {
  std::string base(folder);
  if (!base.empty() && !module.empty()) base.push_back('/');
  base.append(module);
  std::replace(base.begin() + static_cast<std::ptrdiff_t>(base.size() - module.size()), base.end(),
               '.', '/');
  // Most modules are not of the project: then no path begins like this one.
  const auto near = modules_.lower_bound(base);
  if (near == modules_.end() || !near->first.starts_with(base)) return {};
  const size_t stem = base.size();
  base += stem == 0 ? "__init__.py" : "/__init__.py";
  if (modules_.contains(base)) return base;
  base.replace(stem, std::string::npos, ".py");
  return modules_.contains(base) ? base : std::string();
}

/// True for a package within a package: no script is started there, so that an import without dots
/// does not mean a file beside the one that imports.
bool ProjectIndex::IsInnerPackage(std::string_view folder) const {
  const auto is_package = [&](std::string_view of) {
    return modules_.contains(std::string(of) + "/__init__.py");
  };
  const std::string_view outer = FolderOf(folder);
  return !outer.empty() && is_package(folder) && is_package(outer);
}

/// True for a package that the file `from`, in a folder of it, imports from by the package's own
/// name: then the folder itself is not where Python looks for modules.
bool ProjectIndex::IsKnownByName(std::string_view from, std::string_view folder) const {
  if (folder.empty() || folder == FolderOf(from)) return false;
  if (!modules_.contains(std::string(folder) + "/__init__.py")) return false;
  const auto file = modules_.find(from);
  if (file == modules_.end()) return false;
  const std::string prefix = std::string(NameOfFile(folder)) + ".";
  const auto is_of_it = [&](const QualifiedName& name) {
    return !name.local && name.name.starts_with(prefix);
  };
  const ModuleSummary& summary = SummaryOf(file->first);
  return std::ranges::any_of(
      summary.names, [&](const auto& name) { return std::ranges::any_of(name.second, is_of_it); });
}

/// True if `path` is a part of a package that holds `from` as well, inside of the package `folder`
/// in which no program is started: `import gym` in project/gym/envs.py means the library, for only
/// a program in project/ finds project/gym by this name.
bool ProjectIndex::HoldsWithoutScripts(std::string_view folder, std::string_view path,
                                       std::string_view from) const {
  if (folder.empty() || !modules_.contains(std::string(folder) + "/__init__.py")) return false;
  const std::string_view below = path.substr(folder.size() + 1);
  const size_t slash = below.find('/');
  if (slash == below.npos) return false;
  const std::string_view package = path.substr(0, folder.size() + 1 + slash + 1);
  return from.starts_with(package) && !HasScripts(folder);
}

namespace {

/// How many characters `a` and `b` begin with alike.
size_t SharedStart(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

/// The file of `module` beside `from` inside of a package, where programs are started from that
/// very folder: what they import is looked for there first. What Python brings is its own.
std::string ProjectIndex::FileBesideScript(std::string_view from, std::string_view module) const {
  const std::string_view folder = FolderOf(from);
  std::string path = FileBelow(folder, module);
  const bool is_of_python = Words("python-modules").Has(FirstPart(module));
  return path.empty() || is_of_python || !HasScripts(folder) ? std::string() : path;
}

bool ProjectIndex::HasScripts(std::string_view folder) const {
  const std::vector<std::string>& scripts = FilesSpelling("__main__");
  return std::ranges::any_of(scripts,
                             [&](const std::string& script) { return FolderOf(script) == folder; });
}

std::string ProjectIndex::FileOfModule(std::string_view from, std::string_view module) const {
  if (module.starts_with('.')) return FileBelow("", module.substr(1));
  if (module.empty() || !top_names_.contains(module.substr(0, module.find('.')))) return {};
  const auto user = modules_.find(from);
  if (user == modules_.end()) return SearchModule(from, module);
  auto& [once, summary, mutex, files] = *user->second;
  {
    const std::lock_guard lock(mutex);
    if (const auto known = files.find(module); known != files.end()) return known->second;
  }
  std::string path = SearchModule(from, module);
  const std::lock_guard lock(mutex);
  files.emplace(module, path);
  return path;
}

std::string ProjectIndex::SearchModule(std::string_view from, std::string_view module) const {
  const bool is_of_python = Words("python-modules").Has(FirstPart(module));
  // `import logging` in src/ means the module of Python, and src.logging another one.
  const auto is_mere_package = [&](std::string_view folder) {
    return !folder.empty() && modules_.contains(std::string(folder) + "/__init__.py") &&
           !HasScripts(folder);
  };
  // `import deepspeed` in backends/deepspeed.py means the library, and so in the files beside it,
  // unless a program is started there, which finds that file first.
  const auto imports_its_own_name = [&](std::string_view folder, const std::string& path) {
    if (folder.empty() || IsPackage(path) || FirstPart(module) != module) return false;
    if (HasScripts(folder)) return false;
    const auto is_own = [&](const QualifiedName& imported) {
      return !imported.local && FirstPart(imported.name) == module;
    };
    return std::ranges::any_of(SummaryOf(path).names, [&](const auto& bound) {
      return std::ranges::any_of(bound.second, is_own);
    });
  };
  for (std::string_view folder = FolderOf(from);; folder = FolderOf(folder)) {
    std::string path = FileBelow(folder, module);
    if (!path.empty() && !IsInnerPackage(folder) && !IsKnownByName(from, folder) &&
        !HoldsWithoutScripts(folder, path, from) && !(is_of_python && is_mere_package(folder)) &&
        !imports_its_own_name(folder, path)) {
      return path;
    }
    if (!folder.empty()) continue;
    // Nobody puts a folder on the path that hides a module of Python.
    if (is_of_python) return {};
    path = FileBelow("src", module);
    if (path.empty()) path = FileOfInstalled(from, module);
    if (path.empty()) path = FileOnPath(from, module);
    if (path.empty()) path = FileBesideScript(from, module);
    return path.empty() ? FileByRootName(module) : path;
  }
}

/// `project.util` in a folder called project that has no __init__.py. With one it may be the copy
/// of a library, whose name means the library that is installed.
std::string ProjectIndex::FileByRootName(std::string_view module) const {
  const size_t dot = module.find('.');
  if (dot == module.npos || module.substr(0, dot) != root_name_) return {};
  if (modules_.contains("__init__.py")) return {};
  std::string path = FileBelow("", module.substr(dot + 1));
  if (!path.empty()) needs_root_name_ = true;
  return path;
}

/// "lib" of "path/to/project/lib", where the root is called "project".
std::string ProjectIndex::BelowRoot(const std::string& folder) const {
  const std::string root = "/" + root_name_ + "/";
  const size_t at = root_name_.empty() ? folder.npos : ("/" + folder).rfind(root);
  return at == folder.npos ? folder : folder.substr(at + root.size() - 1);
}

/// Of several folders on sys.path that hold the module the one nearest to `from`.
std::string ProjectIndex::FileOnPath(std::string_view from, std::string_view module) const {
  std::call_once(path_read_, [&] {
    std::set<std::string> ends;
    const std::vector<std::string>& spelling = FilesSpelling("path");
    std::vector<std::string> files = FilesSpelling("package_dir");
    for (const std::string& path : FilesSpelling("sys")) {
      if (std::ranges::binary_search(spelling, path)) files.push_back(path);
    }
    for (const std::string& path : files) {
      const std::shared_ptr<const OpenedFile> file = Open(path);
      if (file == nullptr) continue;
      // Without other files: to find those is what this is for.
      const NameTable names(file->tree(), ModuleName(path), IsPackage(path));
      for (std::string& end : FoldersAddedToPath(names)) ends.insert(std::move(end));
    }
    for (const std::string& path : texts_) {
      const Result<std::string> text = reader_(path);
      if (!text) continue;
      for (const std::string& end : FoldersOnPythonPath(*text)) ends.insert(BelowRoot(end));
    }
    std::set<std::string> folders;
    for (const auto& [path, known] : modules_) {
      for (std::string_view folder = FolderOf(path); !folder.empty(); folder = FolderOf(folder)) {
        const bool is_added = std::ranges::any_of(ends, [&](const std::string& end) {
          return folder == end || folder.ends_with("/" + end);
        });
        if (is_added) folders.emplace(folder);
      }
    }
    on_path_.assign(folders.begin(), folders.end());
  });
  std::string best;
  for (const std::string& folder : on_path_) {
    std::string path = FileBelow(folder, module);
    if (path.empty() || path == from) continue;
    if (best.empty() || SharedStart(path, from) > SharedStart(best, from)) best = std::move(path);
  }
  return best;
}

/// Of several that install the module the one nearest to `from`.
std::string ProjectIndex::FileOfInstalled(std::string_view from, std::string_view module) const {
  std::string best;
  size_t most = 0;
  for (const std::string& root : install_roots_) {
    std::string path = FileBelow(root, module);
    if (path.empty()) path = FileBelow(root + "/src", module);
    const size_t shared = SharedStart(root, from);
    if (path.empty() || (!best.empty() && shared <= most)) continue;
    best = std::move(path);
    most = shared;
  }
  return best;
}

std::optional<std::vector<QualifiedName>> ProjectIndex::Find(std::string_view from,
                                                             std::string_view module,
                                                             std::string_view name) const {
  Trail trail;
  return FindIn(from, module, name, trail);
}

std::optional<std::vector<QualifiedName>> ProjectIndex::FindIn(std::string_view from,
                                                               std::string_view module,
                                                               std::string_view name,
                                                               Trail& trail) const {
  const std::string path = FileOfModule(from, module);
  if (path.empty()) return std::nullopt;
  if (path == from || !trail.Enter(path, name)) return std::vector<QualifiedName>();
  std::vector<QualifiedName> result = FindInFile(path, name, trail);
  trail.path.pop_back();
  return result;
}

std::vector<QualifiedName> ProjectIndex::FindInFile(const std::string& path, std::string_view name,
                                                    Trail& trail) const {
  std::vector<QualifiedName> result;
  const ModuleSummary& summary = SummaryOf(path);
  if (auto found = summary.names.find(name); found != summary.names.end()) {
    for (const QualifiedName& target : found->second) {
      if (target.local) {
        AddUnique(result, {"." + ModuleName(path) + "." + target.name, false});
        continue;
      }
      for (const QualifiedName& origin : Follow(path, target.name, trail))
        AddUnique(result, origin);
    }
    return result;
  }
  if (summary.definitions.contains(name) || name.starts_with('_')) return result;
  for (auto star = summary.star_imports.rbegin(); star != summary.star_imports.rend(); ++star) {
    auto further = FindIn(path, *star, name, trail);
    if (further && !further->empty()) return *std::move(further);
  }
  for (auto star = summary.star_imports.rbegin(); star != summary.star_imports.rend(); ++star) {
    std::string defined = FindDefinition(path, *star, name);
    if (!defined.empty()) return {{std::move(defined), false}};
  }
  return result;
}

std::string ProjectIndex::FindDefinition(std::string_view from, std::string_view module,
                                         std::string_view name) const {
  Trail trail;
  return FindDefinition(from, module, name, trail);
}

std::string ProjectIndex::FindDefinition(std::string_view from, std::string_view module,
                                         std::string_view name, Trail& trail) const {
  const std::string path = FileOfModule(from, module);
  if (path.empty() || path == from || name.starts_with('_') || !trail.Enter(path, name)) return {};
  const ModuleSummary& summary = SummaryOf(path);
  if (summary.definitions.contains(name)) {
    return "." + ModuleName(path) + "." + std::string(name);
  }
  for (auto star = summary.star_imports.rbegin(); star != summary.star_imports.rend(); ++star) {
    std::string found = FindDefinition(path, *star, name, trail);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<QualifiedName> ProjectIndex::Follow(std::string_view path, const std::string& name,
                                                Trail& trail) const {
  // The longest part in front that is a module of the project; what stands behind it are members.
  for (size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const size_t end = std::min(name.find('.', dot + 1), name.size());
    const auto found = FindIn(path, std::string_view(name).substr(0, dot),
                              std::string_view(name).substr(dot + 1, end - dot - 1), trail);
    if (!found) continue;
    if (found->empty()) break;
    std::vector<QualifiedName> origins;
    for (const QualifiedName& origin : *found) {
      AddUnique(origins, {origin.name + name.substr(end), origin.local});
    }
    return origins;
  }
  return {{name, false}};
}

std::vector<std::string> ProjectIndex::ResultsOf(std::string_view from,
                                                 std::string_view qualified) const {
  std::vector<std::string> results;
  const size_t dot = qualified.rfind('.');
  if (dot == std::string_view::npos) return results;
  const std::string path = FileOfModule(from, qualified.substr(0, dot));
  Trail trail;
  if (!path.empty()) AddResults(path, qualified.substr(dot + 1), trail, results);
  return results;
}

std::vector<std::string> ProjectIndex::ImportsReturnedBy(std::string_view from,
                                                         std::string_view qualified) const {
  const size_t dot = qualified.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string path = FileOfModule(from, qualified.substr(0, dot));
  if (path.empty()) return {};
  const ModuleSummary& summary = SummaryOf(path);
  const auto found = summary.returned_imports.find(qualified.substr(dot + 1));
  return found == summary.returned_imports.end() ? std::vector<std::string>() : found->second;
}

void ProjectIndex::AddResults(const std::string& path, std::string_view function, Trail& trail,
                              std::vector<std::string>& results) const {
  if (!trail.Enter(path, function)) return;
  const ModuleSummary& summary = SummaryOf(path);
  if (const auto found = summary.results.find(function); found != summary.results.end()) {
    for (const QualifiedName& result : found->second) {
      const size_t dot = result.name.rfind('.');
      const std::string module =
          result.local || dot == std::string::npos
              ? path
              : FileOfModule(path, std::string_view(result.name).substr(0, dot));
      if (module.empty()) {
        if (std::find(results.begin(), results.end(), result.name) == results.end()) {
          results.push_back(result.name);
        }
        continue;
      }
      AddResults(module, std::string_view(result.name).substr(dot + 1), trail, results);
    }
  }
  trail.path.pop_back();
}

std::vector<std::string> ProjectIndex::OutsideBasesOf(std::string_view from,
                                                      std::string_view qualified_class) const {
  std::vector<std::string> bases;
  Trail trail;
  AddOutsideBases(from, qualified_class, trail, bases);
  return bases;
}

void ProjectIndex::AddOutsideBases(std::string_view from, std::string_view qualified_class,
                                   Trail& trail, std::vector<std::string>& bases) const {
  const size_t dot = qualified_class.rfind('.');
  const bool is_in_file = dot == std::string_view::npos;
  const std::string_view name = is_in_file ? qualified_class : qualified_class.substr(dot + 1);
  const std::string path =
      is_in_file ? std::string(from) : FileOfModule(from, qualified_class.substr(0, dot));
  if (!modules_.contains(path)) {
    bases.emplace_back(qualified_class);
    return;
  }
  if (!trail.Enter(path, name)) return;
  const ModuleSummary& summary = SummaryOf(path);
  if (auto found = summary.classes.find(name); found != summary.classes.end()) {
    for (const std::string& base : found->second.bases) AddOutsideBases(path, base, trail, bases);
  } else if (auto alias = summary.names.find(name); alias != summary.names.end()) {
    for (const QualifiedName& other : alias->second) {
      AddOutsideBases(path, other.name, trail, bases);
    }
  } else {
    for (const std::string& star : summary.star_imports) {
      AddOutsideBases(path, star + "." + std::string(name), trail, bases);
    }
  }
  trail.path.pop_back();
}

bool ProjectIndex::ClassDefines(std::string_view from, std::string_view qualified_class,
                                std::string_view name) const {
  Trail trail;
  return ClassDefinesIn(from, qualified_class, name, trail);
}

bool ProjectIndex::ClassDefinesIn(std::string_view from, std::string_view qualified_class,
                                  std::string_view name, Trail& trail) const {
  const size_t dot = qualified_class.rfind('.');
  const bool is_in_file = dot == std::string_view::npos;
  const std::string_view class_name =
      is_in_file ? qualified_class : qualified_class.substr(dot + 1);
  const std::string path =
      is_in_file ? std::string(from) : FileOfModule(from, qualified_class.substr(0, dot));
  if (!modules_.contains(path) || !trail.Enter(path, class_name)) return false;
  const bool defined = ClassInFileDefines(path, class_name, name, trail);
  trail.path.pop_back();
  return defined;
}

bool ProjectIndex::ClassInFileDefines(const std::string& path, std::string_view class_name,
                                      std::string_view name, Trail& trail) const {
  const ModuleSummary& summary = SummaryOf(path);
  const auto defined_by = [&](const std::string& other) {
    return ClassDefinesIn(path, other, name, trail);
  };
  if (auto found = summary.classes.find(class_name); found != summary.classes.end()) {
    const ModuleSummary::Class& described = found->second;
    return described.members.contains(name) ||
           std::any_of(described.bases.begin(), described.bases.end(), defined_by);
  }
  if (auto found = summary.names.find(class_name); found != summary.names.end()) {
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](const QualifiedName& other) { return defined_by(other.name); });
  }
  return std::any_of(
      summary.star_imports.begin(), summary.star_imports.end(),
      [&](const std::string& star) { return defined_by(star + "." + std::string(class_name)); });
}

}  // namespace transplt
