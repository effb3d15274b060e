// SPDX-License-Identifier: Apache-2.0
// The part of NameTable that says what names stand for.
#include <algorithm>

#include "transplt/python/name_table.h"

namespace transplt {
namespace {

/// Long enough for every alias of an alias that people write.
constexpr int kMaxDepth = 16;
/// For a name that is bound in many branches to what is itself bound in many branches.
constexpr int kMaxSteps = 400;
constexpr size_t kMaxNames = 32;

void AddUnique(std::vector<QualifiedName>& names, QualifiedName name) {
  if (names.size() == kMaxNames) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

/// The `b` of `a.b` and of `f(b=1)` is an identifier too, but not a name that is looked up.
bool IsLabel(Node node) {
  if (!node.Is(NodeKind::kIdentifier)) return false;
  const Node parent = node.parent();
  return (parent.Is(NodeKind::kAttribute) && node.field() == Field::kAttribute) ||
         (parent.Is(NodeKind::kKeywordArgument) && node.field() == Field::kName);
}

}  // namespace

std::vector<QualifiedName> NameTable::Resolve(Node expression) const {
  if (IsLabel(expression)) return {};
  Trail trail;
  return Resolve(expression, trail);
}

bool NameTable::IsNamed(Node expression, std::string_view name) const {
  const std::vector<QualifiedName> names = Resolve(expression);
  return std::any_of(names.begin(), names.end(), [&](const QualifiedName& candidate) {
    return !candidate.local && candidate.name == name;
  });
}

std::vector<QualifiedName> NameTable::Resolve(Node expression, Trail& trail) const {
  if (!expression || trail.depth > kMaxDepth || ++trail.steps > kMaxSteps) return {};
  ++trail.depth;
  const Chain chain = ChainOf(expression);
  std::vector<QualifiedName> names;
  if (chain.head.Is(NodeKind::kIdentifier)) {
    names = ResolveIdentifier(chain.head, trail);
  } else if (chain.head.Is(NodeKind::kConditionalExpression)) {
    names = ResolveBranches(chain.head, trail);
  }
  for (Node part : chain.parts) {
    std::vector<QualifiedName> members;
    for (const QualifiedName& name : names) AddMember(name, part.text(), members);
    names = std::move(members);
  }
  --trail.depth;
  return names;
}

std::vector<QualifiedName> NameTable::ResolveBranches(Node conditional, Trail& trail) const {
  std::vector<QualifiedName> names;
  std::vector<Node> branches = {conditional};
  while (!branches.empty() && trail.steps < kMaxSteps) {
    Node branch = branches.back();
    branches.pop_back();
    while (branch.Is(NodeKind::kParenthesizedExpression)) branch = branch.first_named_child();
    if (branch.Is(NodeKind::kConditionalExpression)) {
      const Node yes = branch.first_named_child();
      const Node condition = yes ? yes.next_named_sibling() : Node();
      branches.push_back(condition ? condition.next_named_sibling() : Node());
      branches.push_back(yes);
    } else {
      for (QualifiedName& name : Resolve(branch, trail)) AddUnique(names, std::move(name));
    }
  }
  return names;
}

std::vector<QualifiedName> NameTable::ResolveIdentifier(Node identifier, Trail& trail) const {
  const std::vector<const Binding*> bindings = BindingsOf(identifier);
  if (bindings.empty()) return ResolveUnbound(identifier.text());
  std::vector<QualifiedName> names;
  for (const Binding* binding : bindings) AddOrigins(*binding, trail, names);
  return names;
}

std::vector<QualifiedName> NameTable::ResolveUnbound(std::string_view name) const {
  std::vector<QualifiedName> names = {{std::string(name), false}};
  for (auto module = star_imports_.rbegin(); module != star_imports_.rend(); ++module) {
    if (exports_ != nullptr) {
      const auto found = exports_->Find(tree_.source().path(), *module, name);
      if (found && !found->empty()) return *found;
      if (found) continue;
    }
    if (!module->starts_with('.')) AddUnique(names, {*module + "." + std::string(name), false});
  }
  return names;
}

void NameTable::AddMember(const QualifiedName& name, std::string_view part,
                          std::vector<QualifiedName>& names) const {
  // `compat.th.cuda` where compat.py says `import torch as th`.
  if (exports_ != nullptr && !name.local) {
    const auto found = exports_->Find(tree_.source().path(), name.name, part);
    if (found && !found->empty()) {
      for (const QualifiedName& member : *found) AddUnique(names, member);
      return;
    }
  }
  AddUnique(names, {name.name + "." + std::string(part), name.local});
}

void NameTable::AddOrigins(const Binding& binding, Trail& trail,
                           std::vector<QualifiedName>& names) const {
  switch (binding.kind) {
    case BindingKind::kImport: {
      const size_t dot = binding.target.rfind('.');
      if (dot == std::string::npos) {
        AddUnique(names, {binding.target, false});
      } else {
        AddMember({binding.target.substr(0, dot), false},
                  std::string_view(binding.target).substr(dot + 1), names);
      }
      return;
    }
    case BindingKind::kAssignment: {
      std::vector<const Binding*>& path = trail.path;
      if (std::find(path.begin(), path.end(), &binding) != path.end()) return;
      path.push_back(&binding);
      for (QualifiedName& name : Resolve(binding.value, trail)) AddUnique(names, std::move(name));
      path.pop_back();
      return;
    }
    case BindingKind::kFunction:
    case BindingKind::kClass:
      AddUnique(names, {std::string(binding.name), true});
      return;
    case BindingKind::kParameter:
    case BindingKind::kOther:
      return;
  }
}

}  // namespace transplt
