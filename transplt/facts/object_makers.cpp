// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/object_makers.h"

#include <algorithm>

#include "transplt/facts/call_graph.h"
#include "transplt/facts/taken_values.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMakerDepth = 4;
constexpr size_t kMostExpressions = 200;
constexpr size_t kMostMakers = 40;

bool IsOwnObject(std::string_view text) { return text == "self" || text == "cls"; }

bool IsMember(Node node) {
  return node.Is(NodeKind::kAttribute) && IsOwnObject(node.Child(Field::kObject).text());
}

/// True for what holds an object under a name: the texts of the parts of a long chain grow with it.
bool IsPlace(Node node) { return node.Is(NodeKind::kIdentifier) || IsMember(node); }

/// The function or class around `node`; of a member of `self` the class.
Node ScopeAround(Node node, bool is_member) {
  Node up = node.parent();
  while (up && !up.Is(NodeKind::kClassDefinition) &&
         (is_member || !up.Is(NodeKind::kFunctionDefinition))) {
    up = up.parent();
  }
  return up;
}

}  // namespace

Origin OriginOf(const CodeFile& file, const QualifiedName& name) {
  if (const auto ref = Locate(file, name)) {
    return {ref->file, ref->member.empty() ? ref->name : ref->name + "." + ref->member};
  }
  return {"", name.name};
}

std::optional<Origin> OriginOfVariable(const CodeFile& file, Node identifier) {
  if (!identifier.Is(NodeKind::kIdentifier)) return std::nullopt;
  const NameTable::Meanings bindings = file.names().BindingsOf(identifier);
  const bool is_variable = bindings.size() == 1 && bindings[0]->kind == BindingKind::kAssignment &&
                           bindings[0]->scope == 0;
  if (!is_variable) return std::nullopt;
  return Origin{file.path(), std::string(identifier.text())};
}

ObjectMakers::ObjectMakers(const CodeFile& file) : file_(file) {
  for (const Node node : NodesIn(file.tree())) {
    if (node.Is(NodeKind::kAttribute)) {
      const Node object = node.Child(Field::kObject);
      if (!IsPlace(object)) continue;
      members_[PlaceOf(object)].emplace(node.Child(Field::kAttribute).text());
    } else if (node.Is(NodeKind::kAssignment)) {
      const Node left = node.Child(Field::kLeft);
      if (IsMember(left)) assigned_[PlaceOf(left)].push_back(node);
    }
  }
}

ObjectMakers::Place ObjectMakers::PlaceOf(Node object) const {
  const Node scope = ScopeAround(object, IsMember(object));
  return {scope ? scope.id() : 0, std::string(object.text())};
}

std::set<std::string> ObjectMakers::MembersUsedOf(Node object) const {
  if (!IsPlace(object)) return {};
  const auto found = members_.find(PlaceOf(object));
  return found == members_.end() ? std::set<std::string>() : found->second;
}

std::vector<Origin> ObjectMakers::Of(Node expression, int depth, Seen& seen) const {
  if (!expression || depth > kMakerDepth || seen.size() >= kMostExpressions) return {};
  if (!seen.insert(expression.id()).second) return {};
  if (expression.Is(NodeKind::kParenthesizedExpression) || expression.Is(NodeKind::kAwait)) {
    return Of(expression.first_named_child(), depth, seen);
  }
  if (expression.Is(NodeKind::kConditionalExpression)) {
    std::vector<Origin> makers = Of(expression.first_named_child(), depth + 1, seen);
    for (Origin& maker : Of(LastNamedChild(expression), depth + 1, seen)) {
      makers.push_back(std::move(maker));
    }
    return makers;
  }
  if (expression.Is(NodeKind::kCall)) return OfCall(expression, depth, seen);
  if (expression.Is(NodeKind::kIdentifier)) {
    return IsOwnObject(expression.text()) ? ClassAround(expression)
                                          : OfVariable(expression, depth, seen);
  }
  std::vector<Origin> makers;
  if (!IsMember(expression)) return makers;
  const auto found = assigned_.find(PlaceOf(expression));
  if (found == assigned_.end()) return makers;
  for (Node assignment : found->second) {
    if (assignment.IsAncestorOf(expression)) continue;
    if (const Node type = assignment.Child(Field::kType)) AddAnnotated(type, makers);
    for (Origin& maker : Of(assignment.Child(Field::kRight), depth + 1, seen)) {
      makers.push_back(std::move(maker));
    }
  }
  return makers;
}

std::vector<Origin> ObjectMakers::OfCall(Node call, int depth, Seen& seen) const {
  const Node callee = call.Child(Field::kFunction);
  if (callee.text() == "super") return ClassAround(call);
  if (IsOwnObject(callee.text())) return ClassAround(call);
  std::vector<Origin> makers;
  AddNamed(callee, makers);
  if (makers.empty()) {
    for (TakenValue& taken : TakenValuesOf(callee, file_)) {
      if (!taken.origin.file.empty()) makers.push_back(std::move(taken.origin));
    }
  }
  if (!makers.empty() || !callee.Is(NodeKind::kAttribute)) return makers;
  if (const auto holder = OriginOfVariable(file_, callee.Child(Field::kObject))) {
    makers.push_back(
        {holder->file, holder->name + "." + std::string(callee.Child(Field::kAttribute).text())});
  }
  // `engine.build()` gives what the method returns.
  for (const Origin& maker : Of(callee.Child(Field::kObject), depth + 1, seen)) {
    makers.push_back(
        {maker.file, maker.name + "." + std::string(callee.Child(Field::kAttribute).text())});
  }
  return makers;
}

std::vector<Origin> ObjectMakers::OfVariable(Node identifier, int depth, Seen& seen) const {
  std::vector<Origin> makers;
  const NameTable::Meanings bindings = file_.names().BindingsOf(identifier);
  // Of very many the nearest.
  for (size_t i = bindings.size() - std::min(bindings.size(), kMostMakers); i < bindings.size();
       ++i) {
    const Binding* binding = bindings[i];
    if (binding->kind == BindingKind::kAssignment) {
      const Node statement = binding->node.parent();
      const Node type =
          statement.Is(NodeKind::kAssignment) ? statement.Child(Field::kType) : Node();
      if (type) AddAnnotated(type, makers);
      for (Origin& maker : Of(binding->value, depth + 1, seen)) makers.push_back(std::move(maker));
    } else if (binding->kind == BindingKind::kParameter) {
      if (const Node type = binding->node.parent().Child(Field::kType)) AddAnnotated(type, makers);
    } else if (binding->kind == BindingKind::kImport) {
      AddImported(identifier, makers);
    }
  }
  return makers;
}

void ObjectMakers::AddNamed(Node expression, std::vector<Origin>& makers) const {
  for (const QualifiedName& name : file_.names().Resolve(expression)) {
    if (name.local && IsOfFunction(expression, file_.names())) continue;
    makers.push_back(OriginOf(file_, name));
  }
}

/// `from config import configs`: the variable of the other file, which knows what made it.
void ObjectMakers::AddImported(Node identifier, std::vector<Origin>& makers) const {
  for (const QualifiedName& name : file_.names().Resolve(identifier)) {
    Origin origin = OriginOf(file_, name);
    if (!origin.file.empty() && !origin.name.empty()) makers.push_back(std::move(origin));
  }
}

void ObjectMakers::AddAnnotated(Node annotation, std::vector<Origin>& makers) const {
  const Node name = annotation.Is(NodeKind::kType) ? annotation.first_named_child() : annotation;
  AddNamed(name, makers);
}

std::vector<Origin> ObjectMakers::ClassAround(Node node) const {
  const Node holder = file_.classes().EnclosingClass(node);
  if (!holder) return {};
  std::string name(holder.Child(Field::kName).text());
  const std::string around = OwnerOf(holder);  // of a class inside another one
  return {{file_.path(), around.empty() ? name : around + "." + name}};
}

}  // namespace transplt
