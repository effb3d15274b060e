// SPDX-License-Identifier: Apache-2.0
// Which files are started, and where mindspore is loaded first: what MindSpore reads then must be
// set before.
#include <algorithm>

#include "transplt/base/test_file.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/imported_library.h"
#include "transplt/facts/project.h"
#include "transplt/inject/mindspore_injector.h"
#include "transplt/python/main_block.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kPackage = "mindspore";

/// The import statements that run when the module does, in the order of the text.
std::vector<Node> ImportsOf(const NameTable& names) {
  std::vector<Node> imports;
  for (const Node node : NodesIn(names.tree())) {
    const bool is_of_module = IsImport(node) && names.ScopeOf(node) == 0;
    if (is_of_module && !names.tree().IsUnparsed(node.range())) imports.push_back(node);
  }
  return imports;
}

}  // namespace

bool MindsporeInjector::Loads(const NameTable& names, Node import,
                              std::set<std::string>& seen) const {
  const bool is_it = std::ranges::any_of(
      ImportedModules(import, names),
      [](const ImportedModule& module) { return IsInside(kPackage, module.name); });
  if (is_it || file_.project() == nullptr) return is_it;
  return std::ranges::any_of(FilesOfImport(import, names, *file_.project()),
                             [&](const std::string& path) { return LoadsMindspore(path, seen); });
}

bool MindsporeInjector::LoadsMindspore(const std::string& path, std::set<std::string>& seen) const {
  if (!seen.insert(path).second) return false;
  const auto opened = file_.project()->Open(path);
  if (opened == nullptr) return false;
  const NameTable& names = opened->names();
  return std::ranges::any_of(ImportsOf(names),
                             [&](Node import) { return Loads(names, import, seen); });
}

bool MindsporeInjector::MayCompile(const NameTable& names, std::set<std::string>& seen) const {
  if (!seen.insert(names.tree().source().path()).second) return false;
  const auto compiles = [](std::string_view name) {
    const std::vector<std::string>& without = Words("modules-without-graphs").words();
    return IsInside(kPackage, name) && name != kPackage &&
           std::ranges::none_of(without,
                                [&](const std::string& module) { return IsInside(module, name); });
  };
  for (const Node node : NodesIn(names.tree())) {
    if (node.Is(NodeKind::kAttribute)) {
      for (const QualifiedName& name : names.Resolve(node)) {
        if (!name.local && compiles(name.name)) return true;
      }
    }
    if (!IsImport(node)) continue;
    for (const ImportedModule& module : ImportedModules(node, names)) {
      if (compiles(module.name)) return true;
    }
    if (file_.project() == nullptr) continue;
    for (const std::string& path : FilesOfImport(node, names, *file_.project())) {
      const auto opened = file_.project()->Open(path);
      if (opened != nullptr && MayCompile(opened->names(), seen)) return true;
    }
  }
  return false;
}

Node MindsporeInjector::FirstLoad() const {
  std::vector<Node> bodies = {file_.tree().root()};
  for (const Node block : MainBlocksOf(file_.tree().root())) {
    bodies.push_back(block.Child(Field::kConsequence));
  }
  for (Node import : ImportsOf(file_.names())) {
    std::set<std::string> seen = {file_.source().path()};
    if (!Loads(file_.names(), import, seen)) continue;
    // A line before an import in a branch runs before the branch. A main block is no branch: what
    // stands behind it comes too late.
    const auto is_in_sequence = [&](Node statement) {
      return std::ranges::find(bodies, statement.parent()) != bodies.end() &&
             (statement.parent() == bodies.front() || EditPlan::CanInsertBefore(statement));
    };
    while (import.parent() && !is_in_sequence(import)) import = import.parent();
    return import;
  }
  return {};
}

bool MindsporeInjector::IsStarted() const {
  const Node module = file_.tree().root();
  if (!MainBlocksOf(module).empty()) return true;
  // Packages and tests are run by others.
  const std::string& path = file_.source().path();
  if (ProjectIndex::IsPackage(path) || IsTestFile(path)) return false;
  // Without a main block: a program calls something when it runs, and nobody imports it.
  const bool does_something = std::ranges::any_of(NamedChildren(module), [](Node statement) {
    const bool is_loop =
        statement.Is(NodeKind::kForStatement) || statement.Is(NodeKind::kWithStatement);
    return is_loop || (statement.Is(NodeKind::kExpressionStatement) &&
                       statement.first_named_child().Is(NodeKind::kCall));
  });
  return does_something && file_.Importers().empty();
}

}  // namespace transplt
