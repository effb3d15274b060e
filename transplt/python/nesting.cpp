// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/nesting.h"

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

std::vector<Node> LoopsIn(const SyntaxTree& tree) {
  std::vector<Node> loops;
  for (uint32_t id = 0; id < tree.size(); ++id) {
    if (IsLoop(tree.node(id).kind())) loops.push_back(tree.node(id));
  }
  return loops;
}

}  // namespace

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

NameTable::Nesting::Nesting(std::vector<Node> nodes) : nodes_(std::move(nodes)) {
  std::sort(nodes_.begin(), nodes_.end(), [](Node a, Node b) { return a.id() < b.id(); });
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  std::vector<size_t> open;
  for (size_t index = 0; index < nodes_.size(); ++index) {
    while (!open.empty() && !nodes_[open.back()].IsAncestorOf(nodes_[index])) open.pop_back();
    outer_.push_back(open.empty() ? kNone : open.back());
    open.push_back(index);
  }
}

size_t NameTable::Nesting::Around(Node node) const {
  const auto behind = std::lower_bound(nodes_.begin(), nodes_.end(), node.id(),
                                       [](Node a, uint32_t id) { return a.id() < id; });
  if (behind == nodes_.begin()) return kNone;
  auto index = static_cast<size_t>(behind - nodes_.begin()) - 1;
  while (index != kNone && !nodes_[index].IsAncestorOf(node)) index = outer_[index];
  return index;
}

std::unique_ptr<const NameTable::Regions> NameTable::Regions::Of(const NameTable& table) {
  std::vector<const std::vector<uint32_t>*> lists;
  std::vector<Node> nodes;
  const auto region_of = [&](uint32_t index) {
    const Binding& binding = table.bindings_[index];
    return CertainRegion(binding, table.scopes_[binding.scope].node);
  };
  for (const auto& [name, candidates] : table.by_name_) {
    if (candidates.size() <= kFew) continue;
    lists.push_back(&candidates);
    for (uint32_t index : candidates) {
      if (const Node region = region_of(index)) nodes.push_back(region);
    }
  }
  if (lists.empty()) return nullptr;
  std::unique_ptr<Regions> regions(
      new Regions(Nesting(std::move(nodes)), Nesting(LoopsIn(table.tree_))));
  for (const std::vector<uint32_t>* candidates : lists) {
    auto& by_region = regions->certain_[candidates];
    for (size_t i = 0; i < candidates->size(); ++i) {
      if (const Node region = region_of((*candidates)[i])) by_region[region.id()].push_back(i);
    }
  }
  return regions;
}

size_t NameTable::Regions::BehindLastCertain(const std::vector<uint32_t>& candidates, size_t later,
                                             Node use) const {
  const auto& by_region = certain_.at(&candidates);
  size_t behind = 0;
  for (size_t at = regions_.Around(use); at != Nesting::kNone; at = regions_.Outer(at)) {
    const auto found = by_region.find(regions_[at].id());
    if (found == by_region.end()) continue;
    const std::vector<size_t>& places = found->second;
    const auto next = std::lower_bound(places.begin(), places.end(), later);
    if (next != places.begin()) behind = std::max(behind, *std::prev(next) + 1);
  }
  return behind;
}

Node NameTable::Regions::LoopAround(Node use, Node scope, const Binding* dominating) const {
  Node loop;
  for (size_t at = loops_.Around(use); at != Nesting::kNone; at = loops_.Outer(at)) {
    if (!scope.IsAncestorOf(loops_[at])) break;
    if (dominating != nullptr && loops_[at].IsAncestorOf(dominating->node)) break;
    loop = loops_[at];
  }
  return loop;
}

}  // namespace transplt
