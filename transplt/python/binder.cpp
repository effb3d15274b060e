// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/binder.h"

namespace transplt {
namespace {

bool IsComprehension(NodeKind kind) {
  return kind == NodeKind::kListComprehension || kind == NodeKind::kSetComprehension ||
         kind == NodeKind::kDictionaryComprehension || kind == NodeKind::kGeneratorExpression;
}

bool OpensScope(NodeKind kind) {
  return kind == NodeKind::kModule || kind == NodeKind::kFunctionDefinition ||
         kind == NodeKind::kLambda || kind == NodeKind::kClassDefinition || IsComprehension(kind);
}

bool IsSequence(NodeKind kind) {
  return kind == NodeKind::kPatternList || kind == NodeKind::kTuplePattern ||
         kind == NodeKind::kListPattern || kind == NodeKind::kExpressionList ||
         kind == NodeKind::kTuple || kind == NodeKind::kList;
}

size_t CountNamed(Node node) {
  size_t count = 0;
  for (Node child = node.first_named_child(); child; child = child.next_named_sibling()) ++count;
  return count;
}

std::string Dotted(Node dotted_name) {
  std::string result;
  for (Node part = dotted_name.first_named_child(); part; part = part.next_named_sibling()) {
    if (!result.empty()) result.push_back('.');
    result.append(part.text());
  }
  return result;
}

}  // namespace

bool NameTable::Binder::IsParameterName(Node node, Node parameters) {
  for (Node child = node; child && !(child == parameters); child = child.parent()) {
    const Node parent = child.parent();
    if (parent.Is(NodeKind::kDefaultParameter) || parent.Is(NodeKind::kTypedDefaultParameter) ||
        parent.Is(NodeKind::kTypedParameter)) {
      if (child.field() == Field::kValue || child.field() == Field::kType) return false;
    }
  }
  return true;
}

bool NameTable::Binder::IsFirstIterable(Node comprehension, Node node) {
  for (Node clause = comprehension.first_named_child(); clause;
       clause = clause.next_named_sibling()) {
    if (!clause.Is(NodeKind::kForInClause)) continue;
    Node iterable = clause.Child(Field::kRight);
    return iterable && (iterable == node || iterable.IsAncestorOf(node));
  }
  return false;
}

void NameTable::Binder::Run() {
  OpenScope(tree_.root());
  for (uint32_t id = 1; id < tree_.size(); ++id) Visit(tree_.node(id));
}

void NameTable::Binder::OpenScope(Node node) {
  Scope scope;
  scope.node = node;
  scope.parent = node.id() == 0 ? 0 : table_.ScopeOf(node);
  scope.is_class = node.Is(NodeKind::kClassDefinition);
  table_.scope_of_node_.emplace(node.id(), static_cast<uint32_t>(table_.scopes_.size()));
  table_.scopes_.push_back(std::move(scope));
}

void NameTable::Binder::Visit(Node node) {
  const NodeKind kind = node.kind();
  if (kind == NodeKind::kToken || kind == NodeKind::kIdentifier) return;
  switch (kind) {
    case NodeKind::kFunctionDefinition:
    case NodeKind::kClassDefinition:
      Add(node.Child(Field::kName), table_.ScopeOf(node),
          kind == NodeKind::kClassDefinition ? BindingKind::kClass : BindingKind::kFunction, node);
      break;
    case NodeKind::kImportStatement:
      BindImport(node);
      break;
    case NodeKind::kImportFromStatement:
      BindImportFrom(node);
      break;
    case NodeKind::kAssignment:
      BindTarget(node.Child(Field::kLeft), node.Child(Field::kRight), node);
      break;
    case NodeKind::kAugmentedAssignment:
    case NodeKind::kForStatement:
    case NodeKind::kForInClause:
      BindTarget(node.Child(Field::kLeft), {}, node);
      break;
    case NodeKind::kNamedExpression:
      Add(node.Child(Field::kName), BindingScope(node, true), BindingKind::kAssignment, {},
          node.Child(Field::kValue));
      break;
    case NodeKind::kAsPatternTarget:
      BindTarget(node.first_named_child(), {}, {});
      break;
    case NodeKind::kExceptClause:
      BindTarget(node.Child(Field::kAlias), {}, {});
      break;
    case NodeKind::kDeleteStatement:
      for (Node target = node.first_named_child(); target; target = target.next_named_sibling()) {
        BindTarget(target, {}, node);
      }
      break;
    case NodeKind::kGlobalStatement:
    case NodeKind::kNonlocalStatement: {
      Scope& scope = table_.scopes_[table_.ScopeOf(node)];
      auto& names = kind == NodeKind::kGlobalStatement ? scope.globals : scope.nonlocals;
      for (Node name = node.first_named_child(); name; name = name.next_named_sibling()) {
        names.push_back(name.text());
      }
      break;
    }
    default:
      break;
  }
  if (OpensScope(kind)) {
    OpenScope(node);
    if (Node parameters = node.Child(Field::kParameters)) {
      BindParameters(parameters, static_cast<uint32_t>(table_.scopes_.size()) - 1);
    }
  }
}

void NameTable::Binder::BindImport(Node statement) {
  const uint32_t scope = table_.ScopeOf(statement);
  for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
    if (item.Is(NodeKind::kAliasedImport)) {
      Add(item.Child(Field::kAlias), scope, BindingKind::kImport, statement, {},
          Dotted(item.Child(Field::kName)));
    } else if (item.Is(NodeKind::kDottedName)) {
      Node first = item.first_named_child();
      Add(first, scope, BindingKind::kImport, statement, {}, std::string(first.text()));
    }
  }
}

void NameTable::Binder::BindImportFrom(Node statement) {
  const uint32_t scope = table_.ScopeOf(statement);
  const std::string module = table_.ModuleOf(statement);
  const std::string prefix = module.empty() ? "" : module + ".";
  for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
    if (item.Is(NodeKind::kWildcardImport)) {
      table_.star_imports_.push_back(module);
    } else if (item.field() != Field::kName) {
      continue;
    } else if (item.Is(NodeKind::kAliasedImport)) {
      Add(item.Child(Field::kAlias), scope, BindingKind::kImport, statement, {},
          prefix + Dotted(item.Child(Field::kName)));
    } else if (item.Is(NodeKind::kDottedName)) {
      Add(item.first_named_child(), scope, BindingKind::kImport, statement, {},
          prefix + Dotted(item));
    }
  }
}

void NameTable::Binder::BindTarget(Node target, Node value, Node statement) {
  if (!target) return;
  if (target.Is(NodeKind::kParenthesizedExpression) || target.Is(NodeKind::kAsPatternTarget)) {
    BindTarget(target.first_named_child(), value, statement);
    return;
  }
  if (target.Is(NodeKind::kIdentifier)) {
    // In `a = b = value` the right side of the first is the second assignment.
    while (value.Is(NodeKind::kAssignment)) value = value.Child(Field::kRight);
    const bool in_clause = statement.Is(NodeKind::kForInClause);
    Add(target, BindingScope(target, !in_clause && !statement),
        value ? BindingKind::kAssignment : BindingKind::kOther, statement, value);
    return;
  }
  if (target.Is(NodeKind::kListSplatPattern) || target.Is(NodeKind::kListSplat)) {
    BindTarget(target.first_named_child(), {}, statement);
    return;
  }
  if (!IsSequence(target.kind())) return;  // an attribute or a subscript binds no name
  // `a, b = c, d` goes pair by pair; any other unpacking gives values that are not followed.
  while (value.Is(NodeKind::kAssignment)) value = value.Child(Field::kRight);
  Node item = value && IsSequence(value.kind()) && CountNamed(value) == CountNamed(target)
                  ? value.first_named_child()
                  : Node();
  for (Node name = target.first_named_child(); name; name = name.next_named_sibling()) {
    BindTarget(name, item, statement);
    if (item) item = item.next_named_sibling();
  }
}

void NameTable::Binder::BindParameters(Node parameters, uint32_t scope) {
  for (Node item = parameters.first_named_child(); item; item = item.next_named_sibling()) {
    Node name = item.Child(Field::kName);
    if (!name) name = item.Is(NodeKind::kIdentifier) ? item : item.first_named_child();
    while (name && !name.Is(NodeKind::kIdentifier)) name = name.first_named_child();
    if (name) Add(name, scope, BindingKind::kParameter, {}, item.Child(Field::kValue));
  }
}

uint32_t NameTable::Binder::BindingScope(Node node, bool skip_comprehensions) const {
  uint32_t scope = table_.ScopeOf(node);
  while (skip_comprehensions && IsComprehension(table_.scopes_[scope].node.kind())) {
    scope = table_.scopes_[scope].parent;
  }
  return scope;
}

void NameTable::Binder::Add(Node name, uint32_t scope, BindingKind kind, Node statement, Node value,
                            std::string target) {
  if (!name) return;
  const std::string_view text = name.text();
  Scope& holder = table_.scopes_[scope];
  auto declared = [&](const std::vector<std::string_view>& names) {
    for (std::string_view declared_name : names) {
      if (declared_name == text) return true;
    }
    return false;
  };
  if (declared(holder.globals)) scope = 0;
  const auto index = static_cast<uint32_t>(table_.bindings_.size());
  table_.bindings_.push_back({text, scope, kind, name, statement, value, std::move(target)});
  table_.scopes_[scope].bindings[text].push_back(index);
}

}  // namespace transplt
