// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/module_sources.h"

#include <algorithm>
#include <filesystem>

#include "transplt/base/text_parts.h"
#include "transplt/native/operator_index.h"

namespace transplt {
namespace {

/// A name that more sources define says nothing about who calls whom.
constexpr size_t kMostDefiners = 3;

std::string_view FolderWithSlashOf(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);  // "" if there is none
}

std::set<std::string> NamesInSource(const NativeSource& source) {
  std::set<std::string> names;
  for (const NativeFunction& function : source.functions) {
    names.insert(function.calls.begin(), function.calls.end());
  }
  for (const NativeBinding& binding : source.bindings) {
    names.insert(LastPartOf(binding.function));
    names.insert(binding.names.begin(), binding.names.end());
  }
  for (const NativeLaunch& launch : source.launches) names.insert(launch.kernel);
  for (const NativeLink& link : source.links) {
    for (const std::string& name : link) names.insert(LastPartOf(name));
  }
  return names;
}

/// True for a place between an #if and its #endif.
bool IsConditional(std::string_view text, uint32_t offset) {
  int depth = 0;
  for (size_t start = 0; start < offset;) {
    const size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = Trimmed(text.substr(start, end - start));
    start = end + 1;
    if (!line.starts_with('#')) continue;
    line = Trimmed(line.substr(1));
    depth += line.starts_with("if") ? 1 : line.starts_with("endif") ? -1 : 0;
  }
  return depth > 0;
}

}  // namespace

bool StopsAtCuda(const NativeSource& source, std::string_view text) {
  return std::ranges::any_of(source.findings, [&](const NativeFinding& finding) {
    return StopsAnNpu(finding.outcome) && !IsConditional(text, finding.range.start);
  });
}

void NoteOperators(const OwnOperatorSources& project, ProjectModules& modules) {
  std::vector<const NativeSource*> all;
  std::set<std::string> in_cuda;
  bool has_any = false;
  for (const auto& [path, source] : project.native.all()) {
    all.push_back(&source);
    for (const NativeBinding& binding : source.bindings) has_any |= !binding.library.empty();
    if (!path.ends_with(".cu")) continue;
    for (const NativeFunction& function : source.functions) {
      in_cuda.insert(LastPartOf(function.name));
    }
  }
  if (!has_any) return;
  const SourcesOfModules files(project);
  const OperatorIndex index(all);
  for (const NativeSource* source : all) {
    for (const NativeBinding& binding : source->bindings) {
      if (binding.library.empty()) continue;
      const BoundOperator* found = index.Find(binding.name);
      if (found == nullptr) continue;
      const bool is_for_cuda = !found->kernels.empty() ||
                               std::ranges::any_of(found->functions, [&](const std::string& name) {
                                 return in_cuda.contains(name);
                               });
      if (!is_for_cuda) continue;
      modules.NoteOperator("torch.ops." + binding.library + "." + binding.name,
                           {source->path,
                            files.ModuleOf(source->path).value_or(""),
                            {found->kernels.begin(), found->kernels.end()},
                            !found->cpu_function.empty()});
    }
  }
}

namespace {

bool HasKernels(const NativeSource& source) {
  return !source.kernels.empty() || !source.launches.empty();
}

/// Where sources lie that are built with the one at `path`: its folder, those beside it, and what
/// is below these.
std::string_view NeighbourhoodOf(std::string_view path) {
  const std::string_view folder = FolderWithSlashOf(path);
  if (folder.empty()) return folder;
  const std::string_view above = FolderWithSlashOf(folder.substr(0, folder.size() - 1));
  return above.empty() ? folder : above;
}

/// True for what the compiler for CUDA alone reads.
bool IsForCudaCompiler(std::string_view path) {
  return path.ends_with(".cu") || path.ends_with(".cuh");
}

/// The functions that nothing but sources for the compiler of CUDA defines.
std::set<std::string> FunctionsInCudaAlone(const OwnOperatorSources& project) {
  std::set<std::string> in_cuda;
  std::set<std::string> elsewhere;
  for (const auto& [path, source] : project.native.all()) {
    std::set<std::string>& found = IsForCudaCompiler(path) ? in_cuda : elsewhere;
    for (const NativeFunction& function : source.functions) found.insert(function.name);
  }
  std::erase_if(in_cuda, [&](const std::string& name) { return elsewhere.contains(name); });
  return in_cuda;
}

/// Adds the files that only sources in `waiting` include, and sources that those include.
void AddHeaders(const OwnOperatorSources& project,
                std::map<std::string, std::string, std::less<>>& waiting) {
  std::map<std::string, std::vector<std::string>> users;  // by the file that is included
  for (const auto& [path, source] : project.native.all()) {
    for (const std::string& name : source.includes) {
      const std::string end = "/" + std::string(NameOfFile(name));
      for (const auto& [header, known] : project.native.all()) {
        if (header.ends_with(end) && ("/" + header).ends_with("/" + name)) {
          users[header].push_back(path);
        }
      }
    }
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& [header, by] : users) {
      const bool waits =
          std::ranges::all_of(by, [&](const std::string& user) { return waiting.contains(user); });
      if (waits) has_changed |= waiting.emplace(header, waiting.find(by.front())->second).second;
    }
  }
}

}  // namespace

std::map<std::string, std::string, std::less<>> SourcesWaitingForKernels(
    const OwnOperatorSources& project) {
  std::map<std::string, std::string, std::less<>> waiting;
  const auto& all = project.native.all();
  if (std::ranges::none_of(all, [](const auto& entry) { return HasKernels(entry.second); })) {
    return waiting;
  }
  const SourcesOfModules files(project);
  std::set<std::string> with_kernels;
  std::set<std::string_view> neighbourhoods;  // of what is not known by name
  for (const auto& [path, source] : all) {
    if (!HasKernels(source)) continue;
    const std::string module = files.ModuleOf(path).value_or("");
    if (module.empty()) {
      neighbourhoods.insert(NeighbourhoodOf(path));
    } else {
      with_kernels.insert(module);
    }
  }
  std::set<std::string> on_cpu;
  for (const ExtensionModule* module : project.modules.all_extensions()) {
    if (module->has_cpu_build) on_cpu.insert(module->name);
  }
  // A build for the CPU leaves these out: the checks before their calls ask for CUDA.
  const std::set<std::string> in_cuda = FunctionsInCudaAlone(project);
  for (const auto& [path, source] : all) {
    const std::string module = files.ModuleOf(path).value_or("");
    const bool is_near = std::ranges::any_of(neighbourhoods, [&](std::string_view folder) {
      return folder.empty() ? FolderWithSlashOf(path).empty() : path.starts_with(folder);
    });
    const bool is_built_with_them = module.empty() ? is_near : with_kernels.contains(module);
    const bool is_for_cuda = !on_cpu.contains(module) || IsForCudaCompiler(path) ||
                             std::ranges::any_of(source.undefined, [&](const std::string& name) {
                               return in_cuda.contains(name);
                             });
    if (HasKernels(source) || (is_built_with_them && is_for_cuda)) waiting.emplace(path, module);
  }
  AddHeaders(project, waiting);
  return waiting;
}

SourcesOfModules::SourcesOfModules(const OwnOperatorSources& project) : project_(project) {
  AddNamed();
  AddBindings();
  FollowCalls();
  AddNeighbours();
  AddMentioned();
}

std::optional<std::string> SourcesOfModules::ModuleOf(const std::string& path) const {
  const auto found = modules_.find(path);
  if (found == modules_.end()) return std::nullopt;
  return found->second;
}

std::vector<const NativeSource*> SourcesOfModules::Of(std::string_view module) const {
  std::vector<const NativeSource*> sources;
  for (const auto& [path, source] : project_.native.all()) {
    const auto found = modules_.find(path);
    if (found != modules_.end() && found->second == module) sources.push_back(&source);
  }
  return sources;
}

/// What the program that builds or loads a module names.
void SourcesOfModules::AddNamed() {
  for (const ExtensionModule* module : project_.modules.all_extensions()) {
    const std::string folder(FolderWithSlashOf(module->declared_in));
    for (const std::string& named : module->sources) {
      bool is_any = false;
      for (const auto& [path, source] : project_.native.all()) {
        const bool is_it =
            path == folder + named || (path.starts_with(folder) && path.ends_with("/" + named));
        if (is_it) modules_.try_emplace(path, module->name);
        is_any |= is_it;
      }
      if (is_any || module->loader.empty()) continue;
      const std::string* nearest = NearestCalled(named, folder);
      if (nearest != nullptr) modules_.try_emplace(*nearest, module->name);
    }
  }
}

/// The source that `named` ends as, of which a program in `folder` has put the folder together:
/// the one that shares most folders with it. Null if there is none, or no nearest one.
const std::string* SourcesOfModules::NearestCalled(std::string_view named,
                                                   std::string_view folder) const {
  const size_t start = named.find_first_not_of("./");
  if (start == std::string_view::npos) return nullptr;
  const std::string ending = "/" + std::string(named.substr(start));
  const std::string* nearest = nullptr;
  size_t most = 0;
  bool is_clear = false;
  for (const auto& [path, source] : project_.native.all()) {
    if (!("/" + path).ends_with(ending)) continue;
    const size_t alike =
        static_cast<size_t>(std::ranges::mismatch(path, folder).in1 - path.begin());
    const size_t shared = FolderWithSlashOf(std::string_view(path).substr(0, alike)).size();
    if (nearest != nullptr && shared < most) continue;
    is_clear = nearest == nullptr || shared > most;
    nearest = &path;
    most = shared;
  }
  return is_clear ? nearest : nullptr;
}

/// What offers functions to Python is built by whoever is nearest.
void SourcesOfModules::AddBindings() {
  for (const auto& [path, source] : project_.native.all()) {
    if (source.bindings.empty()) continue;
    modules_.try_emplace(path, NearestTo(path, source.bindings.front().module));
  }
}

std::string SourcesOfModules::NearestTo(std::string_view path, const std::string& block) const {
  const ExtensionModule* nearest = nullptr;
  bool is_clear = false;
  for (const ExtensionModule* module : project_.modules.all_extensions()) {
    if (module->name == block || module->name.ends_with("." + block)) return module->name;
    // What is loaded of sources that are written out has been found by these.
    if (!module->loader.empty() && !module->sources.empty()) continue;
    const std::string_view folder = FolderWithSlashOf(module->declared_in);
    if (!path.starts_with(folder)) continue;
    const size_t depth = nearest == nullptr ? 0 : FolderWithSlashOf(nearest->declared_in).size();
    if (nearest != nullptr && folder.size() < depth) continue;
    is_clear = nearest == nullptr || folder.size() > depth || nearest->name == module->name;
    nearest = module;
  }
  return is_clear ? nearest->name : "";
}

/// The source of the project that `name` in an #include of `from` means; null if there is none, or
/// if several may be meant.
const std::string* SourcesOfModules::Included(std::string_view from,
                                              const std::string& name) const {
  const std::string beside =
      std::filesystem::path(std::string(FolderWithSlashOf(from)) + name).lexically_normal();
  const std::string* found = nullptr;
  for (const auto& [path, source] : project_.native.all()) {
    if (path == beside) return &path;
    if (path != name && !path.ends_with("/" + name)) continue;
    if (found != nullptr) return nullptr;
    found = &path;
  }
  return found;
}

/// Sources that define what the sources of a module name, and what these include: a header may hold
/// nothing but macros.
void SourcesOfModules::FollowCalls() {
  std::map<std::string, std::set<std::string>> definers;
  for (const auto& [path, source] : project_.native.all()) {
    for (const NativeFunction& function : source.functions) {
      definers[LastPartOf(function.name)].insert(path);
    }
    for (const NativeKernel& kernel : source.kernels) definers[kernel.name].insert(path);
  }
  std::vector<std::string> open;
  for (const auto& [path, module] : modules_) open.push_back(path);
  while (!open.empty()) {
    const std::string from = std::move(open.back());
    open.pop_back();
    const NativeSource& source = *project_.native.Find(from);
    for (const std::string& name : source.includes) {
      const std::string* header = Included(from, name);
      if (header != nullptr && modules_.try_emplace(*header, modules_[from]).second) {
        open.push_back(*header);
      }
    }
    for (const std::string& name : NamesInSource(source)) {
      const auto defined = definers.find(name);
      if (defined == definers.end() || defined->second.size() > kMostDefiners) continue;
      for (const std::string& path : defined->second) {
        if (modules_.try_emplace(path, modules_[from]).second) open.push_back(path);
      }
    }
  }
}

/// What lies in the folder of a module's source, in one below it, or in one beside it.
void SourcesOfModules::AddNeighbours() {
  const std::map<std::string, std::string> known = modules_;
  for (const auto& [path, source] : project_.native.all()) {
    size_t deepest = 0;
    const std::string* module = nullptr;
    for (const auto& [other, of] : known) {
      std::string_view folder = FolderWithSlashOf(other);
      if (!path.starts_with(folder) && !folder.empty()) {
        folder = FolderWithSlashOf(folder.substr(0, folder.size() - 1));
      }
      if (folder.empty() || !path.starts_with(folder) || folder.size() <= deepest) continue;
      deepest = folder.size();
      module = &of;
    }
    if (module != nullptr) modules_.try_emplace(path, *module);
  }
}

/// What a Python file names is built or loaded somehow.
void SourcesOfModules::AddMentioned() {
  std::map<std::string_view, std::vector<std::string>> open;
  for (const auto& [path, source] : project_.native.all()) {
    if (!modules_.contains(path)) open[NameOfFile(path)].push_back(path);
  }
  if (open.empty()) return;
  for (const std::string& python : project_.index.paths()) {
    const Result<std::string> text = project_.index.Bytes(python);
    if (!text) continue;
    for (const auto& [name, paths] : open) {
      if (text->find(name) == std::string::npos) continue;
      for (const std::string& path : paths) modules_.try_emplace(path, "");
    }
  }
}

}  // namespace transplt
