// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/binder.h"

#include <algorithm>
#include <utility>

#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

bool IsSequence(NodeKind kind) {
  return kind == NodeKind::kPatternList || kind == NodeKind::kTuplePattern ||
         kind == NodeKind::kListPattern || kind == NodeKind::kExpressionList ||
         kind == NodeKind::kTuple || kind == NodeKind::kList;
}

std::vector<Node> ListOfNamedChildren(Node node) {
  std::vector<Node> children;
  for (Node child = node.first_named_child(); child; child = child.next_named_sibling()) {
    children.push_back(child);
  }
  return children;
}

bool IsSplat(Node node) {
  return node.Is(NodeKind::kListSplat) || node.Is(NodeKind::kListSplatPattern);
}

/// The items of `value` if a target of `count` names takes them one by one, else none.
std::vector<Node> ItemsFor(Node value, size_t count) {
  while (value.Is(NodeKind::kParenthesizedExpression)) value = value.first_named_child();
  if (!value || !IsSequence(value.kind())) return {};
  std::vector<Node> items = ListOfNamedChildren(value);
  if (items.size() != count || std::any_of(items.begin(), items.end(), IsSplat)) return {};
  return items;
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

bool IsComprehension(NodeKind kind) {
  return kind == NodeKind::kListComprehension || kind == NodeKind::kSetComprehension ||
         kind == NodeKind::kDictionaryComprehension || kind == NodeKind::kGeneratorExpression;
}

bool OpensScope(NodeKind kind) {
  return kind == NodeKind::kModule || kind == NodeKind::kFunctionDefinition ||
         kind == NodeKind::kLambda || kind == NodeKind::kClassDefinition || IsComprehension(kind);
}

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
  for (uint32_t id = 1; id < tree_.size(); ++id) {
    const Node node = tree_.node(id);
    if (node.Is(NodeKind::kToken) || node.Is(NodeKind::kIdentifier)) continue;
    if (IsLoop(node)) loops_.push_back(node);
    Visit(node);
  }
  MoveNonlocals();
}

void NameTable::Binder::OpenScope(Node node) {
  const auto index = static_cast<uint32_t>(table_.scopes_.size());
  Scope scope;
  scope.node = node;
  if (index != 0) {
    scope.outer = StatementScope(node);
    scope.parent = table_.ScopeOf(node);
  }
  table_.scope_of_node_.emplace(node.id(), index);
  table_.scopes_.push_back(std::move(scope));
  open_scopes_.push_back(index);
  if (Node parameters = node.Child(Field::kParameters)) BindParameters(parameters, index);
}

uint32_t NameTable::Binder::StatementScope(Node statement) {
  // Statements stand in bodies only, so the innermost scope around them is theirs.
  while (table_.scopes_[open_scopes_.back()].node.end_id() <= statement.id()) {
    open_scopes_.pop_back();
  }
  return open_scopes_.back();
}

void NameTable::Binder::Visit(Node node) {
  switch (node.kind()) {
    case NodeKind::kLambda:
    case NodeKind::kListComprehension:
    case NodeKind::kSetComprehension:
    case NodeKind::kDictionaryComprehension:
    case NodeKind::kGeneratorExpression:
      OpenScope(node);
      break;
    case NodeKind::kForInClause:
      BindForIn(node);
      break;
    case NodeKind::kNamedExpression: {
      Binding binding;
      binding.kind = BindingKind::kAssignment;
      binding.value = node.Child(Field::kValue);
      binding.from = node.end_id();
      Add(node.Child(Field::kName), WalrusScope(node), std::move(binding));
      break;
    }
    case NodeKind::kAsPatternTarget:
      BindTarget(node.first_named_child(), {}, {}, table_.ScopeOf(node), node.id());
      break;
    case NodeKind::kCasePattern:
    case NodeKind::kKeywordPattern:
    case NodeKind::kSplatPattern:
      BindPattern(node);
      break;
    default:
      VisitStatement(node);
      break;
  }
}

void NameTable::Binder::VisitStatement(Node node) {
  switch (node.kind()) {
    case NodeKind::kFunctionDefinition:
    case NodeKind::kClassDefinition: {
      Binding binding;
      binding.kind =
          node.Is(NodeKind::kClassDefinition) ? BindingKind::kClass : BindingKind::kFunction;
      binding.statement = node;
      binding.from = node.end_id();
      Add(node.Child(Field::kName), StatementScope(node), std::move(binding));
      OpenScope(node);
      break;
    }
    case NodeKind::kImportStatement:
      BindImport(node);
      break;
    case NodeKind::kImportFromStatement:
      BindImportFrom(node);
      break;
    case NodeKind::kAssignment:
      BindTarget(node.Child(Field::kLeft), node.Child(Field::kRight), node, StatementScope(node),
                 node.end_id());
      break;
    case NodeKind::kAugmentedAssignment:
    case NodeKind::kTypeAliasStatement: {
      Node left = node.Child(Field::kLeft);
      if (left.Is(NodeKind::kType)) left = left.first_named_child();
      if (left.Is(NodeKind::kGenericType)) left = left.first_named_child();
      BindTarget(left, {}, node, StatementScope(node), node.end_id());
      break;
    }
    case NodeKind::kForStatement:
      if (Node body = node.Child(Field::kBody)) {
        BindTarget(node.Child(Field::kLeft), {}, node, StatementScope(node), body.id());
      }
      break;
    case NodeKind::kExceptClause:
      BindExcept(node);
      break;
    case NodeKind::kDeleteStatement:
      for (Node target : ListOfNamedChildren(node)) {
        BindTarget(target, {}, node, StatementScope(node), node.end_id());
      }
      break;
    case NodeKind::kGlobalStatement:
    case NodeKind::kNonlocalStatement:
      Declare(node);
      break;
    default:
      break;
  }
}

void NameTable::Binder::Declare(Node statement) {
  Scope& scope = table_.scopes_[StatementScope(statement)];
  auto& names = statement.Is(NodeKind::kGlobalStatement) ? scope.globals : scope.nonlocals;
  for (Node name : ListOfNamedChildren(statement)) names.insert(name.text());
}

void NameTable::Binder::BindImport(Node statement) {
  const uint32_t scope = StatementScope(statement);
  for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
    Binding binding;
    binding.kind = BindingKind::kImport;
    binding.statement = statement;
    binding.from = statement.end_id();
    if (item.Is(NodeKind::kAliasedImport)) {
      binding.target = Dotted(item.Child(Field::kName));
      Add(item.Child(Field::kAlias), scope, std::move(binding));
    } else if (Node first = item.first_named_child()) {
      binding.target = std::string(first.text());
      Add(first, scope, std::move(binding));
    }
  }
}

void NameTable::Binder::BindImportFrom(Node statement) {
  const uint32_t scope = StatementScope(statement);
  const std::string module = table_.ModuleOf(statement);
  for (Node item = statement.first_named_child(); item; item = item.next_named_sibling()) {
    if (item.Is(NodeKind::kWildcardImport)) table_.star_imports_.push_back(module);
    if (item.field() != Field::kName) continue;
    const bool has_alias = item.Is(NodeKind::kAliasedImport);
    Binding binding;
    binding.kind = BindingKind::kImport;
    binding.statement = statement;
    binding.from = statement.end_id();
    binding.target = MemberName(module, Dotted(has_alias ? item.Child(Field::kName) : item));
    Add(has_alias ? item.Child(Field::kAlias) : item.first_named_child(), scope,
        std::move(binding));
  }
}

Node NameTable::Binder::ChainedValue(Node value) {
  if (!value.Is(NodeKind::kAssignment)) return value;
  // The assignments inside of one that was visited before have its value.
  if (chain_.Holds(value)) return chain_.value;
  chain_.whole = value.parent();
  while (value.Is(NodeKind::kAssignment)) value = value.Child(Field::kRight);
  chain_.value = value;
  return value;
}

void NameTable::Binder::BindTarget(Node target, Node value, Node statement, uint32_t scope,
                                   uint32_t from) {
  value = ChainedValue(value);
  if (chain_.Holds(statement)) statement = chain_.whole;
  std::vector<std::pair<Node, Node>> pending = {{target, value}};
  while (!pending.empty()) {
    auto [item, item_value] = pending.back();
    pending.pop_back();
    while (item.Is(NodeKind::kParenthesizedExpression) || IsSplat(item)) {
      if (IsSplat(item)) item_value = {};
      item = item.first_named_child();
    }
    if (item.Is(NodeKind::kIdentifier)) {
      Binding binding;
      binding.kind = item_value ? BindingKind::kAssignment : BindingKind::kOther;
      binding.statement = statement;
      binding.value = item_value;
      binding.from = from;
      Add(item, scope, std::move(binding));
    } else if (item && IsSequence(item.kind())) {  // an attribute or a subscript binds no name
      const std::vector<Node> names = ListOfNamedChildren(item);
      const std::vector<Node> values = ItemsFor(item_value, names.size());
      for (size_t i = names.size(); i-- > 0;) {
        pending.emplace_back(names[i], values.empty() ? Node() : values[i]);
      }
    }
  }
}

void NameTable::Binder::BindForIn(Node clause) {
  const Node comprehension = clause.parent();
  if (!comprehension || !IsComprehension(comprehension.kind())) return;  // beside an error
  BindTarget(clause.Child(Field::kLeft), {}, clause, table_.scope_of_node_.at(comprehension.id()),
             clause.id());
}

void NameTable::Binder::BindExcept(Node clause) {
  const uint32_t scope = StatementScope(clause);
  Node alias = clause.Child(Field::kAlias);
  if (!alias) {
    // Python 2's `except Error, e`: the second of two values.
    const Node first = clause.Child(Field::kValue);
    const Node second = first ? first.next_named_sibling() : Node();
    if (second && second.field() == Field::kValue) alias = second;
  }
  if (alias) BindTarget(alias, {}, {}, scope, alias.id());
}

void NameTable::Binder::BindPattern(Node pattern) {
  // A capture is a dotted name of one word (also in `C(x=a)`), `*rest`, or what follows `as`.
  Node name;
  for (Node part = pattern.first_named_child(); part; part = part.next_named_sibling()) {
    const bool is_capture = part.Is(NodeKind::kDottedName) && ListOfNamedChildren(part).size() == 1;
    if (is_capture) name = part.first_named_child();
    const Node matched = part.Is(NodeKind::kAsPattern) ? part.first_named_child() : Node();
    if (matched) name = matched.next_named_sibling();
    if (part.Is(NodeKind::kIdentifier) && pattern.Is(NodeKind::kSplatPattern)) name = part;
  }
  if (!name.Is(NodeKind::kIdentifier)) return;
  Binding binding;
  binding.from = name.id();
  Add(name, StatementScope(pattern), std::move(binding));
}

void NameTable::Binder::BindParameters(Node parameters, uint32_t scope) {
  for (Node item = parameters.first_named_child(); item; item = item.next_named_sibling()) {
    Node name = item.Child(Field::kName);
    if (!name) name = item.Is(NodeKind::kTypedParameter) ? item.first_named_child() : item;
    // All identifiers of `a`, `*a`, `**a` and Python 2's `(a, (b, c))` are names.
    for (uint32_t id = name ? name.id() : 0; name && id < name.end_id(); ++id) {
      const Node part = tree_.node(id);
      if (!part.Is(NodeKind::kIdentifier)) continue;
      Binding binding;
      binding.kind = BindingKind::kParameter;
      binding.value = item.Child(Field::kValue);
      binding.from = part.id();
      Add(part, scope, std::move(binding));
    }
  }
}

uint32_t NameTable::Binder::WalrusScope(Node node) const {
  uint32_t scope = table_.ScopeOf(node);
  while (IsComprehension(table_.scopes_[scope].node.kind())) scope = table_.scopes_[scope].parent;
  return scope;
}

void NameTable::Binder::Add(Node name, uint32_t scope, Binding binding) {
  if (!name) return;
  const auto index = static_cast<uint32_t>(table_.bindings_.size());
  if (table_.scopes_[scope].globals.contains(name.text())) scope = 0;
  if (table_.scopes_[scope].nonlocals.contains(name.text())) nonlocals_.push_back(index);
  binding.name = name.text();
  binding.scope = scope;
  binding.node = name;
  std::vector<uint32_t>& known = table_.by_name_[{scope, binding.name}];
  auto place = known.end();
  while (place != known.begin() && table_.bindings_[*std::prev(place)].from > binding.from) --place;
  known.insert(place, index);
  table_.bindings_.push_back(std::move(binding));
}

void NameTable::Binder::MoveNonlocals() {
  for (uint32_t index : nonlocals_) {
    Binding& binding = table_.bindings_[index];
    uint32_t scope = table_.scopes_[binding.scope].parent;
    while (scope != 0 &&
           (table_.scopes_[scope].IsClass() || table_.FindIn(scope, binding.name) == nullptr)) {
      scope = table_.scopes_[scope].parent;
    }
    if (scope == 0) continue;  // an error of the program
    const auto inner = table_.by_name_.find({binding.scope, binding.name});
    std::erase(inner->second, index);
    if (inner->second.empty()) table_.by_name_.erase(inner);
    std::vector<uint32_t>& known = table_.by_name_[{scope, binding.name}];
    known.insert(std::upper_bound(known.begin(), known.end(), binding.from,
                                  [&](uint32_t from, uint32_t other) {
                                    return from < table_.bindings_[other].from;
                                  }),
                 index);
    binding.scope = scope;
  }
}

}  // namespace transplt
