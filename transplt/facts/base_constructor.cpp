// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/base_constructor.h"

#include <algorithm>

#include "transplt/python/callee.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kConstructor = "__init__";
constexpr int kMostLevels = 8;  // on the way up: bases may form a cycle

bool HasConstructor(Node definition, const NameTable& names) {
  return std::ranges::any_of(names.bindings(), [&](const Binding& binding) {
    return binding.name == kConstructor && names.ScopeNode(binding.scope) == definition;
  });
}

/// The class from outside the file whose constructor an object of the class `definition` inherits.
std::vector<QualifiedName> Inherited(Node definition, const NameTable& names) {
  for (int level = 0; level < kMostLevels && definition; ++level) {
    const Node bases = definition.Child(Field::kSuperclasses);
    const Node base = bases ? bases.first_named_child() : Node();
    if (!base || base.Is(NodeKind::kKeywordArgument)) return {};
    const Node own = OwnClass(base, names);
    if (!own) return names.Resolve(base);
    if (HasConstructor(own, names)) return {};
    definition = own;
  }
  return {};
}

}  // namespace

Node ClassAround(Node node, const NameTable& names) {
  for (uint32_t scope = names.ScopeOf(node); scope != 0; scope = names.ParentScope(scope)) {
    const Node holder = names.ScopeNode(scope);
    if (holder.Is(NodeKind::kClassDefinition)) return holder;
  }
  return {};
}

Node OwnClass(Node base, const NameTable& names) {
  if (!base.Is(NodeKind::kIdentifier)) return {};
  const NameTable::Meanings bindings = names.BindingsOf(base);
  const bool is_own = bindings.size() == 1 && bindings[0]->kind == BindingKind::kClass;
  return is_own ? bindings[0]->statement : Node();
}

std::optional<BaseConstructor> BaseConstructorOf(Node call, const NameTable& names) {
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute) || callee.Child(Field::kAttribute).text() != kConstructor) {
    return std::nullopt;
  }
  const Node object = callee.Child(Field::kObject);
  BaseConstructor constructor;
  if (object.Is(NodeKind::kCall)) {
    if (object.Child(Field::kFunction).text() != "super") return std::nullopt;
    constructor.bases = Inherited(ClassAround(call, names), names);
  } else {
    constructor.bases = names.Resolve(object);
    constructor.passes_self = true;
  }
  if (constructor.bases.empty()) return std::nullopt;
  return constructor;
}

}  // namespace transplt
