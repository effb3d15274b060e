// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/name_table.h"

#include <algorithm>

#include "transplt/python/binder.h"

namespace transplt {
namespace {

/// Long enough for every alias of an alias that people write, short enough for cyclic ones.
constexpr int kMaxDepth = 8;

bool IsLoop(NodeKind kind) {
  return kind == NodeKind::kForStatement || kind == NodeKind::kWhileStatement;
}

/// True if running past `binding` is certain wherever `use` runs: no branch lies between the
/// binding and the block that both share.
bool AlwaysPrecedes(const Binding& binding, Node use) {
  Node block = binding.statement ? binding.statement.parent() : binding.node.parent();
  while (block && block.kind() != NodeKind::kBlock && block.kind() != NodeKind::kModule) {
    if (IsLoop(block.kind())) return false;
    block = block.parent();
  }
  return block && (block.kind() == NodeKind::kModule || block.IsAncestorOf(use));
}

/// In `b = b.cuda()` the right side still means the older `b`.
bool HoldsUse(const Binding& binding, Node use) {
  return binding.value && (binding.value == use || binding.value.IsAncestorOf(use));
}

bool IsInLoopWith(Node use, const Binding& binding) {
  for (Node node = use.parent(); node; node = node.parent()) {
    if (IsLoop(node.kind()) && node.IsAncestorOf(binding.node)) return true;
  }
  return false;
}

void AddUnique(std::vector<QualifiedName>& names, QualifiedName name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

Node GetattrName(Node call) {
  Node function = call.Child(Field::kFunction);
  Node arguments = call.Child(Field::kArguments);
  if (!function.Is(NodeKind::kIdentifier) || function.text() != "getattr") return {};
  if (!arguments.Is(NodeKind::kArgumentList)) return {};
  Node object = arguments.first_named_child();
  Node name = object ? object.next_named_sibling() : Node();
  return name.Is(NodeKind::kString) ? PlainStringContent(name) : Node();
}

}  // namespace

Node PlainStringContent(Node string) {
  Node start = string.first_child();
  if (!start.Is(NodeKind::kStringStart)) return {};
  for (char c : start.text()) {
    if (c == 'f' || c == 'F' || c == 'b' || c == 'B' || c == 't' || c == 'T') return {};
  }
  Node content = start.next_sibling();
  if (!content.Is(NodeKind::kStringContent) || content.first_child()) return {};
  return content.next_sibling().Is(NodeKind::kStringEnd) ? content : Node();
}

Chain ChainOf(Node expression) {
  Chain chain;
  std::vector<Node> reversed;
  Node node = expression;
  while (node) {
    if (node.Is(NodeKind::kAttribute)) {
      reversed.push_back(node.Child(Field::kAttribute));
      node = node.Child(Field::kObject);
    } else if (node.Is(NodeKind::kParenthesizedExpression)) {
      node = node.first_named_child();
    } else if (node.Is(NodeKind::kMemberType)) {
      Node type = node.first_named_child();
      if (!type) break;
      reversed.push_back(type.next_named_sibling());
      node = type.Is(NodeKind::kType) ? type.first_named_child() : type;
    } else if (Node name = node.Is(NodeKind::kCall) ? GetattrName(node) : Node()) {
      reversed.push_back(name);
      node = node.Child(Field::kArguments).first_named_child();
    } else if (node.Is(NodeKind::kDottedName)) {
      std::vector<Node> parts;
      for (Node part = node.first_named_child(); part; part = part.next_named_sibling()) {
        parts.push_back(part);
      }
      while (parts.size() > 1) {
        reversed.push_back(parts.back());
        parts.pop_back();
      }
      node = parts.empty() ? Node() : parts.front();
      break;
    } else {
      break;
    }
  }
  chain.head = node;
  chain.parts.assign(reversed.rbegin(), reversed.rend());
  return chain;
}

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
    auto found = scope_of_node_.find(parent.id());
    if (found == scope_of_node_.end()) continue;
    // Decorators, defaults, annotations, bases and the first iterable of a comprehension are
    // evaluated outside; the names of the parameters themselves belong inside.
    const Field field = child.field();
    if (parent.Is(NodeKind::kFunctionDefinition) || parent.Is(NodeKind::kLambda)) {
      if (field == Field::kBody) return found->second;
      if (field == Field::kParameters && Binder::IsParameterName(node, child)) return found->second;
      continue;
    }
    if (parent.Is(NodeKind::kClassDefinition)) {
      if (field == Field::kBody) return found->second;
      continue;
    }
    if (parent.Is(NodeKind::kModule)) return 0;
    if (!Binder::IsFirstIterable(parent, node)) return found->second;
  }
  return 0;
}

const std::vector<uint32_t>* NameTable::FindBindings(Node use, uint32_t* scope) const {
  const std::string_view name = use.text();
  uint32_t current = ScopeOf(use);
  auto declared = [&](const std::vector<std::string_view>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (bool first = true;; first = false) {
    const Scope& candidate = scopes_[current];
    if (declared(candidate.globals)) {
      current = 0;
    } else if ((!candidate.is_class || first) && !declared(candidate.nonlocals)) {
      auto found = candidate.bindings.find(name);
      if (found != candidate.bindings.end()) {
        *scope = current;
        return &found->second;
      }
    }
    if (current == 0) {
      auto found = scopes_[0].bindings.find(name);
      *scope = 0;
      return found == scopes_[0].bindings.end() ? nullptr : &found->second;
    }
    current = scopes_[current].parent;
  }
}

std::vector<const Binding*> NameTable::BindingsOf(Node identifier) const {
  uint32_t scope = 0;
  const std::vector<uint32_t>* found = FindBindings(identifier, &scope);
  std::vector<const Binding*> result;
  if (found == nullptr) return result;
  size_t first = 0;
  size_t last = found->size();
  if (scope == ScopeOf(identifier)) {
    // In its own scope a name means the latest binding that certainly ran, and what may have
    // replaced it since; later bindings reach it only around a loop.
    size_t before = 0;
    while (before < last && bindings_[(*found)[before]].node.id() < identifier.id() &&
           !HoldsUse(bindings_[(*found)[before]], identifier)) {
      ++before;
    }
    for (size_t i = before; i-- > 0;) {
      if (AlwaysPrecedes(bindings_[(*found)[i]], identifier)) {
        first = i;
        last = before;
        break;
      }
    }
    for (size_t i = last; i < found->size(); ++i) {
      const Binding& later = bindings_[(*found)[i]];
      if (last < found->size() && IsInLoopWith(identifier, later)) result.push_back(&later);
    }
  }
  for (size_t i = last; i-- > first;) result.insert(result.begin(), &bindings_[(*found)[i]]);
  return result;
}

std::vector<QualifiedName> NameTable::Resolve(Node expression) const {
  return ResolveAt(expression, 0);
}

bool NameTable::IsNamed(Node expression, std::string_view name) const {
  for (const QualifiedName& candidate : Resolve(expression)) {
    if (!candidate.local && candidate.name == name) return true;
  }
  return false;
}

std::vector<QualifiedName> NameTable::ResolveAt(Node expression, int depth) const {
  if (!expression || depth > kMaxDepth) return {};
  if (expression.Is(NodeKind::kConditionalExpression)) {
    Node yes = expression.first_named_child();
    Node condition = yes ? yes.next_named_sibling() : Node();
    std::vector<QualifiedName> names = ResolveAt(yes, depth + 1);
    Node no = condition ? condition.next_named_sibling() : Node();
    for (QualifiedName& name : ResolveAt(no, depth + 1)) AddUnique(names, std::move(name));
    return names;
  }
  const Chain chain = ChainOf(expression);
  if (!chain.head.Is(NodeKind::kIdentifier)) {
    return chain.head.Is(NodeKind::kConditionalExpression) && chain.parts.empty()
               ? ResolveAt(chain.head, depth + 1)
               : std::vector<QualifiedName>();
  }
  std::vector<QualifiedName> names = ResolveIdentifier(chain.head, depth);
  for (QualifiedName& name : names) {
    for (size_t i = 0; i < chain.parts.size(); ++i) {
      const std::string_view part = chain.parts[i].text();
      // `compat.th.cuda` where compat.py says `import torch as th`.
      if (exports_ != nullptr && !name.local) {
        auto found = exports_->Find(tree_.source().path(), name.name, part);
        if (found && !found->empty()) {
          name = found->front();
          continue;
        }
      }
      name.name.append(".").append(part);
    }
  }
  return names;
}

std::vector<QualifiedName> NameTable::ResolveIdentifier(Node identifier, int depth) const {
  std::vector<QualifiedName> names;
  uint32_t scope = 0;
  if (FindBindings(identifier, &scope) == nullptr) {
    names = ResolveStar(identifier.text());
    if (names.empty()) names.push_back({std::string(identifier.text()), false});
    return names;
  }
  for (const Binding* binding : BindingsOf(identifier)) AddOrigins(*binding, depth, names);
  return names;
}

std::vector<QualifiedName> NameTable::ResolveStar(std::string_view name) const {
  if (exports_ == nullptr) return {};
  for (auto module = star_imports_.rbegin(); module != star_imports_.rend(); ++module) {
    auto found = exports_->Find(tree_.source().path(), *module, name);
    if (found && !found->empty()) return *found;
  }
  return {};
}

void NameTable::AddOrigins(const Binding& binding, int depth,
                           std::vector<QualifiedName>& names) const {
  switch (binding.kind) {
    case BindingKind::kImport: {
      const size_t dot = binding.target.rfind('.');
      if (exports_ != nullptr && dot != std::string::npos) {
        auto found = exports_->Find(tree_.source().path(), binding.target.substr(0, dot),
                                    binding.target.substr(dot + 1));
        if (found && !found->empty()) {
          for (QualifiedName& name : *found) AddUnique(names, std::move(name));
          return;
        }
      }
      AddUnique(names, {binding.target, false});
      return;
    }
    case BindingKind::kAssignment:
      for (QualifiedName& name : ResolveAt(binding.value, depth + 1)) {
        AddUnique(names, std::move(name));
      }
      return;
    case BindingKind::kFunction:
    case BindingKind::kClass:
      AddUnique(names, {std::string(binding.name), true});
      return;
    case BindingKind::kParameter:
    case BindingKind::kOther:
      return;
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
  auto without_blanks = [](std::string_view text) {
    std::string result;
    for (char c : text) {
      if (c != ' ' && c != '\t' && c != '\\' && c != '\n' && c != '\r') result.push_back(c);
    }
    return result;
  };
  if (!module.Is(NodeKind::kRelativeImport)) return without_blanks(module.text());
  std::string text = without_blanks(module.text());
  const size_t dots = std::min(text.find_first_not_of('.'), text.size());
  std::string base = package_;
  for (size_t i = 1; i < dots; ++i) {
    const size_t dot = base.rfind('.');
    base.resize(dot == std::string::npos ? 0 : dot);
  }
  const std::string rest = text.substr(dots);
  if (base.empty()) return rest;
  return rest.empty() ? base : base + "." + rest;
}

}  // namespace transplt
