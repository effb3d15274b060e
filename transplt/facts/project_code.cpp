// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/project_code.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_set>

#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/device_declarations.h"
#include "transplt/facts/import_groups.h"
#include "transplt/facts/imported_library.h"
#include "transplt/python/dotted_name.h"

namespace transplt {
namespace {

constexpr std::string_view kApply = ".apply";
constexpr int kFewestFiles = 2;      // with a choice of their own, in a program that serves both
constexpr int kMostInheriting = 64;  // that one question goes through to find inherited methods

/// `folder`, or the nearest one around it that holds `path` too.
std::string_view FolderAround(std::string_view folder, std::string_view path) {
  while (!folder.empty() &&
         !(path.starts_with(folder) && path.substr(folder.size()).starts_with('/')))
    folder = FolderOf(folder);
  return folder;
}

/// True if the file imports the module, or something of it.
bool Imports(const NameTable& names, std::string_view module) {
  return std::ranges::any_of(names.bindings(), [&](const Binding& binding) {
    return binding.kind == BindingKind::kImport && IsInside(module, binding.target);
  });
}

}  // namespace

struct ProjectCode::File {
  std::once_flag once;
  CudaSummary summary;
};

/// What a function, or the import of a file, needs and leads to.
struct ProjectCode::Step {
  Step(Definition of, bool import) : definition(std::move(of)), is_import(import) {}

  const Definition definition;
  const bool is_import;
  std::once_flag once;
  std::string need;
  bool is_inherited = false;  // a method that the class takes from a base
  std::vector<Step*> next;
};

ProjectCode::ProjectCode(const ProjectIndex& index, const ProjectModules& modules,
                         std::set<std::string, std::less<>> roots,
                         const GuardSignatures& signatures,
                         std::map<std::string, std::string, std::less<>> started)
    : index_(index),
      modules_(modules),
      roots_(std::move(roots)),
      signatures_(signatures),
      started_(std::move(started)) {
  for (const std::string& file : index_.paths()) {
    summaries_.emplace(file, std::make_unique<File>());
    std::string lower = file;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    by_lower_path_.emplace(std::move(lower), file);
    if (HasDeviceWord(NameOfFile(file), signatures_.target_words)) {
      target_files_.emplace(FolderOf(file), file);
    }
    is_one_program_ |= file.find('/') == std::string::npos;
  }
  for (const ExtensionModule& module : modules_.extensions()) {
    if (module.is_cuda && !module.serves_npu) extension_parts_.emplace(LastPart(module.name));
  }
  for (const ExtensionModule& module : modules_.failing()) {
    extension_parts_.emplace(LastPart(module.name));
  }
}

ProjectCode::~ProjectCode() = default;

const CudaSummary& ProjectCode::SummaryOf(const std::string& path) const {
  File& file = *summaries_.find(path)->second;
  std::call_once(file.once, [&] { file.summary = Summarize(path); });
  return file.summary;
}

CudaSummary ProjectCode::Summarize(const std::string& path) const {
  const std::shared_ptr<const OpenedFile> file = index_.Open(path);
  if (file == nullptr) return {};  // reported when the file itself is migrated
  const NameTable& names = file->names();
  /// Asks for extensions alone: other files are asked for once all are known.
  class Extensions : public OtherFiles {
   public:
    explicit Extensions(const ProjectCode& code) : code_(code) {}
    bool IsCudaExtension(std::string_view from, std::string_view name) const override {
      return code_.IsCudaExtension(from, name);
    }
    bool IsOwn(std::string_view from, std::string_view name) const override {
      return code_.IsOwn(from, name);
    }
    bool IsBuiltForHost(std::string_view from, std::string_view name) const override {
      return code_.IsBuiltForHost(from, name);
    }
    bool HasOnlyCppSources() const override { return code_.HasOnlyCppSources(); }
    const std::set<std::string, std::less<>>& CudaExtensionParts() const override {
      return code_.CudaExtensionParts();
    }
    std::string NeedOfImport(std::string_view, std::string_view) const override { return {}; }
    std::string NeedOfCall(std::string_view, std::string_view) const override { return {}; }

   private:
    const ProjectCode& code_;
  };
  const Extensions extensions(*this);
  return CudaNeeds(names, path, GuardsOf(names, signatures_), signatures_, &extensions).summary();
}

/// Where `name`, seen from the file `from`, is defined: the longest part in front that is a file of
/// the project, and what follows it. An empty path if it is not of the project.
ProjectCode::Definition ProjectCode::DefinitionOf(std::string_view from,
                                                  std::string_view name) const {
  for (size_t end = name.size(); end != std::string_view::npos && end > 0;
       end = name.rfind('.', end - 1)) {
    std::string path = index_.FileOfModule(from, name.substr(0, end));
    if (path.empty() || path == from || !summaries_.contains(path)) continue;
    return {std::move(path),
            std::string(end < name.size() ? name.substr(end + 1) : std::string_view())};
  }
  return {};
}

const CudaSummary::Part* ProjectCode::PartOf(const Definition& definition, bool is_import) const {
  const CudaSummary& summary = SummaryOf(definition.path);
  if (is_import) return &summary.import;
  const std::string& name = definition.name;
  auto found = summary.functions.find(name);
  if (found == summary.functions.end()) found = summary.functions.find(name + ".__init__");
  if (found == summary.functions.end() && name.ends_with(kApply)) {
    found = summary.functions.find(name.substr(0, name.size() - kApply.size()) + ".forward");
  }
  return found == summary.functions.end() ? nullptr : &found->second;
}

/// The method in the bases of its class, for one that the class does not define itself.
std::vector<ProjectCode::Definition> ProjectCode::InheritedBy(const Definition& method) const {
  const auto& bases = SummaryOf(method.path).bases;
  const size_t dot = method.name.rfind('.');
  std::string name = ".__init__";
  auto known = bases.find(method.name);
  if (known == bases.end() && dot != std::string::npos) {
    name = method.name.substr(dot);
    known = bases.find(method.name.substr(0, dot));
  }
  std::vector<Definition> inherited;
  if (known == bases.end()) return inherited;
  for (const QualifiedName& base : known->second) {
    inherited.push_back(base.local
                            ? Definition{method.path, std::string(LastPart(base.name)) + name}
                            : DefinitionOf(method.path, base.name + name));
  }
  return inherited;
}

/// Null for what is not of the project.
ProjectCode::Step* ProjectCode::StepFor(Definition definition, bool is_import) const {
  if (is_import) definition.name.clear();
  if (definition.path.empty() || (!is_import && definition.name.empty())) return nullptr;
  std::string key = (is_import ? "i" : "c") + definition.path + ":" + definition.name;
  const std::lock_guard lock(steps_mutex_);
  std::unique_ptr<Step>& step = steps_[std::move(key)];
  if (step == nullptr) step = std::make_unique<Step>(std::move(definition), is_import);
  return step.get();
}

const ProjectCode::Step& ProjectCode::Known(Step& step) const {
  std::call_once(step.once, [&] {
    const auto lead_to = [&](Definition next) {
      Step* const other = StepFor(std::move(next), step.is_import);
      if (other != nullptr) step.next.push_back(other);
    };
    const CudaSummary::Part* part = PartOf(step.definition, step.is_import);
    if (part == nullptr) {
      std::vector<Definition> inherited = InheritedBy(step.definition);
      step.is_inherited = !inherited.empty();
      for (Definition& method : inherited) lead_to(std::move(method));
      return;
    }
    step.need = part->need;
    for (const std::string& call : part->calls) lead_to(DefinitionOf(step.definition.path, call));
  });
  return step;
}

/// Follows the calls, or the imports, of other files until one of them needs CUDA.
std::string ProjectCode::NeedOf(std::string_view from, std::string_view name,
                                bool is_import) const {
  Definition definition = DefinitionOf(from, name);
  if (definition.path.empty() || (!is_import && definition.name.empty())) return {};
  Step* const start = StepFor(std::move(definition), is_import);
  {
    const std::lock_guard lock(needs_mutex_);
    const auto known = needs_.find(start);
    if (known != needs_.end()) return known->second;
  }
  std::string need;
  std::vector<Step*> open = {start};
  std::unordered_set<const Step*> seen = {start};
  int inheriting = 0;
  for (size_t i = 0; i < open.size() && need.empty(); ++i) {
    const Step& step = Known(*open[i]);
    inheriting += step.is_inherited ? 1 : 0;
    if (step.is_inherited && inheriting > kMostInheriting) continue;
    need = step.need;
    for (Step* const next : step.next) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  const std::lock_guard lock(needs_mutex_);
  needs_.emplace(start, need);
  // Nothing that was looked at needs CUDA then.
  if (need.empty() && inheriting <= kMostInheriting) {
    for (const Step* const other : seen) needs_.emplace(other, "");
  }
  return need;
}

std::string ProjectCode::NeedOfImport(std::string_view from, std::string_view name) const {
  return NeedOf(from, name, true);
}

std::string ProjectCode::NeedOfCall(std::string_view from, std::string_view name) const {
  return NeedOf(from, name, false);
}

const ExtensionModule* ProjectCode::ExtensionOf(std::string_view from,
                                                std::string_view name) const {
  if (extension_parts_.empty()) return nullptr;
  const ExtensionModule* module = modules_.FindExtension(name);
  bool is_cuda = module != nullptr && module->is_cuda && !module->serves_npu;
  if (!is_cuda) {
    module = modules_.FindFailing(name);
    is_cuda = module != nullptr;
  }
  return is_cuda && index_.FileOfModule(from, name).empty() ? module : nullptr;
}

bool ProjectCode::IsCudaExtension(std::string_view from, std::string_view name) const {
  return ExtensionOf(from, name) != nullptr;
}

bool ProjectCode::IsBuiltForHost(std::string_view from, std::string_view name) const {
  const ExtensionModule* module = ExtensionOf(from, name);
  return module != nullptr && module->has_cpu_build;
}

const std::set<std::string, std::less<>>& ProjectCode::CudaExtensionParts() const {
  return extension_parts_;
}

/// The folder of the project that the file `path` belongs to, without a slash at its end: the
/// nearest one around it with files for an installation. Without any, a file at the top is of one
/// project with all others, and folders at the top are projects of their own.
std::string ProjectCode::RootOf(std::string_view path) const {
  for (std::string_view folder = FolderOf(path); !folder.empty(); folder = FolderOf(folder)) {
    if (roots_.contains(folder)) return std::string(folder);
  }
  const size_t slash = path.find('/');
  const bool is_one = is_one_program_ || roots_.contains("") || slash == std::string_view::npos;
  return is_one ? std::string() : std::string(path.substr(0, slash));
}

std::string ProjectCode::SiblingOf(std::string_view path) const {
  if (HasDeviceWord(path, signatures_.target_words)) return std::string(path);
  for (size_t i = 0; i < signatures_.words.size(); ++i) {
    const auto key = WithoutDevice(path, {signatures_.words[i]});
    if (!key || i >= signatures_.target_words.size()) continue;
    std::string sibling;
    for (char c : *key) {
      if (c == '*') {
        sibling += signatures_.target_words[i];
      } else {
        sibling.push_back(c);
      }
    }
    const auto found = by_lower_path_.find(sibling);
    if (found != by_lower_path_.end()) return found->second;
  }
  return {};
}

void ProjectCode::FindDeclared() const {
  for (const std::string& path : index_.paths()) {
    if (!ProjectIndex::IsPackage(path)) continue;
    const Result<std::string> bytes = index_.Bytes(path);
    if (!bytes || !HasDeviceWord(*bytes, signatures_.words)) continue;
    const std::shared_ptr<const OpenedFile> file = index_.Open(path);
    if (file == nullptr) continue;
    for (DeviceDeclaration& found : DeclarationsOfPackage(*file, index_, signatures_)) {
      declared_.emplace(FolderOf(path), std::move(found.beside));
    }
  }
}

std::string ProjectCode::DeclaredBeside(std::string_view path) const {
  std::call_once(declared_once_, [this] { FindDeclared(); });
  for (std::string_view folder = FolderOf(path); !folder.empty(); folder = FolderOf(folder)) {
    if (const auto found = declared_.find(folder); found != declared_.end()) return found->second;
  }
  return sides().Beside(path);
}

const DeviceSides& ProjectCode::sides() const {
  std::call_once(sides_once_, [this] { sides_ = DeviceSides(index_, signatures_); });
  return sides_;
}

std::string ProjectCode::SideBeside(const std::string& path, std::string_view name) const {
  const auto [first, last] = target_files_.equal_range(FolderOf(path));
  if (first == last || !summaries_.contains(path)) return {};
  const auto& own = SummaryOf(path).bases;
  const auto bases = own.find(name);
  if (bases == own.end()) return {};
  const auto is_shared = [&](const QualifiedName& base, const std::vector<QualifiedName>& others) {
    return !base.local && !DefinitionOf(path, base.name).path.empty() &&
           std::ranges::find(others, base) != others.end();
  };
  for (auto file = first; file != last; ++file) {
    if (file->second == path) continue;
    for (const auto& [other, others] : SummaryOf(file->second).bases) {
      if (std::ranges::any_of(bases->second, [&](const auto& b) { return is_shared(b, others); })) {
        return file->second;
      }
    }
  }
  return {};
}

/// True if there is a file that does for CUDA what `path` does for the NPU.
bool ProjectCode::HasSource(std::string_view path) const {
  return std::any_of(by_lower_path_.begin(), by_lower_path_.end(), [&](const auto& file) {
    return file.second != path && SiblingOf(file.second) == path;
  });
}

void ProjectCode::FindServed() const {
  struct Sign {
    std::string evidence;
    int weight = 0;
  };
  std::map<std::string, Sign> signs;  // by path
  int weight = 0;
  for (const std::string& path : index_.paths()) {
    const Result<std::string> bytes = index_.Bytes(path);
    if (!bytes || !HasDeviceWord(*bytes, signatures_.target_words)) continue;
    const std::shared_ptr<const OpenedFile> file = index_.Open(path);
    if (file == nullptr) continue;  // reported when the file itself is migrated
    const ServedDevices served(file->tree(), signatures_);
    const Node choice = served.FirstChoice();
    const Node name = served.FirstName();
    const bool is_for_target = HasDeviceWord(path, signatures_.target_words) && name;
    if (!choice && !is_for_target) continue;
    const uint32_t line = file->source().Locate((choice ? choice : name).range().start).line;
    Sign& sign = signs[path];
    sign.evidence = path + ":" + std::to_string(line);
    const auto imports_target = [&](std::string_view module) {
      return Imports(file->names(), FirstPart(module));
    };
    const bool is_whole = (is_for_target && HasSource(path)) ||
                          (choice && std::ranges::any_of(signatures_.transfers, imports_target));
    sign.weight = is_whole ? kFewestFiles : 1;
    weight += sign.weight;
  }
  for (const auto& [path, evidence] : started_) {
    Sign& sign = signs[path];
    if (sign.evidence.empty()) sign.evidence = evidence;
    sign.weight = kFewestFiles;
    weight += sign.weight;
  }
  if (weight < kFewestFiles) return;
  const ImportGroups groups(index_);
  struct Group {
    int weight = 0;
    std::string evidence;
    std::optional<std::string> folder;
  };
  std::vector<Group> found(groups.size());
  for (const auto& [path, sign] : signs) {
    Group& group = found[groups.GroupOf(path)];
    group.weight += sign.weight;
    if (group.evidence.empty()) group.evidence = sign.evidence;
  }
  std::map<std::string, std::string> roots;  // -> evidence
  const std::vector<std::string> paths = index_.paths();
  for (const std::string& path : paths) {
    Group& group = found[groups.GroupOf(path)];
    if (group.weight < kFewestFiles) continue;
    served_files_.emplace(path, group.evidence);
    group.folder = std::string(group.folder ? FolderAround(*group.folder, path) : FolderOf(path));
    roots.try_emplace(RootOf(path), group.evidence);
  }
  for (const Group& group : found) {
    if (group.weight >= kFewestFiles) served_.push_back({*group.folder, group.evidence});
  }
  std::set<std::string_view> unserved;
  for (const std::string& path : paths) {
    if (served_files_.contains(path)) continue;
    const auto root = roots.find(RootOf(path));
    if (groups.ImportsFramework(groups.GroupOf(path))) {
      unserved.insert(path);
    } else if (root != roots.end()) {
      served_files_.emplace(path, root->second);
    }
  }
  unserved_ = unserved.size();
  FindServedFolders(unserved);
  FindTransferred(groups);
}

void ProjectCode::FindTransferred(const ImportGroups& groups) const {
  std::set<std::string> importing;
  for (const std::string& module : signatures_.transfers) {
    for (const std::string& path : index_.FilesSpelling(module.substr(module.rfind('.') + 1))) {
      const auto file = served_files_.contains(path) ? index_.Open(path) : nullptr;
      if (file == nullptr || IsTestFile(path)) continue;
      if (Imports(file->names(), module)) importing.insert(path);
    }
  }
  // It changes the process that imports it, and no other program of the project.
  if (!importing.empty()) transferred_ = groups.RunWith(importing);
}

/// Of each folder with Python files in it or below it, whether most of those that a framework comes
/// near to are served: one helper does not speak for what else lies around it.
void ProjectCode::FindServedFolders(const std::set<std::string_view>& unserved) const {
  struct Folder {
    std::string evidence;
    size_t served = 0;
    size_t unserved = 0;
  };
  std::map<std::string_view, Folder> folders;
  const std::vector<std::string> paths = index_.paths();
  for (const std::string& path : paths) {
    const auto served = served_files_.find(path);
    std::string_view name = path;
    do {
      name = FolderOf(name);
      Folder& folder = folders[name];
      folder.unserved += unserved.count(path);
      if (served == served_files_.end()) continue;
      ++folder.served;
      if (folder.evidence.empty()) folder.evidence = served->second;
    } while (!name.empty());
  }
  for (auto& [name, folder] : folders) {
    const bool is_served = folder.served >= folder.unserved;
    served_folders_.emplace(name, is_served ? std::move(folder.evidence) : std::string());
  }
}

std::string ProjectCode::ServedBy(std::string_view path) const {
  if (served().empty()) return {};
  if (summaries_.contains(path)) {
    const auto found = served_files_.find(path);
    return found == served_files_.end() ? std::string() : found->second;
  }
  // A source of an extension belongs to the project that builds it.
  const std::string root = RootOf(path);
  const bool is_own_project = roots_.contains(root);
  const bool is_of_root = is_own_project && Words("cxx-sources").Has(path);
  std::string_view folder = is_of_root ? std::string_view(root) : FolderOf(path);
  auto found = served_folders_.find(folder);
  while (found == served_folders_.end() && !folder.empty() && !(is_own_project && folder == root)) {
    folder = FolderOf(folder);
    found = served_folders_.find(folder);
  }
  return found == served_folders_.end() ? std::string() : found->second;
}

bool ProjectCode::IsTransferred(std::string_view path) const {
  return !ServedBy(path).empty() && transferred_.contains(path);
}

size_t ProjectCode::CountUnserved() const { return served().empty() ? 0 : unserved_; }

const std::vector<ProjectCode::Served>& ProjectCode::served() const {
  std::call_once(served_once_, [this] { FindServed(); });
  return served_;
}

}  // namespace transplt
