// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/name_table.h"

#include <algorithm>

#include "transplt/python/binder.h"

namespace transplt {
namespace {

bool IsLoop(NodeKind kind) {
  return kind == NodeKind::kForStatement || kind == NodeKind::kWhileStatement;
}

/// True if what stands below a node of this kind may be passed over.
bool MayBeSkipped(NodeKind kind) {
  return kind == NodeKind::kBooleanOperator || kind == NodeKind::kConditionalExpression ||
         IsComprehension(kind) || kind == NodeKind::kLambda;
}

/// The part of the file in which, behind the binding, it is certain to have been made; a null
/// node if there is none.
Node CertainRegion(const Binding& binding, Node scope) {
  if (binding.kind == BindingKind::kParameter) return scope;
  const Node statement = binding.statement;
  if (statement.Is(NodeKind::kForStatement)) return statement.Child(Field::kBody);
  if (statement.Is(NodeKind::kForInClause)) return scope;
  if (statement.Is(NodeKind::kAssignment) && !statement.Child(Field::kRight)) return {};  // `x: T`
  for (Node node = statement ? statement : binding.node; node.parent();) {
    node = node.parent();
    const NodeKind kind = node.kind();
    if (kind == NodeKind::kBlock || kind == NodeKind::kModule || kind == NodeKind::kCaseClause ||
        kind == NodeKind::kExceptClause || kind == NodeKind::kElifClause) {
      return node;
    }
    if (MayBeSkipped(kind)) return {};
  }
  return {};
}

/// The outermost loop of its scope that repeats `use`, but not `dominating`.
Node LoopAround(Node use, Node scope, const Binding* dominating) {
  Node loop;
  for (Node node = use.parent(); node && !(node == scope); node = node.parent()) {
    if (!IsLoop(node.kind())) continue;
    if (dominating != nullptr && node.IsAncestorOf(dominating->node)) break;
    loop = node;
  }
  return loop;
}

bool Contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

NameTable::NameTable(const SyntaxTree& tree, std::string module, bool is_package,
                     const ModuleExports* exports)
    : tree_(tree), module_(std::move(module)), exports_(exports) {
  package_ = module_;
  if (!is_package) {
    const size_t dot = package_.rfind('.');
    package_.resize(dot == std::string::npos ? 0 : dot);
  }
  Binder(*this).Run();
}

uint32_t NameTable::ScopeOf(Node node) const {
  Node child = node;
  for (Node parent = node.parent(); parent; child = parent, parent = parent.parent()) {
    const NodeKind kind = parent.kind();
    if (!OpensScope(kind)) continue;
    // Decorators, defaults, annotations, bases and the first iterable of a comprehension are
    // evaluated outside; the names of the parameters themselves belong inside.
    const Field field = child.field();
    bool is_inside = true;
    if (kind == NodeKind::kFunctionDefinition || kind == NodeKind::kLambda) {
      is_inside = field == Field::kBody ||
                  (field == Field::kParameters && Binder::IsParameterName(node, child));
    } else if (kind == NodeKind::kClassDefinition) {
      is_inside = field == Field::kBody;
    } else if (IsComprehension(kind)) {
      is_inside = !Binder::IsFirstIterable(parent, node);
    }
    if (is_inside) return scope_of_node_.at(parent.id());
  }
  return 0;
}

const std::vector<uint32_t>* NameTable::FindIn(uint32_t scope, std::string_view name) const {
  auto found = by_name_.find({scope, name});
  return found == by_name_.end() ? nullptr : &found->second;
}

std::vector<const Binding*> NameTable::Reaching(const std::vector<uint32_t>& candidates, Node use,
                                                bool* is_certain) const {
  const Node scope = scopes_[bindings_[candidates.front()].scope].node;
  auto later = std::partition_point(candidates.begin(), candidates.end(), [&](uint32_t index) {
    return bindings_[index].from <= use.id();
  });
  // The latest binding that certainly ran, and those that may have replaced it since.
  std::vector<const Binding*> result;
  const Binding* certain = nullptr;
  for (auto earlier = later; earlier != candidates.begin() && certain == nullptr;) {
    const Binding& binding = bindings_[*--earlier];
    const Node region = CertainRegion(binding, scope);
    if (region && region.IsAncestorOf(use)) {
      certain = &binding;
    }
    result.push_back(&binding);
  }
  std::reverse(result.begin(), result.end());
  // Later ones reach it only around a loop.
  if (const Node loop = later == candidates.end() ? Node() : LoopAround(use, scope, certain)) {
    for (; later != candidates.end() && bindings_[*later].node.id() < loop.end_id(); ++later) {
      result.push_back(&bindings_[*later]);
    }
  }
  *is_certain = certain != nullptr;
  return result;
}

std::vector<const Binding*> NameTable::BindingsOf(Node identifier) const {
  const std::string_view name = identifier.text();
  const uint32_t own = ScopeOf(identifier);
  std::vector<const Binding*> in_class;
  for (uint32_t current = own;;) {
    const Scope& scope = scopes_[current];
    const bool is_global = current != 0 && Contains(scope.globals, name);
    const bool is_visible =
        (!scope.IsClass() || current == own) && !is_global && !Contains(scope.nonlocals, name);
    if (const std::vector<uint32_t>* candidates = is_visible ? FindIn(current, name) : nullptr) {
      bool is_certain = false;
      std::vector<const Binding*> result;
      if (current == own) result = Reaching(*candidates, identifier, &is_certain);
      if (scope.IsClass() && !is_certain) {
        // The body of a class looks outside for what it has not bound.
        in_class = std::move(result);
      } else {
        // Not bound before: the place of a comprehension, or code that runs in another order.
        if (result.empty()) {
          for (uint32_t index : *candidates) result.push_back(&bindings_[index]);
        }
        result.insert(result.end(), in_class.begin(), in_class.end());
        return result;
      }
    }
    if (current == 0) return in_class;
    current = is_global ? 0 : scope.parent;
  }
}

std::string NameTable::LocalNameOf(std::string_view module) const {
  for (const Binding& binding : bindings_) {
    if (binding.scope == 0 && binding.kind == BindingKind::kImport && binding.target == module) {
      return std::string(binding.name);
    }
  }
  return {};
}

std::string NameTable::ModuleOf(Node import_from) const {
  Node module = import_from.Child(Field::kModuleName);
  if (!module) return {};
  std::string text;
  for (char c : module.text()) {
    if (std::string_view(" \t\\\n\r\f").find(c) == std::string_view::npos) text.push_back(c);
  }
  if (!module.Is(NodeKind::kRelativeImport)) return text;
  const size_t dots = std::min(text.find_first_not_of('.'), text.size());
  const std::string rest = text.substr(dots);
  // One dot is the package of the file, each further one what holds it.
  std::string base = package_;
  size_t above_root = base.empty() ? dots : 0;
  for (size_t i = 1; i < dots && !base.empty(); ++i) {
    const size_t dot = base.rfind('.');
    base.resize(dot == std::string::npos ? 0 : dot);
    if (base.empty()) above_root = dots - i;
  }
  if (base.empty()) return std::string(above_root, '.') + rest;
  return rest.empty() ? base : base + "." + rest;
}

}  // namespace transplt
