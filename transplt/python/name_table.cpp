// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/name_table.h"

#include <algorithm>

#include "transplt/python/binder.h"
#include "transplt/python/nesting.h"
#include "transplt/python/origins.h"
#include "transplt/python/places_of_file.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

/// The `b` of `a.b` and of `f(b=1)` is an identifier too, but not a name that is looked up.
bool IsLabel(Node node) {
  if (!node.Is(NodeKind::kIdentifier)) return false;
  const Node parent = node.parent();
  return (parent.Is(NodeKind::kAttribute) && node.field() == Field::kAttribute) ||
         (parent.Is(NodeKind::kKeywordArgument) && node.field() == Field::kName);
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
  Binder binder(*this);
  binder.Run();
  regions_ = std::make_unique<const Regions>(*this, binder.loops());
  origins_ = std::make_unique<Origins>(*this);
}

NameTable::~NameTable() = default;

bool NameTable::IsEvaluatedIn(const Scope& scope, Node node) {
  const auto is_below = [node](Node part) {
    return part && (part == node || part.IsAncestorOf(node));
  };
  switch (scope.node.kind()) {
    case NodeKind::kFunctionDefinition:
    case NodeKind::kLambda: {
      if (is_below(scope.node.Child(Field::kBody))) return true;
      const Node parameters = scope.node.Child(Field::kParameters);
      return is_below(parameters) && Binder::IsParameterName(node, parameters);
    }
    case NodeKind::kClassDefinition:
      return is_below(scope.node.Child(Field::kBody));
    case NodeKind::kModule:
      return true;
    default:
      return !Binder::IsFirstIterable(scope.node, node);
  }
}

uint32_t NameTable::ScopeOf(Node node) const {
  // Scopes are numbered in the order of their nodes.
  const auto behind =
      std::lower_bound(scopes_.begin(), scopes_.end(), node.id(),
                       [](const Scope& scope, uint32_t id) { return scope.node.id() < id; });
  if (behind == scopes_.begin()) return 0;
  for (auto scope = static_cast<uint32_t>(behind - scopes_.begin()) - 1; scope != 0;
       scope = scopes_[scope].outer) {
    if (scopes_[scope].node.IsAncestorOf(node) && IsEvaluatedIn(scopes_[scope], node)) return scope;
  }
  return 0;
}

const std::vector<uint32_t>* NameTable::FindIn(uint32_t scope, std::string_view name) const {
  auto found = by_name_.find({scope, name});
  return found == by_name_.end() ? nullptr : &found->second;
}

NameTable::Range NameTable::Reaching(const std::vector<uint32_t>& candidates, Node use,
                                     bool* is_certain) const {
  const Node scope = scopes_[bindings_[candidates.front()].scope].node;
  const auto later = static_cast<size_t>(
      std::partition_point(candidates.begin(), candidates.end(),
                           [&](uint32_t index) { return bindings_[index].from <= use.id(); }) -
      candidates.begin());
  const bool are_many = candidates.size() > Regions::kFew;
  // The latest binding that certainly ran, and those that may have replaced it since.
  size_t behind = are_many ? regions_->BehindLastCertain(candidates, later, use) : later;
  while (!are_many && behind > 0) {
    const Node region = CertainRegion(bindings_[candidates[behind - 1]], scope);
    if (region && region.IsAncestorOf(use)) break;
    if (const size_t first = BehindBranches(bindings_, candidates, behind - 1, use, scope)) {
      behind = first;
      break;
    }
    --behind;
  }
  const Binding* certain = behind == 0 ? nullptr : &bindings_[candidates[behind - 1]];
  *is_certain = certain != nullptr;
  Range range{&candidates, certain == nullptr ? 0 : behind - 1, later};
  if (later == candidates.size()) return range;
  // Later ones reach it only around a loop.
  const Node loop = regions_->LoopAround(use, scope, certain);
  if (!loop) return range;
  range.last = static_cast<size_t>(
      std::partition_point(
          candidates.begin() + static_cast<std::ptrdiff_t>(later), candidates.end(),
          [&](uint32_t index) { return bindings_[index].node.id() < loop.end_id(); }) -
      candidates.begin());
  return range;
}

NameTable::Reach NameTable::ReachOf(Node identifier) const {
  const std::string_view name = identifier.text();
  const uint32_t own = ScopeOf(identifier);
  Range in_class;
  for (uint32_t current = own;;) {
    const Scope& scope = scopes_[current];
    const bool is_global = current != 0 && scope.globals.contains(name);
    const bool is_visible =
        (!scope.IsClass() || current == own) && !is_global && !scope.nonlocals.contains(name);
    if (const std::vector<uint32_t>* candidates = is_visible ? FindIn(current, name) : nullptr) {
      bool is_certain = false;
      Range range;
      if (current == own) range = Reaching(*candidates, identifier, &is_certain);
      if (scope.IsClass() && !is_certain) {
        // The body of a class looks outside for what it has not bound.
        in_class = range;
      } else {
        // Not bound before: the place of a comprehension, or code that runs in another order.
        if (range.empty()) range = {candidates, 0, candidates->size()};
        return {range, in_class};
      }
    }
    if (current == 0) return {in_class, Range()};
    current = is_global ? 0 : scope.parent;
  }
}

const PlacesOfFile& NameTable::places() const {
  std::call_once(places_made_, [this] { places_ = std::make_unique<const PlacesOfFile>(*this); });
  return *places_;
}

std::vector<QualifiedName> NameTable::Resolve(Node expression) const {
  return IsLabel(expression) ? std::vector<QualifiedName>() : origins_->Of(expression);
}

std::vector<QualifiedName> NameTable::ImportsGivenBy(Node call) const {
  return origins_->GivenBy(call);
}

bool NameTable::IsNamed(Node expression, std::string_view name) const {
  return !IsLabel(expression) && origins_->IsNamed(expression, name);
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
