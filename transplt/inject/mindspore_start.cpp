// SPDX-License-Identifier: Apache-2.0
// Which files are started, and where mindspore is loaded first: what MindSpore reads then must be
// set before.
#include <algorithm>
#include <filesystem>

#include "transplt/facts/imported_library.h"
#include "transplt/inject/mindspore_injector.h"
#include "transplt/python/main_block.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kPackage = "mindspore";

bool IsImport(Node node) {
  return node.Is(NodeKind::kImportStatement) || node.Is(NodeKind::kImportFromStatement);
}

/// The import statements that run when the module does, in the order of the text.
std::vector<Node> ImportsOf(const NameTable& names) {
  std::vector<Node> imports;
  for (const Node node : NodesIn(names.tree())) {
    const bool is_of_module = IsImport(node) && names.ScopeOf(node) == 0;
    if (is_of_module && !names.tree().IsUnparsed(node.range())) imports.push_back(node);
  }
  return imports;
}

/// The dotted names that an import statement brings.
std::vector<std::string> TargetsOf(const NameTable& names, Node import) {
  std::vector<std::string> targets;
  if (import.Is(NodeKind::kImportFromStatement)) targets.push_back(names.ModuleOf(import));
  for (const Binding& binding : names.bindings()) {
    if (binding.kind == BindingKind::kImport && binding.statement == import) {
      targets.push_back(binding.target);
    }
  }
  return targets;
}

}  // namespace

bool MindsporeInjector::Loads(const NameTable& names, Node import,
                              std::set<std::string>& seen) const {
  const ProjectIndex* project = file_.project();
  const std::string& path = names.tree().source().path();
  return std::ranges::any_of(TargetsOf(names, import), [&](const std::string& target) {
    if (IsInside(kPackage, target)) return true;
    const std::string other = project == nullptr ? "" : project->FileOfModule(path, target);
    return !other.empty() && LoadsMindspore(other, seen);
  });
}

bool MindsporeInjector::LoadsMindspore(const std::string& path, std::set<std::string>& seen) const {
  if (!seen.insert(path).second) return false;
  const auto opened = file_.project()->Open(path);
  if (opened == nullptr) return false;
  const NameTable& names = opened->names();
  return std::ranges::any_of(ImportsOf(names),
                             [&](Node import) { return Loads(names, import, seen); });
}

Node MindsporeInjector::FirstLoad() const {
  for (Node import : ImportsOf(file_.names())) {
    std::set<std::string> seen = {file_.source().path()};
    if (!Loads(file_.names(), import, seen)) continue;
    // A line before an import in a branch runs before the branch.
    while (import.parent() && !import.parent().Is(NodeKind::kModule)) import = import.parent();
    return import;
  }
  return {};
}

bool MindsporeInjector::IsImported() const {
  const ProjectIndex* project = file_.project();
  const std::string& path = file_.source().path();
  if (project == nullptr) return false;
  for (const std::string& other :
       project->FilesSpelling(std::filesystem::path(path).stem().string())) {
    const auto opened = other == path ? nullptr : project->Open(other);
    if (opened == nullptr) continue;
    for (const Node node : NodesIn(opened->tree())) {
      if (!IsImport(node)) continue;
      for (const std::string& target : TargetsOf(opened->names(), node)) {
        if (project->FileOfModule(other, target) == path) return true;
      }
    }
  }
  return false;
}

bool MindsporeInjector::IsStarted() const {
  const Node module = file_.tree().root();
  if (!MainBlocksOf(module).empty()) return true;
  // Without a main block: a program calls something when it runs, and nobody imports it.
  const bool does_something = std::ranges::any_of(NamedChildren(module), [](Node statement) {
    const bool is_loop =
        statement.Is(NodeKind::kForStatement) || statement.Is(NodeKind::kWithStatement);
    return is_loop || (statement.Is(NodeKind::kExpressionStatement) &&
                       statement.first_named_child().Is(NodeKind::kCall));
  });
  return does_something && !IsImported();
}

}  // namespace transplt
