// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/project_code.h"

#include <algorithm>
#include <cctype>

namespace transplt {
namespace {

constexpr std::string_view kApply = ".apply";
constexpr int kFewestFiles = 2;  // with a choice of their own, in a program that serves both

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// The string that is the first argument of a call, or its argument `name`.
std::string ArgumentText(Node call, std::string_view name, bool or_first) {
  const Node arguments = call.Child(Field::kArguments);
  for (Node argument = arguments.first_named_child(); argument;
       argument = argument.next_named_sibling()) {
    Node value = argument;
    if (argument.Is(NodeKind::kKeywordArgument)) {
      if (argument.Child(Field::kName).text() != name) continue;
      value = argument.Child(Field::kValue);
    } else if (!or_first || !(argument == arguments.first_named_child())) {
      continue;
    }
    const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
    return content ? std::string(content.text()) : std::string();
  }
  return {};
}

bool IsNamedOneOf(Node callee, const std::vector<std::string>& wanted, const NameTable& names) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& name) { return names.IsNamed(callee, name); });
}

/// The functions of a setup.py that make an extension for CUDA alone.
std::set<std::string_view> Makers(const NameTable& names, const GuardSignatures& signatures) {
  std::set<std::string_view> makers;
  std::set<std::string_view> also_host;
  for (uint32_t id = 0; id < names.tree().size(); ++id) {
    const Node name = names.tree().node(id);
    if (!name.Is(NodeKind::kIdentifier)) continue;
    const bool host = IsNamedOneOf(name, signatures.host_extensions, names);
    if (!host && !IsNamedOneOf(name, signatures.extensions, names)) continue;
    for (Node outer = name.parent(); outer; outer = outer.parent()) {
      if (!outer.Is(NodeKind::kFunctionDefinition)) continue;
      (host ? also_host : makers).insert(outer.Child(Field::kName).text());
    }
  }
  for (std::string_view name : also_host) makers.erase(name);
  return makers;
}

}  // namespace

struct ProjectCode::File {
  std::once_flag once;
  CudaSummary summary;
};

ProjectCode::ProjectCode(std::vector<std::string> files, Reader reader, const ProjectIndex& index,
                         const GuardSignatures& signatures)
    : files_(std::move(files)),
      reader_(std::move(reader)),
      index_(index),
      signatures_(signatures),
      known_(files_.begin(), files_.end()) {
  for (const std::string& file : files_) {
    summaries_.emplace(file, std::make_unique<File>());
    std::string lower = file;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    by_lower_path_.emplace(std::move(lower), file);
  }
}

ProjectCode::~ProjectCode() = default;

const CudaSummary& ProjectCode::SummaryOf(const std::string& path) const {
  File& file = *summaries_.find(path)->second;
  std::call_once(file.once, [&] { file.summary = Summarize(path); });
  return file.summary;
}

CudaSummary ProjectCode::Summarize(const std::string& path) const {
  Result<std::string> bytes = reader_(path);
  if (!bytes) return {};  // reported when the file itself is migrated
  Result<SourceFile> source = SourceFile::FromBytes(path, *std::move(bytes));
  if (!source) return {};
  Parser parser;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  const NameTable names(tree, ProjectIndex::ModuleName(path), ProjectIndex::IsPackage(path),
                        &index_);
  /// Asks for extensions alone: other files are asked for once all are known.
  class Extensions : public OtherFiles {
   public:
    explicit Extensions(const ProjectCode& code) : code_(code) {}
    bool IsCudaExtension(std::string_view from, std::string_view name) const override {
      return code_.IsCudaExtension(from, name);
    }
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

/// Follows the calls, or the imports, of other files until one of them needs CUDA.
std::string ProjectCode::NeedOf(std::string_view from, std::string_view name,
                                bool is_import) const {
  Definition start = DefinitionOf(from, name);
  if (start.path.empty() || (!is_import && start.name.empty())) return {};
  if (is_import) start.name.clear();
  const std::string key = (is_import ? "i" : "c") + start.path + ":" + start.name;
  {
    const std::lock_guard lock(needs_mutex_);
    const auto known = needs_.find(key);
    if (known != needs_.end()) return known->second;
  }
  std::string need;
  std::vector<Definition> definitions = {std::move(start)};
  std::set<std::string> seen = {key};
  for (size_t i = 0; i < definitions.size() && need.empty(); ++i) {
    const CudaSummary::Part* part = PartOf(definitions[i], is_import);
    if (part == nullptr) continue;
    need = part->need;
    for (const std::string& call : part->calls) {
      Definition next = DefinitionOf(definitions[i].path, call);
      if (is_import) next.name.clear();
      if (next.path.empty() || (!is_import && next.name.empty())) continue;
      if (seen.insert((is_import ? "i" : "c") + next.path + ":" + next.name).second) {
        definitions.push_back(std::move(next));
      }
    }
  }
  const std::lock_guard lock(needs_mutex_);
  needs_.emplace(key, need);
  // Nothing that was looked at needs CUDA then.
  if (need.empty()) {
    for (const std::string& other : seen) needs_.emplace(other, "");
  }
  return need;
}

std::string ProjectCode::NeedOfImport(std::string_view from, std::string_view name) const {
  return NeedOf(from, name, true);
}

std::string ProjectCode::NeedOfCall(std::string_view from, std::string_view name) const {
  return NeedOf(from, name, false);
}

void ProjectCode::FindExtensions() const {
  for (const std::string& path : files_) {
    if (path != "setup.py" && !path.ends_with("/setup.py")) continue;
    Result<std::string> bytes = reader_(path);
    if (!bytes) continue;
    Result<SourceFile> source = SourceFile::FromBytes(path, *std::move(bytes));
    if (!source) continue;
    Parser parser;
    const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
    const NameTable names(tree, "setup", false);
    const std::set<std::string_view> makers = Makers(names, signatures_);
    for (uint32_t id = 0; id < tree.size(); ++id) {
      const Node call = tree.node(id);
      if (!call.Is(NodeKind::kCall)) continue;
      const Node callee = call.Child(Field::kFunction);
      const bool makes = callee.Is(NodeKind::kIdentifier) && makers.contains(callee.text());
      const bool direct = IsNamedOneOf(callee, signatures_.extensions, names) &&
                          !IsNamedOneOf(callee, signatures_.host_extensions, names);
      if (!makes && !direct) continue;
      const std::string name = ArgumentText(call, "name", true);
      const std::string module = ArgumentText(call, "module", false);
      if (name.empty()) continue;
      extensions_.insert(module.empty() ? name : module + "." + name);
      extension_parts_.emplace(LastPart(name));
    }
  }
}

const std::set<std::string, std::less<>>& ProjectCode::CudaExtensionParts() const {
  std::call_once(extensions_once_, [this] { FindExtensions(); });
  return extension_parts_;
}

bool ProjectCode::IsCudaExtension(std::string_view from, std::string_view name) const {
  if (CudaExtensionParts().empty()) return false;
  return std::any_of(extensions_.begin(), extensions_.end(), [&](const std::string& extension) {
    // `from . import ops_ext` names a module of its folder; setup.py names it from the root.
    const bool same = name == extension || name.ends_with("." + extension) ||
                      extension.ends_with("." + std::string(name)) ||
                      (LastPart(name) == LastPart(extension) && name.starts_with('.'));
    const bool inside = name.starts_with(extension + ".");
    return (same || inside) && index_.FileOfModule(from, name).empty();
  });
}

std::string ProjectCode::RootOf(std::string_view path) const {
  for (std::string_view folder = FolderOf(path);; folder = FolderOf(folder)) {
    const std::string prefix = folder.empty() ? "" : std::string(folder) + "/";
    if (known_.contains(prefix + "setup.py")) return prefix;
    if (folder.empty()) break;
  }
  const std::string_view folder = FolderOf(path);
  return folder.empty() ? "" : std::string(folder) + "/";
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

void ProjectCode::FindServed() const {
  std::map<std::string, int> files_of_root;
  std::map<std::string, std::string> first;
  Parser parser;
  for (const std::string& path : files_) {
    Result<std::string> bytes = reader_(path);
    if (!bytes || !HasDeviceWord(*bytes, signatures_.target_words)) continue;
    Result<SourceFile> source = SourceFile::FromBytes(path, *std::move(bytes));
    if (!source) continue;
    const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
    const Node choice = ServedDevices(tree, signatures_).FirstChoice();
    const bool is_sibling = !SiblingOf(path).empty();
    if (!choice && !is_sibling) continue;
    const std::string root = RootOf(path);
    const uint32_t line = choice ? source->Locate(choice.range().start).line : 1;
    first.try_emplace(root, path + ":" + std::to_string(line));
    files_of_root[root] += is_sibling ? kFewestFiles : 1;
  }
  for (const auto& [root, count] : files_of_root) {
    if (count >= kFewestFiles) served_[root] = first[root];
  }
}

std::string ProjectCode::ServedBy(std::string_view path) const {
  std::call_once(served_once_, [this] { FindServed(); });
  const auto found = served_.find(RootOf(path));
  return found == served_.end() ? std::string() : found->second;
}

}  // namespace transplt
