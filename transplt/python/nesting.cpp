// SPDX-License-Identifier: Apache-2.0
#include "transplt/python/nesting.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "transplt/python/binder.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if what stands below a node of this kind may be passed over.
bool MayBeSkipped(NodeKind kind) {
  return kind == NodeKind::kBooleanOperator || kind == NodeKind::kConditionalExpression ||
         IsComprehension(kind) || kind == NodeKind::kLambda;
}

/// The `if` statement whose branch `block` is, or null.
Node StatementOfBranch(Node block) {
  Node clause = block.parent();
  if (!block.Is(NodeKind::kBlock) || !clause) return {};
  if (clause.Is(NodeKind::kElifClause) || clause.Is(NodeKind::kElseClause))
    clause = clause.parent();
  return clause.Is(NodeKind::kIfStatement) ? clause : Node();
}

/// What the branches of an `if` statement bind for certain, each its last one.
using Branches = std::map<uint32_t, Certainty>;  // by the id of the block

Node ElseOf(Node if_statement) {
  const Node last = LastNamedChild(if_statement);
  return last.Is(NodeKind::kElseClause) ? last : Node();
}

/// True if one of these branches has run wherever the program goes on behind the statement.
bool AreCertain(Node if_statement, const Branches& branches) {
  if (!ElseOf(if_statement)) return false;
  const auto has_run = [&](Node block) { return branches.contains(block.id()) || EndsFlow(block); };
  if (!has_run(if_statement.Child(Field::kConsequence))) return false;
  return std::ranges::all_of(NamedChildren(if_statement), [&](Node clause) {
    const bool is_branch = clause.Is(NodeKind::kElifClause) || clause.Is(NodeKind::kElseClause);
    return !is_branch || has_run(LastNamedChild(clause));
  });
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

std::vector<Certainty> CertaintiesOf(const std::vector<Binding>& bindings,
                                     const std::vector<uint32_t>& candidates, Node scope) {
  std::vector<Certainty> certainties;
  // Inner statements first: those around them need what they bind.
  std::map<uint32_t, std::pair<Node, Branches>, std::greater<>> statements;
  const auto add = [&](const Certainty& certainty) {
    certainties.push_back(certainty);
    const Node statement = StatementOfBranch(certainty.region);
    if (!statement) return;
    auto& [node, branches] = statements[statement.id()];
    node = statement;
    Certainty& last = branches.try_emplace(certainty.region.id(), certainty).first->second;
    if (last.first < certainty.first) last = certainty;
  };
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (const Node region = CertainRegion(bindings[candidates[i]], scope)) add({region, i, i});
  }
  while (!statements.empty()) {
    const auto [statement, branches] = std::move(statements.begin()->second);
    statements.erase(statements.begin());
    const Node around = statement.parent();
    const bool is_region = around.Is(NodeKind::kBlock) || around.Is(NodeKind::kModule);
    if (!is_region || !AreCertain(statement, branches)) continue;
    add({around, branches.begin()->second.first, branches.rbegin()->second.last});
  }
  return certainties;
}

size_t BehindBranches(const std::vector<Binding>& bindings, const std::vector<uint32_t>& candidates,
                      size_t last, Node use, Node scope) {
  const Node region = CertainRegion(bindings[candidates[last]], scope);
  const Node statement = region ? StatementOfBranch(region) : Node();
  if (!statement || !ElseOf(statement)) return 0;
  size_t behind = 0;
  for (const Certainty& certainty : CertaintiesOf(bindings, candidates, scope)) {
    if (certainty.last != last || !certainty.region.IsAncestorOf(use)) continue;
    behind = std::max(behind, certainty.first + 1);
  }
  return behind;
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

NameTable::Regions::Regions(const NameTable& table, std::vector<Node> loops)
    : loops_(std::move(loops)) {
  std::vector<Node> nodes;
  for (const auto& [name, candidates] : table.by_name_) {
    if (candidates.size() <= kFew) continue;
    const Node scope = table.scopes_[table.bindings_[candidates.front()].scope].node;
    std::vector<Certainty> certainties = CertaintiesOf(table.bindings_, candidates, scope);
    std::ranges::stable_sort(certainties, {}, &Certainty::last);
    auto& by_region = certain_[&candidates];
    for (const Certainty& certainty : certainties) {
      nodes.push_back(certainty.region);
      by_region[certainty.region.id()].push_back({certainty.last, certainty.first});
    }
  }
  regions_ = Nesting(std::move(nodes));
}

size_t NameTable::Regions::BehindLastCertain(const std::vector<uint32_t>& candidates, size_t later,
                                             Node use) const {
  const auto& by_region = certain_.at(&candidates);
  size_t behind = 0;
  for (size_t at = regions_.Around(use); at != Nesting::kNone; at = regions_.Outer(at)) {
    const auto found = by_region.find(regions_[at].id());
    if (found == by_region.end()) continue;
    const std::vector<Place>& places = found->second;
    const auto next = std::ranges::lower_bound(places, later, {}, &Place::last);
    if (next != places.begin()) behind = std::max(behind, std::prev(next)->first + 1);
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
