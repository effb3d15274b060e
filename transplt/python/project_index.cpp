// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/project_index.h"

#include <algorithm>

namespace transplt {
namespace {

constexpr int kMaxImportDepth = 6;

Node ClassBody(Node definition) { return definition.Child(Field::kBody); }

void AddMember(Node statement, std::set<std::string, std::less<>>& members) {
  if (statement.Is(NodeKind::kDecoratedDefinition)) statement = statement.Child(Field::kDefinition);
  if (statement.Is(NodeKind::kFunctionDefinition)) {
    members.emplace(statement.Child(Field::kName).text());
  } else if (statement.Is(NodeKind::kExpressionStatement)) {
    Node assignment = statement.first_named_child();
    Node left = assignment.Is(NodeKind::kAssignment) ? assignment.Child(Field::kLeft) : Node();
    if (left.Is(NodeKind::kIdentifier)) members.emplace(left.text());
  }
}

ModuleSummary::Class SummarizeClass(const NameTable& names, Node definition) {
  ModuleSummary::Class result;
  if (Node bases = definition.Child(Field::kSuperclasses)) {
    for (Node base = bases.first_named_child(); base; base = base.next_named_sibling()) {
      for (const QualifiedName& name : names.Resolve(base)) result.bases.push_back(name.name);
    }
  }
  const Node body = ClassBody(definition);
  for (Node statement = body ? body.first_named_child() : Node(); statement;
       statement = statement.next_named_sibling()) {
    AddMember(statement, result.members);
  }
  return result;
}

}  // namespace

ModuleSummary Summarize(const NameTable& names) {
  ModuleSummary summary;
  summary.star_imports = names.star_imports();
  for (const Binding& binding : names.bindings()) {
    if (binding.scope != 0) continue;
    const std::string name(binding.name);
    switch (binding.kind) {
      case BindingKind::kImport:
        summary.names[name].push_back({binding.target, false});
        break;
      case BindingKind::kAssignment: {
        std::vector<QualifiedName> values = names.Resolve(binding.value);
        std::erase_if(values, [](const QualifiedName& value) { return value.local; });
        // `x = y` with an unknown y is a variable, not another name of a module's member.
        std::erase_if(values, [](const QualifiedName& value) {
          return value.name.find('.') == std::string::npos && value.name != "torch";
        });
        auto& known = summary.names[name];
        known.insert(known.end(), values.begin(), values.end());
        if (known.empty()) summary.definitions.insert(name);
        break;
      }
      case BindingKind::kClass:
        summary.classes[name] = SummarizeClass(names, binding.statement);
        summary.definitions.insert(name);
        break;
      default:
        summary.definitions.insert(name);
        break;
    }
  }
  std::erase_if(summary.names, [](const auto& entry) { return entry.second.empty(); });
  return summary;
}

struct ProjectIndex::Module {
  std::once_flag once;
  ModuleSummary summary;
};

ProjectIndex::ProjectIndex(const std::vector<std::string>& files, Reader reader)
    : reader_(std::move(reader)) {
  for (const std::string& file : files) modules_.emplace(file, std::make_unique<Module>());
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
  std::call_once(module.once, [&] {
    Result<std::string> bytes = reader_(path);
    if (!bytes) return;  // reported when the file itself is migrated
    Result<SourceFile> source = SourceFile::FromBytes(path, *std::move(bytes));
    if (!source) return;
    Parser parser;
    const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
    module.summary = Summarize(NameTable(tree, ModuleName(path), IsPackage(path)));
  });
  return module.summary;
}

std::string ProjectIndex::FileOfModule(std::string_view from, std::string_view module) const {
  std::string relative(module);
  std::replace(relative.begin(), relative.end(), '.', '/');
  std::string_view folder = from;
  for (;;) {
    const size_t slash = folder.rfind('/');
    folder = slash == std::string_view::npos ? std::string_view() : folder.substr(0, slash);
    const std::string base = folder.empty() ? relative : std::string(folder) + "/" + relative;
    for (const std::string& candidate : {base + ".py", base + "/__init__.py"}) {
      if (modules_.count(candidate) != 0) return candidate;
    }
    if (folder.empty()) return {};
  }
}

std::optional<std::vector<QualifiedName>> ProjectIndex::Find(std::string_view from,
                                                             std::string_view module,
                                                             std::string_view name) const {
  return FindIn(from, module, name, 0);
}

std::optional<std::vector<QualifiedName>> ProjectIndex::FindIn(std::string_view from,
                                                               std::string_view module,
                                                               std::string_view name,
                                                               int depth) const {
  const std::string path = FileOfModule(from, module);
  if (path.empty()) return std::nullopt;
  std::vector<QualifiedName> result;
  if (depth > kMaxImportDepth || path == from) return result;
  const ModuleSummary& summary = SummaryOf(path);
  auto found = summary.names.find(name);
  if (found != summary.names.end()) {
    for (const QualifiedName& target : found->second) {
      // What the module has itself imported from another module of the project.
      const size_t dot = target.name.rfind('.');
      std::optional<std::vector<QualifiedName>> further;
      if (dot != std::string::npos) {
        further = FindIn(path, std::string_view(target.name).substr(0, dot),
                         std::string_view(target.name).substr(dot + 1), depth + 1);
      }
      if (further && !further->empty()) {
        result.insert(result.end(), further->begin(), further->end());
      } else {
        result.push_back(target);
      }
    }
    return result;
  }
  if (summary.definitions.count(name) != 0) return result;
  for (auto star = summary.star_imports.rbegin(); star != summary.star_imports.rend(); ++star) {
    auto further = FindIn(path, *star, name, depth + 1);
    if (further && !further->empty()) return further;
  }
  return result;
}

bool ProjectIndex::ClassDefines(std::string_view from, std::string_view qualified_class,
                                std::string_view name) const {
  return ClassDefinesIn(from, qualified_class, name, 0);
}

bool ProjectIndex::ClassDefinesIn(std::string_view from, std::string_view qualified_class,
                                  std::string_view name, int depth) const {
  if (depth > kMaxImportDepth) return false;
  const size_t dot = qualified_class.rfind('.');
  const std::string_view class_name =
      dot == std::string_view::npos ? qualified_class : qualified_class.substr(dot + 1);
  std::string path = dot == std::string_view::npos
                         ? std::string(from)
                         : FileOfModule(from, qualified_class.substr(0, dot));
  if (path.empty() || modules_.count(path) == 0) return false;
  const ModuleSummary& summary = SummaryOf(path);
  if (auto found = summary.classes.find(class_name); found != summary.classes.end()) {
    if (found->second.members.count(name) != 0) return true;
    return std::any_of(
        found->second.bases.begin(), found->second.bases.end(),
        [&](const std::string& base) { return ClassDefinesIn(path, base, name, depth + 1); });
  }
  if (auto found = summary.names.find(class_name); found != summary.names.end()) {
    return std::any_of(found->second.begin(), found->second.end(), [&](const QualifiedName& n) {
      return ClassDefinesIn(path, n.name, name, depth + 1);
    });
  }
  return false;
}

}  // namespace transplt
