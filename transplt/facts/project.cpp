// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "transplt/base/framework.h"
#include "transplt/base/one_of.h"
#include "transplt/base/stand_in_marks.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/written_text.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/returned_imports.h"
#include "transplt/python/statement.h"
#include "transplt/python/word_index.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kCppExtension = "torch.utils.cpp_extension.";
/// What such calls are spelled with, however they are imported.
constexpr std::string_view kExtensionWord = "cpp_extension";
constexpr std::string_view kNpuExtension = "torch_npu.utils.cpp_extension.NpuExtension";
/// What built extensions before torch 1.0, in programs that were called build.py.
constexpr std::string_view kCreateExtension = "create_extension";
constexpr std::string_view kExtensionModules = "ext_modules";
constexpr std::string_view kFfi = "torch.utils.ffi.create_extension";

std::string_view FolderWithSlash(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);  // "" if there is none
}

bool IsSource(std::string_view path) { return Words("native-sources").Has(path); }

/// True for `name`, and for what lies in it.
bool Holds(std::string_view name, std::string_view qualified) {
  return qualified.starts_with(name) &&
         (qualified.size() == name.size() || qualified[name.size()] == '.');
}

/// The names that an expression can stand for, also where a table or a variable holds them:
/// `SETS[target][0]` may be whatever the lists of SETS hold.
class PossibleNames {
 public:
  PossibleNames(Node expression, const NameTable& names) : names_(names) { Add(expression); }

  const std::vector<std::string>& found() const { return found_; }

 private:
  void Add(Node node) {
    if (!node || !seen_.insert(node.id()).second) return;
    for (QualifiedName& name : names_.Resolve(node)) found_.push_back(std::move(name.name));
    switch (node.kind()) {
      case NodeKind::kIdentifier:
        for (const Binding* binding : names_.BindingsOf(node)) {
          if (!IsReplaced(*binding, node)) Add(binding->value);
        }
        return;
      case NodeKind::kSubscript:
        return Add(node.Child(Field::kValue));
      case NodeKind::kPair:
        return Add(node.Child(Field::kValue));
      case NodeKind::kConditionalExpression: {
        const Node first = node.first_named_child();
        Add(first);
        return Add(first.next_named_sibling().next_named_sibling());  // the condition is between
      }
      case NodeKind::kDictionary:
      case NodeKind::kList:
      case NodeKind::kTuple:
      case NodeKind::kParenthesizedExpression:
        for (Node item = node.first_named_child(); item; item = item.next_named_sibling()) {
          Add(item);
        }
        return;
      default:
        return;
    }
  }

  /// True if one branch of an `if` between the binding and `use` binds the name anew, and no other
  /// branch goes on: `make = CppExtension`, then `if cuda: make = CUDAExtension` `else: raise ...`.
  bool IsReplaced(const Binding& binding, Node use) const {
    const Node statement = EnclosingStatement(binding.node);
    return std::ranges::any_of(names_.BindingsOf(use), [&](const Binding* other) {
      const Node anew = EnclosingStatement(other->node);
      const Node branch = anew.parent();
      Node choice = branch.parent();
      if (choice.Is(NodeKind::kElseClause) || choice.Is(NodeKind::kElifClause)) {
        choice = choice.parent();
      }
      return choice.Is(NodeKind::kIfStatement) && choice.parent() == statement.parent() &&
             statement.range().end <= choice.range().start &&
             choice.range().end <= use.range().start && OtherBranchesEnd(choice, branch);
    });
  }

  const NameTable& names_;
  std::set<uint32_t> seen_;
  std::vector<std::string> found_;
};

/// What a call of torch.utils.cpp_extension makes.
struct Builder {
  bool makes_module = false;
  bool is_cuda = false;
  bool is_cpu = false;
  bool is_npu = false;
  std::string loader = {};  ///< the function that compiles when a program runs, or ""
};

/// The expressions that `node` names, one step back, and itself: the lists that a variable holds.
std::vector<Node> WithItsValues(Node node, const NameTable& names) {
  std::vector<Node> values = {node};
  if (!node.Is(NodeKind::kIdentifier)) return values;
  for (const Binding* binding : names.BindingsOf(node)) {
    if (binding->value) values.push_back(binding->value);
  }
  return values;
}

/// The sources that the call writes out.
std::vector<std::string> SourcesOf(Node call) {
  std::vector<std::string> sources;
  for (const Node node : NodesIn(call.Child(Field::kArguments))) {
    const Node content = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
    if (content && IsSource(content.text())) sources.emplace_back(content.text());
  }
  return sources;
}

/// Those of a call that compiles them when the program runs: also what a text puts together ends
/// with (f"{folder}/ops.cu"), and what a variable of the file holds.
std::vector<std::string> LoadedSourcesOf(Node call, const NameTable& names) {
  std::vector<std::string> sources;
  for (const Argument& argument : ArgumentsOf(call)) {
    for (const Node value : WithItsValues(argument.value, names)) {
      for (const Node node : NodesIn(value)) {
        if (!node.Is(NodeKind::kString)) continue;
        const Node plain = PlainStringContent(node);
        std::string_view text = plain ? plain.text() : node.text();
        if (!plain) {
          text = text.substr(text.rfind('}') + 1);
          text = text.substr(0, text.find_last_not_of("\"'") + 1);
        }
        if (IsSource(text)) sources.emplace_back(text);
      }
    }
  }
  return sources;
}

/// True for a call that compiles code for CUDA, whatever its sources are called:
/// `load_inline(cuda_sources=...)`, `load(with_cuda=True)`.
bool AsksForCuda(Node call, std::string_view member) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* with_cuda = FindKeyword(arguments, "with_cuda");
  if (with_cuda != nullptr && with_cuda->value.text() == "True") return true;
  if (member != "load_inline") return false;
  constexpr size_t kCudaSources = 2;
  const Argument* sources = FindArgument(arguments, kCudaSources, "cuda_sources");
  return sources != nullptr && sources->value.text() != "None";
}

bool IsInCuda(std::string_view source) { return source.ends_with(".cu"); }

/// True for `[...]` of texts alone, each of them as it is written.
bool IsWrittenOut(Node sources) {
  if (!sources.Is(NodeKind::kList) && !sources.Is(NodeKind::kTuple)) return false;
  for (Node item = sources.first_named_child(); item; item = item.next_named_sibling()) {
    if (!item.Is(NodeKind::kString) || !PlainStringContent(item)) return false;
  }
  return true;
}

/// True if the call builds something of sources that it does not write out: of a glob, a variable,
/// a text that is put together.
bool HasOpenSources(Node call) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* sources = FindKeyword(arguments, "sources");
  if (sources != nullptr) return !IsWrittenOut(sources->value);
  return std::ranges::none_of(arguments,
                              [](const Argument& one) { return IsWrittenOut(one.value); });
}

/// True if `sources` always have one in CUDA, which only nvcc compiles: CppExtension does not
/// build it either. `["ops.cpp"] + (["ops.cu"] if has_cuda else [])` has none without CUDA.
bool NeedNvcc(Node sources) {
  return std::ranges::any_of(NodesIn(sources), [&](Node node) {
    const Node content = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
    if (!content || !IsInCuda(content.text())) return false;
    for (Node outer = node; outer != sources; outer = outer.parent()) {
      if (outer.Is(NodeKind::kConditionalExpression) || outer.Is(NodeKind::kBooleanOperator) ||
          outer.Is(NodeKind::kListComprehension)) {
        return false;
      }
    }
    return true;
  });
}

Builder BuilderOf(Node call, const NameTable& names) {
  Builder builder;
  const PossibleNames possible(call.Child(Field::kFunction), names);
  for (const std::string_view name : possible.found()) {
    if (name == kFfi) {
      builder.makes_module = true;
      builder.is_cuda = FindKeyword(ArgumentsOf(call), "with_cuda") != nullptr;
    }
    builder.makes_module |=
        Words("plain-extensions").Has(name) && std::ranges::any_of(SourcesOf(call), IsInCuda);
    builder.is_npu |= name == kNpuExtension;
    if (!name.starts_with(kCppExtension)) continue;
    const std::string_view member = name.substr(kCppExtension.size());
    builder.is_cuda |= member == "CUDAExtension";
    builder.is_cpu |= member == "CppExtension" && !NeedNvcc(call.Child(Field::kArguments));
    if (member == "load" || member == "load_inline") {
      builder.loader = name;
      builder.is_cuda |= AsksForCuda(call, member);
    }
    builder.makes_module |=
        member == "CUDAExtension" || member == "CppExtension" || !builder.loader.empty();
  }
  return builder;
}

Node NameArgument(Node call) {
  const Node arguments = call.Child(Field::kArguments);
  Node first;
  for (Node item = arguments.first_named_child(); item; item = item.next_named_sibling()) {
    if (!item.Is(NodeKind::kKeywordArgument)) {
      if (item == arguments.first_named_child()) first = item;
    } else if (item.Child(Field::kName).text() == "name") {
      return item.Child(Field::kValue);
    }
  }
  return first;
}

/// True if the C++ text includes a header of CUDA whatever is defined.
bool NeedsCudaHeaders(std::string_view text) {
  int conditions = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with('#')) continue;
    line = Trimmed(line.substr(1));
    if (line.starts_with("if")) ++conditions;
    if (line.starts_with("endif")) --conditions;
    if (conditions > 0 || !line.starts_with("include")) continue;
    line = Trimmed(line.substr(7));
    const size_t close = line.find_first_of(">\"", 1);
    if (close != line.npos && Words("cuda-headers").Has(line.substr(1, close - 1))) return true;
  }
  return false;
}

/// True if a source of the module that can be found cannot be compiled without CUDA, whatever the
/// build program says.
bool HasCudaInCpp(const ExtensionModule& module, const ProjectIndex& index) {
  const std::string folder(FolderOf(module.declared_in));
  std::string package = module.name.substr(0, module.name.rfind('.') + 1);
  std::ranges::replace(package, '.', '/');
  return std::ranges::any_of(module.sources, [&](const std::string& source) {
    if (IsInCuda(source)) return false;
    const std::string in_folder = (folder.empty() ? "" : folder + "/");
    for (const std::string& path : {in_folder + source, in_folder + package + source}) {
      const Result<std::string> text = index.Bytes(path);
      if (text && NeedsCudaHeaders(*text)) return true;
    }
    return false;
  });
}

/// Joins what one build program says twice of a module: of CUDA sources in one branch, and without
/// them in another.
void JoinBuilds(std::vector<ExtensionModule>& modules) {
  std::vector<std::string> joined;
  for (ExtensionModule& module : modules) {
    if (!module.is_cuda) continue;
    for (const ExtensionModule& other : modules) {
      if (other.is_cuda || other.name != module.name) continue;
      module.has_cpu_build |= other.has_cpu_build;
      joined.push_back(other.name);
    }
  }
  std::erase_if(modules, [&](const ExtensionModule& module) {
    return !module.is_cuda && IsOneOf(module.name, joined);
  });
}

/// The parameters of `function` and what `call` passes for them.
PassedArguments PassedBy(Node call, Node function, const NameTable& names) {
  std::vector<const Binding*> parameters;
  for (const Binding& binding : names.bindings()) {
    const bool is_own = binding.kind == BindingKind::kParameter &&
                        function.Child(Field::kParameters).IsAncestorOf(binding.node);
    if (is_own) parameters.push_back(&binding);
  }
  PassedArguments passed;
  size_t position = 0;
  const Node arguments = call.Child(Field::kArguments);
  for (Node item = arguments.first_named_child(); item; item = item.next_named_sibling()) {
    if (item.Is(NodeKind::kKeywordArgument)) {
      const std::string_view keyword = item.Child(Field::kName).text();
      for (const Binding* parameter : parameters) {
        if (parameter->name == keyword) passed[parameter] = item.Child(Field::kValue);
      }
    } else if (position < parameters.size()) {
      passed[parameters[position++]] = item;
    }
  }
  return passed;
}

/// The calls of a file by the last name of what they call.
using CallsByName = std::multimap<std::string_view, Node>;

CallsByName CallsIn(const SyntaxTree& tree) {
  CallsByName calls;
  for (uint32_t id = 0; id < tree.size(); ++id) {
    const Node node = tree.node(id);
    if (!node.Is(NodeKind::kCall) || !node.Child(Field::kArguments)) continue;
    const Node callee = node.Child(Field::kFunction);
    if (callee.Is(NodeKind::kIdentifier)) calls.emplace(callee.text(), node);
  }
  return calls;
}

/// True if one of the parameters in the arguments of `call` is passed sources that need nvcc.
bool PassesCudaTo(Node call, const PassedArguments& passed) {
  return std::ranges::any_of(passed, [&](const auto& argument) {
    const auto& [parameter, value] = argument;
    const auto names_it = [&](Node node) {
      return node.Is(NodeKind::kIdentifier) && node.text() == parameter->name;
    };
    return std::ranges::any_of(NodesIn(call.Child(Field::kArguments)), names_it) && NeedNvcc(value);
  });
}

/// The modules of one call that makes one, with one for each call of the function around it where
/// the name depends on that.
void AddModules(Node call, const Builder& builder, const NameTable& names, const CallsByName& calls,
                std::vector<ExtensionModule>& modules) {
  const auto add = [&](const PassedArguments& passed, Node caller) {
    for (std::string& name : WrittenTexts(NameArgument(call), names, passed)) {
      ExtensionModule module{
          std::move(name), names.tree().source().path(), {}, builder.is_cuda, builder.is_cpu};
      module.loader = builder.loader;
      module.sources = builder.loader.empty() ? SourcesOf(call) : LoadedSourcesOf(call, names);
      if (caller) std::ranges::move(SourcesOf(caller), std::back_inserter(module.sources));
      module.is_cuda |= std::ranges::any_of(module.sources, IsInCuda);
      module.has_cpu_build = module.has_cpu_build && !PassesCudaTo(call, passed);
      modules.push_back(std::move(module));
    }
  };
  const size_t before = modules.size();
  add({}, Node());
  const Node function = DefinitionAround(call);
  if (modules.size() > before || !function) return;
  const auto [first, last] = calls.equal_range(function.Child(Field::kName).text());
  for (auto caller = first; caller != last; ++caller) {
    add(PassedBy(caller->second, function, names), caller->second);
  }
}

/// "ops/iou3d/" as a package: "ops.iou3d."
std::string Dotted(std::string_view folder) {
  std::string dotted(folder);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  return dotted;
}

}  // namespace

ExtensionModule ExtensionModuleOf(Node call, const NameTable& names) {
  if (!call.Is(NodeKind::kCall) || !call.Child(Field::kArguments)) return {};
  const Builder builder = BuilderOf(call, names);
  if (!builder.makes_module) return {};
  std::vector<ExtensionModule> modules;
  AddModules(call, builder, names, {}, modules);
  return modules.size() == 1 ? std::move(modules.front()) : ExtensionModule();
}

namespace {

/// The modules that calls declare of which `is_wanted` says so.
std::vector<ExtensionModule> ModulesIn(const NameTable& names, bool (*is_wanted)(const Builder&)) {
  std::vector<ExtensionModule> modules;
  const CallsByName calls = CallsIn(names.tree());
  for (uint32_t id = 0; id < names.tree().size(); ++id) {
    const Node call = names.tree().node(id);
    if (!call.Is(NodeKind::kCall) || !call.Child(Field::kArguments)) continue;
    const Builder builder = BuilderOf(call, names);
    if (is_wanted(builder)) AddModules(call, builder, names, calls, modules);
  }
  return modules;
}

}  // namespace

std::vector<ExtensionModule> ExtensionModulesIn(const NameTable& names) {
  return ModulesIn(names, [](const Builder& builder) { return builder.makes_module; });
}

namespace {

/// True if a call builds a module of sources that are not written out, or of an unknown name.
bool HasOpenBuild(const NameTable& names) {
  for (uint32_t id = 0; id < names.tree().size(); ++id) {
    const Node call = names.tree().node(id);
    if (!call.Is(NodeKind::kCall) || !call.Child(Field::kArguments)) continue;
    if (BuilderOf(call, names).makes_module && HasOpenSources(call)) return true;
  }
  return false;
}

}  // namespace

void ExtensionSources::Add(std::string_view path) {
  if (!IsSource(path)) return;
  (IsInCuda(path) ? in_cuda : in_cpp) = true;
  paths.emplace_back(path);
  if (HasPart(path, std::string(kStandInEnding) + ".c")) stand_ins.emplace_back(path);
}

ProjectModules::ProjectModules(const ProjectIndex& index, std::string root_package,
                               ExtensionSources sources)
    : index_(index),
      root_package_(std::move(root_package)),
      extension_sources_(std::move(sources)) {
  std::vector<std::string> paths = index.paths();
  std::erase_if(paths, [](const std::string& path) { return NameOfFile(path) != "setup.py"; });
  for (const std::string_view word : {kCreateExtension, kExtensionModules}) {
    for (const std::string& path : index.FilesSpelling(word)) {
      if (NameOfFile(path) != "setup.py" && !IsOneOf(path, paths)) paths.push_back(path);
    }
  }
  for (const std::string& path : paths) {
    const std::shared_ptr<const OpenedFile> file = index.Open(path);
    if (file == nullptr) continue;  // reported when the file itself is migrated
    const NameTable& names = file->names();
    std::vector<ExtensionModule> modules = ExtensionModulesIn(names);
    for (ExtensionModule& module : modules) {
      module.has_cpu_build = module.has_cpu_build && !HasCudaInCpp(module, index);
    }
    JoinBuilds(modules);
    if (HasOpenBuild(names)) open_builds_.push_back(path);
    std::ranges::move(modules, std::back_inserter(extensions_));
    if (extension_sources_.stand_ins.empty()) continue;
    modules = ModulesIn(names, [](const Builder& builder) { return builder.is_npu; });
    std::ranges::copy_if(modules, std::back_inserter(failing_),
                         [&](const ExtensionModule& module) { return HasFailingStandIn(module); });
  }
  for (const std::string& path : index.FilesSpelling(kExtensionWord)) {
    if (IsOneOf(path, paths)) continue;
    const std::shared_ptr<const OpenedFile> file = index.Open(path);
    if (file == nullptr) continue;
    std::ranges::move(
        ModulesIn(file->names(), [](const Builder& builder) { return !builder.loader.empty(); }),
        std::back_inserter(loaded_));
  }
}

std::vector<const ExtensionModule*> ProjectModules::all_extensions() const {
  std::vector<const ExtensionModule*> all;
  for (const std::vector<ExtensionModule>* modules : {&extensions_, &loaded_}) {
    for (const ExtensionModule& module : *modules) all.push_back(&module);
  }
  return all;
}

const ExtensionModule* ProjectModules::LoadedBy(Node call, const NameTable& names) const {
  const std::string& path = names.tree().source().path();
  const bool loads = std::ranges::any_of(
      loaded_, [&](const ExtensionModule& module) { return module.declared_in == path; });
  if (!loads) return nullptr;
  const ExtensionModule made = ExtensionModuleOf(call, names);
  if (made.loader.empty()) return nullptr;
  const auto found = std::ranges::find_if(loaded_, [&](const ExtensionModule& module) {
    return module.declared_in == path && module.name == made.name && module.is_cuda;
  });
  return found == loaded_.end() ? nullptr : &*found;
}

/// True if a stand-in that the module may be built of raises an error.
bool ProjectModules::HasFailingStandIn(const ExtensionModule& module) const {
  const auto is_stand_in = [](const std::string& source) {
    return HasPart(source, kStandInEnding);
  };
  const bool are_named = std::ranges::any_of(module.sources, is_stand_in);
  return std::ranges::any_of(extension_sources_.stand_ins, [&](const std::string& path) {
    if (!path.starts_with(FolderWithSlash(module.declared_in))) return false;
    const bool is_named = std::ranges::any_of(
        module.sources, [&](const std::string& source) { return path.ends_with(source); });
    if (are_named && !is_named) return false;
    const Result<std::string> text = index_.Bytes(path);
    return text && text->starts_with(kStandInOpening) && HasPart(*text, kStandInFails);
  });
}

void ProjectModules::ServeNpu(std::string_view module) {
  for (ExtensionModule& one : extensions_) one.serves_npu |= one.name == module;
}

void ProjectModules::NoteNamesOfCuda(std::string_view module) {
  for (ExtensionModule& one : extensions_) one.names_cuda |= one.name == module;
}

void ProjectModules::NoteOperator(std::string name, OwnOperator found) {
  operators_.try_emplace(std::move(name), std::move(found));
}

const OwnOperator* ProjectModules::FindOperator(std::string_view qualified) const {
  if (operators_.empty()) return nullptr;
  auto found = operators_.find(qualified);
  if (found == operators_.end()) found = operators_.find(ParentPart(qualified));  // x.default
  return found == operators_.end() ? nullptr : &found->second;
}

bool ProjectModules::MayBeBuilt(std::string_view path) const {
  return std::ranges::any_of(open_builds_, [&](const std::string& build) {
    return path.starts_with(FolderWithSlash(build));
  });
}

const std::vector<SavedFile>& ProjectModules::SavedBy(std::string_view function) const {
  const std::lock_guard lock(saved_mutex_);
  const auto [known, is_new] = saved_.try_emplace(std::string(function));
  if (!is_new) return known->second;
  std::set<std::pair<std::string, std::string>> savers;  // (file, function that saves, too)
  std::set<std::string, std::less<>> paths;
  const std::vector<std::string>& candidates = index_.FilesSpelling(FirstPart(function));
  for (const std::string& path : index_.FilesSpelling(LastPart(function))) {
    if (!std::ranges::binary_search(candidates, path)) continue;
    const std::shared_ptr<const OpenedFile> file = index_.Open(path);
    if (file == nullptr) continue;  // reported when the file itself is migrated
    paths.insert(path);
    const IsSaving is_saving = [&](Node call) {
      return file->names().IsNamed(call.Child(Field::kFunction), function);
    };
    for (std::string& name : FunctionsHandingOn(file->names(), is_saving)) {
      const std::vector<std::string>& callers = index_.FilesCalling(name);
      paths.insert(callers.begin(), callers.end());
      savers.emplace(path, std::move(name));
    }
  }
  for (const std::string& path : paths) {
    const std::shared_ptr<const OpenedFile> file = index_.Open(path);
    if (file == nullptr) continue;
    const IsSaving is_saving = [&](Node call) {
      return std::ranges::any_of(
          file->names().Resolve(call.Child(Field::kFunction)), [&](const QualifiedName& name) {
            if (!name.local && name.name == function) return true;
            const std::string holder =
                name.local ? path : index_.FileOfModule(path, ParentPart(name.name));
            return savers.contains({holder, std::string(LastPart(name.name))});
          });
    };
    std::ranges::move(SavedFilesIn(file->names(), &index_, is_saving),
                      std::back_inserter(known->second));
  }
  return known->second;
}

const std::set<std::string, std::less<>>& ProjectModules::HandingOnTo(
    const std::string& method) const {
  const std::lock_guard lock(handing_mutex_);
  const auto [known, is_new] = handing_.try_emplace(method);
  if (!is_new) return known->second;
  std::vector<std::string> names = {method};
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    for (const std::string& path : index_.FilesCalling(name)) {
      const std::shared_ptr<const OpenedFile> file = index_.Open(path);
      if (file == nullptr) continue;  // reported when the file itself is migrated
      const auto is_taking = [&](Node call) {
        return LastPart(call.Child(Field::kFunction).text()) == name;
      };
      for (std::string& found : FunctionsHandingOn(file->names(), is_taking)) {
        if (found != method && known->second.insert(found).second) names.push_back(found);
      }
    }
  }
  return known->second;
}

namespace {

/// `triton.tools` beside a package pkg.triton that has nothing of the name: the library is meant,
/// whatever is started in pkg.
bool IsOfLibrary(std::string_view from, std::string_view package, std::string_view member,
                 const ProjectIndex& index) {
  if (member.empty()) return false;
  const std::string path = index.FileOfModule(from, package);
  const std::string_view outer = FolderOf(FolderOf(path));
  const bool is_inner = ProjectIndex::IsPackage(path) && !outer.empty() &&
                        !index.FileOfModule("", "." + Dotted(outer) + ".__init__").empty();
  return is_inner && index.FileOfModule(from, fmt::format("{}.{}", package, member)).empty() &&
         !IsOneOf(path, index.FilesSpelling(member));
}

}  // namespace

bool ProjectModules::IsOwn(std::string_view from, std::string_view module) const {
  // A folder without an __init__.py may hold packages: each part of the name may be the first.
  for (const std::string_view part : SplitDotted(module)) {
    const size_t end = static_cast<size_t>(part.data() - module.data()) + part.size();
    const std::string_view package = module.substr(0, end);
    const std::string_view member = FirstPart(module.substr(std::min(end + 1, module.size())));
    if (HasModule(from, package) && !IsOfLibrary(from, package, member, index_)) return true;
  }
  return FirstPart(module) == root_package_ && !index_.FileOfModule("", ".").empty();
}

bool ProjectModules::HasModule(std::string_view from, std::string_view module) const {
  const std::string path = index_.FileOfModule(from, module);
  if (path.empty()) return false;
  // A file of a package is no module of this name: the folder of a package is not searched, but
  // for programs that are started from there.
  std::string spelled(module);
  std::replace(spelled.begin(), spelled.end(), '.', '/');
  const size_t start = path.rfind(spelled);
  if (start == std::string::npos || start == 0) return true;
  // kernels/torch is imported as kernels.torch: the framework is meant elsewhere, and inside of it.
  const bool is_framework = std::ranges::find(kFrameworks, module.substr(0, module.find('.')),
                                              PackageOf) != kFrameworks.end();
  const bool is_package =
      !index_.FileOfModule("", "." + Dotted(path.substr(0, start)) + "__init__").empty();
  return !(is_package || is_framework) ||
         index_.HasScripts(std::string_view(path).substr(0, start - 1));
}

const ExtensionModule* ProjectModules::FindExtension(std::string_view qualified) const {
  return FindIn(extensions_, qualified);
}

const ExtensionModule* ProjectModules::FindFailing(std::string_view qualified) const {
  return FindIn(failing_, qualified);
}

const ExtensionModule* ProjectModules::FindIn(const std::vector<ExtensionModule>& modules,
                                              std::string_view qualified) const {
  for (const ExtensionModule& module : modules) {
    if (Holds(module.name, qualified)) return &module;
    if (Holds(Dotted(FolderWithSlash(module.declared_in)) + module.name, qualified)) return &module;
    // A package may lie deeper than the name of the module says: src/pkg/ops/x.py.
    const size_t at = qualified.find("." + module.name);
    if (module.name.find('.') != std::string::npos && at != std::string_view::npos &&
        Holds(module.name, qualified.substr(at + 1))) {
      return &module;
    }
    if (IsCopiedFrom(module, qualified)) return &module;
  }
  return nullptr;
}

/// True for `ops.build.lib.ext` of ops/setup.py: what it builds was copied into a folder beside it.
bool ProjectModules::IsCopiedFrom(const ExtensionModule& module, std::string_view qualified) const {
  const std::string folder = Dotted(FolderWithSlash(module.declared_in));
  if (folder.empty() || !qualified.starts_with(folder)) return false;
  const std::string_view below = qualified.substr(folder.size());
  const size_t at = below.find("." + module.name);
  if (at == std::string_view::npos || !Holds(module.name, below.substr(at + 1))) return false;
  const size_t end = folder.size() + at + 1 + module.name.size();
  return index_.FileOfModule("", fmt::format(".{}", qualified.substr(0, end))).empty();
}

bool ProjectModules::IsMadeByExtension(std::string_view package) const {
  return std::ranges::any_of(extensions_, [&](const ExtensionModule& module) {
    const std::string folder = Dotted(FolderWithSlash(module.declared_in));
    // setuptools builds in a folder of that name.
    return Holds(package, module.name) || Holds(package, folder + module.name) ||
           Holds(folder + "build", package);
  });
}

const std::set<std::string, std::less<>>& ProjectModules::Givers() const {
  std::call_once(givers_read_, [&] {
    for (const ExtensionModule* module : all_extensions()) {
      if (!module->IsForCuda()) continue;
      for (const std::string& path : index_.FilesSpelling(LastPart(module->name))) {
        const std::shared_ptr<const OpenedFile> file = index_.Open(path);
        if (file == nullptr) continue;
        for (const Node node : NodesIn(file->tree())) {
          if (!node.Is(NodeKind::kFunctionDefinition)) continue;
          for (const std::string& name : ReturnedImports(node, file->names())) {
            if (FindExtension(name) != module) continue;
            givers_.emplace(node.Child(Field::kName).text());
          }
        }
      }
    }
  });
  return givers_;
}

const ExtensionModule* ProjectModules::GivenBy(Node call, const NameTable& names) const {
  for (const QualifiedName& name : names.ImportsGivenBy(call)) {
    const ExtensionModule* module = FindExtension(name.name);
    if (module != nullptr && module->IsForCuda()) return module;
  }
  return nullptr;
}

bool ProjectModules::MayNameExtension(std::string_view bytes) const {
  const auto spells = [&](const std::string& word) { return SpellsWord(bytes, word); };
  if (std::ranges::any_of(Givers(), spells)) return true;
  if (!operators_.empty() && SpellsWord(bytes, "ops")) return true;
  const auto is_named = [&](const ExtensionModule& module) {
    return module.IsForCuda() && SpellsWord(bytes, LastPart(module.name));
  };
  return std::ranges::any_of(extensions_, is_named) || std::ranges::any_of(loaded_, is_named);
}

}  // namespace transplt
