// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/inject_file.h"

#include <algorithm>
#include <filesystem>

#include "transplt/base/one_of.h"
#include "transplt/facts/imported_library.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsBlock(Node node) { return node.Is(NodeKind::kBlock) || node.Is(NodeKind::kModule); }

bool IsComprehensionKind(Node node) {
  return node.Is(NodeKind::kListComprehension) || node.Is(NodeKind::kSetComprehension) ||
         node.Is(NodeKind::kDictionaryComprehension) || node.Is(NodeKind::kGeneratorExpression);
}

/// True for `b` of `import a.b` and of `from b import c`, which binds neither.
bool IsPartOfModuleName(Node name) {
  const Node dotted = name.parent();
  if (!dotted.Is(NodeKind::kDottedName)) return false;
  return dotted.field() == Field::kModuleName || dotted.parent().Is(NodeKind::kRelativeImport) ||
         name != dotted.first_named_child();
}

}  // namespace

InjectFile::InjectFile(const SyntaxTree& tree, const ProjectIndex* project)
    : tree_(tree),
      project_(project),
      names_(tree, ProjectIndex::ModuleName(tree.source().path()),
             ProjectIndex::IsPackage(tree.source().path()), project),
      injected_(tree),
      values_(names_, project) {}

std::vector<Node> InjectFile::NodesOf(NodeKind kind) const {
  std::vector<Node> nodes;
  for (const Node node : NodesIn(tree_)) {
    if (node.Is(kind) && !tree_.IsUnparsed(node.range())) nodes.push_back(node);
  }
  return nodes;
}

std::string_view InjectFile::LastName(Node call) {
  const std::vector<Callee> callees = CalleesOf(call);
  return callees.empty() ? std::string_view() : callees.front().last_name.text();
}

std::string_view InjectFile::CalledName(Node call) const {
  const std::vector<Callee> callees = CalleesOf(call);
  return callees.empty() ? std::string_view() : NameOf(callees.front());
}

std::string_view InjectFile::NameOf(const Callee& callee) const {
  if (callee.expression.Is(NodeKind::kIdentifier)) {
    for (const Binding* binding : names_.BindingsOf(callee.expression)) {
      const size_t dot = binding->target.rfind('.');
      const bool is_imported = binding->kind == BindingKind::kImport && dot != std::string::npos;
      if (is_imported) return std::string_view(binding->target).substr(dot + 1);
    }
  }
  return callee.last_name.text();
}

bool InjectFile::Calls(Node call, std::string_view name,
                       const std::vector<std::string_view>& packages) const {
  const std::string last = "." + std::string(name);
  for (const Callee& callee : CalleesOf(call)) {
    if (NameOf(callee) != name) continue;
    for (const QualifiedName& found : names_.Resolve(callee.expression)) {
      if (found.local) continue;
      if (found.name == name) return true;
      const bool known = std::ranges::any_of(
          packages, [&](std::string_view p) { return IsInside(p, found.name); });
      if (known && found.name.ends_with(last)) return true;
    }
  }
  return false;
}

bool InjectFile::ImportsPackage(std::string_view package) const {
  if (std::ranges::any_of(names_.star_imports(),
                          [&](const auto& s) { return IsInside(package, s); })) {
    return true;
  }
  return std::ranges::any_of(names_.bindings(), [&](const Binding& binding) {
    return binding.kind == BindingKind::kImport && IsInside(package, binding.target) &&
           !IsInjected(binding.node);
  });
}

bool InjectFile::Binds(std::string_view name) const {
  const auto& bindings = names_.bindings();
  return std::ranges::any_of(
      bindings, [&](const Binding& binding) { return binding.scope == 0 && binding.name == name; });
}

bool InjectFile::BindsAt(std::string_view name, Node at) const {
  const uint32_t scope = names_.ScopeOf(at);
  return std::ranges::any_of(names_.bindings(), [&](const Binding& binding) {
    return (binding.scope == 0 || binding.scope == scope) && binding.name == name;
  });
}

namespace {

/// True if each way through the statement binds a name, or leaves the block; `nodes` are those that
/// bind it.
bool BindsAnyway(Node statement, const std::vector<Node>& nodes) {
  const auto block_binds = [&](Node block) {
    return block && (EndsFlow(block) || std::ranges::any_of(NamedChildren(block), [&](Node inner) {
                       return BindsAnyway(inner, nodes);
                     }));
  };
  const auto body_of = [](Node clause) {
    const Node body = clause.Child(Field::kBody);
    return body ? body : LastNamedChild(clause);
  };
  switch (statement.kind()) {
    case NodeKind::kIfStatement: {
      bool has_else = false;
      bool all = block_binds(statement.Child(Field::kConsequence));
      for (const Node clause : NamedChildren(statement)) {
        if (clause.Is(NodeKind::kElifClause)) all &= block_binds(clause.Child(Field::kConsequence));
        if (!clause.Is(NodeKind::kElseClause)) continue;
        has_else = true;
        all &= block_binds(body_of(clause));
      }
      return has_else && all;
    }
    case NodeKind::kTryStatement: {
      bool all = block_binds(statement.Child(Field::kBody));
      for (const Node clause : NamedChildren(statement)) {
        if (clause.Is(NodeKind::kExceptClause)) all &= block_binds(LastNamedChild(clause));
      }
      return all;
    }
    case NodeKind::kWithStatement:
      return block_binds(statement.Child(Field::kBody));
    case NodeKind::kForStatement:
    case NodeKind::kWhileStatement:
      return false;
    default:
      return std::ranges::any_of(
          nodes, [&](Node node) { return statement.range().Contains(node.range()); });
  }
}

/// True if the statement has no parts that run only sometimes, and reads the variable `name`.
bool ReadsAnyway(Node statement, std::string_view name) {
  if (!statement.Is(NodeKind::kExpressionStatement)) return false;
  return std::ranges::any_of(NodesIn(statement), [&](Node node) {
    if (!node.Is(NodeKind::kIdentifier) || node.text() != name) return false;
    const bool is_label =
        node.field() == Field::kAttribute || node.field() == Field::kLeft ||
        (node.field() == Field::kName && node.parent().Is(NodeKind::kKeywordArgument));
    return !is_label && IsAlwaysEvaluated(node) && !IsEvaluatedElsewhere(node);
  });
}

/// True for None, and for a choice of which None is a part.
bool MayGiveNone(Node value) {
  if (value.Is(NodeKind::kParenthesizedExpression)) return MayGiveNone(value.first_named_child());
  if (!value.Is(NodeKind::kConditionalExpression)) return value.Is(NodeKind::kNone);
  return MayGiveNone(value.first_named_child()) || MayGiveNone(LastNamedChild(value));
}

}  // namespace

bool InjectFile::MayBeNone(std::string_view name, Node at) const {
  const uint32_t scope = names_.ScopeOf(at);
  const bool is_local = std::ranges::any_of(names_.bindings(), [&](const Binding& binding) {
    return binding.scope == scope && binding.name == name;
  });
  std::vector<Node> nones;
  std::vector<Node> others;
  for (const Binding& binding : names_.bindings()) {
    if (binding.scope != (is_local ? scope : 0) || binding.name != name) continue;
    if (IsInjected(binding.node)) continue;
    const bool is_none =
        binding.kind == BindingKind::kAssignment && binding.value && MayGiveNone(binding.value);
    (is_none ? nones : others).push_back(binding.node);
  }
  return std::ranges::any_of(nones, [&](Node none) {
    const Node block = BlockOf(EnclosingStatement(none));
    // What stands behind it in the same block, and in those around.
    for (Node around = block; around; around = BlockOf(around)) {
      for (const Node statement : NamedChildren(around)) {
        const bool is_between =
            statement.range().start > none.range().end &&
            (scope == 0 || !is_local || statement.range().end < at.range().start);
        if (is_between && BindsAnyway(statement, others)) return false;
      }
    }
    return true;
  });
}

bool InjectFile::MayBeUnbound(std::string_view name, Node at) const {
  const uint32_t scope = names_.ScopeOf(at);
  const Node block = BlockOf(EnclosingStatement(at));
  std::vector<Node> nodes;
  for (const Binding& binding : names_.bindings()) {
    const bool is_it = binding.scope == scope && binding.name == name;
    if (is_it && !IsInjected(binding.node)) nodes.push_back(binding.node);
  }
  for (Node around = block; around; around = BlockOf(around)) {
    for (const Node statement : NamedChildren(around)) {
      if (statement.range().end > at.range().start) break;
      if (BindsAnyway(statement, nodes) || ReadsAnyway(statement, name)) return false;
    }
    if (names_.ScopeNode(scope).range() == around.range()) break;
  }
  bool is_bound = false;
  for (const Binding& binding : names_.bindings()) {
    if (binding.scope != scope || binding.name != name || IsInjected(binding.node)) continue;
    const Node own = BlockOf(EnclosingStatement(binding.node));
    const bool is_first =
        binding.node.range().start < at.range().start && (own == block || own.IsAncestorOf(block));
    if (binding.kind == BindingKind::kParameter || is_first) return false;
    is_bound = true;
  }
  return is_bound;
}

bool InjectFile::HasStarImport(std::string_view package) const {
  return std::ranges::any_of(names_.star_imports(),
                             [&](const auto& s) { return IsInside(package, s); });
}

std::string InjectFile::FreshName(std::string_view wanted, Node at) const {
  const uint32_t scope = names_.ScopeOf(at);
  std::string name(wanted);
  for (int i = 1; IsUsedByAuthor(name, scope); ++i) {
    name = "npu_" + std::string(wanted) + (i > 1 ? std::to_string(i) : std::string());
  }
  return name;
}

bool InjectFile::IsUsedByAuthor(std::string_view name, uint32_t scope) const {
  const TextRange inside = names_.ScopeNode(scope).range();
  for (const Node node : NodesIn(tree_)) {
    if (!node.Is(NodeKind::kIdentifier) || node.text() != name) continue;
    if (!inside.Contains(node.range()) || IsInjected(node)) continue;
    const Node parent = node.parent();
    const bool is_label = (parent.Is(NodeKind::kAttribute) && node.field() == Field::kAttribute) ||
                          (parent.Is(NodeKind::kKeywordArgument) && node.field() == Field::kName);
    if (is_label || IsPartOfModuleName(node)) continue;
    if (scope != 0) return true;
    // At module level: a local variable of a function that is called alike is another one.
    const std::vector<const Binding*> bindings = names_.BindingsOf(node);
    const bool is_local =
        !bindings.empty() &&
        std::ranges::all_of(bindings, [](const Binding* binding) { return binding->scope != 0; });
    if (!is_local && names_.ScopeOf(node) == 0) return true;
    if (!is_local && !bindings.empty()) return true;
  }
  return false;
}

std::optional<ValueSource> InjectFile::FunctionOf(Node call) const {
  for (const Callee& callee : CalleesOf(call)) {
    auto found = values_.DefinitionOf(callee.expression);
    if (found && found->node.Is(NodeKind::kFunctionDefinition)) return found;
  }
  return std::nullopt;
}

Node InjectFile::LocalFunction(Node call) const {
  const auto function = FunctionOf(call);
  return function && function->file == nullptr ? function->node : Node();
}

std::string InjectFile::FunctionText(Node call) const {
  const auto function = FunctionOf(call);
  return function ? std::string(function->node.text()) : std::string();
}

std::vector<std::shared_ptr<const OpenedFile>> InjectFile::ImportersOf(
    const std::string& path) const {
  std::vector<std::shared_ptr<const OpenedFile>> importers;
  if (project_ == nullptr) return importers;
  const std::filesystem::path file(path);
  // A package goes by the name of its folder.
  const std::string name =
      (ProjectIndex::IsPackage(path) ? file.parent_path().filename() : file.stem()).string();
  for (const std::string& other : project_->FilesSpelling(name)) {
    const auto opened = other == path ? nullptr : project_->Open(other);
    const bool imports =
        opened != nullptr && std::ranges::any_of(NodesIn(opened->tree()), [&](Node node) {
          return IsImport(node) && IsOneOf(path, FilesOfImport(node, opened->names(), *project_));
        });
    if (imports) importers.push_back(opened);
  }
  return importers;
}

Node BlockOf(Node statement) {
  Node node = statement.parent();
  while (node && !IsBlock(node)) node = node.parent();
  return node;
}

Node CommonBlock(Node a, Node b) {
  Node block = IsBlock(a) ? a : BlockOf(a);
  while (block && !(block.IsAncestorOf(b) || block == b)) block = BlockOf(block);
  return block;
}

Node StatementIn(Node block, Node node) {
  while (node && node.parent() && node.parent() != block) node = node.parent();
  return node;
}

bool IsAlwaysEvaluated(Node node) {
  for (Node child = node, up = node.parent(); up && !IsBlock(up); child = up, up = up.parent()) {
    if (up.Is(NodeKind::kConditionalExpression)) return false;
    if (up.Is(NodeKind::kBooleanOperator) && child != up.first_named_child()) return false;
  }
  return true;
}

bool IsEvaluatedElsewhere(Node node) {
  for (Node child = node, up = node.parent(); up; child = up, up = up.parent()) {
    if (IsBlock(up)) return up.parent().Is(NodeKind::kClassDefinition);
    const bool elsewhere = up.Is(NodeKind::kLambda) || IsComprehensionKind(up) ||
                           up.Is(NodeKind::kDefaultParameter) ||
                           up.Is(NodeKind::kTypedDefaultParameter) || up.Is(NodeKind::kDecorator) ||
                           up.Is(NodeKind::kElifClause) || up.Is(NodeKind::kWhileStatement) ||
                           up.Is(NodeKind::kClassDefinition) || up.Is(NodeKind::kCaseClause);
    if (elsewhere) return true;
  }
  return false;
}

}  // namespace transplt
