// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// Some nodes of a tree, which hold one another: finds the one that holds a given node without a
/// way up through all nodes around it.
class NameTable::Nesting {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  Nesting() = default;
  explicit Nesting(std::vector<Node> nodes);

  Node operator[](size_t index) const { return nodes_[index]; }
  /// The innermost of the nodes that is an ancestor of `node`, or kNone.
  size_t Around(Node node) const;
  /// The next one outwards, or kNone.
  size_t Outer(size_t index) const { return outer_[index]; }

 private:
  std::vector<Node> nodes_;  // by id
  std::vector<size_t> outer_;
};

/// What repeats, and for names that are bound many times: where which binding is certain.
class NameTable::Regions {
 public:
  /// What few bindings mean is found by looking at each.
  static constexpr size_t kFew = 8;

  /// Of a table whose names are bound; `loops` are those of its tree.
  Regions(const NameTable& table, std::vector<Node> loops);

  /// The place behind the last of the first `later` candidates, more than a few, that is certain
  /// at `use`; 0 if there is none.
  size_t BehindLastCertain(const std::vector<uint32_t>& candidates, size_t later, Node use) const;
  /// The outermost loop in `scope` that repeats `use`, but not `dominating`, which may be null.
  Node LoopAround(Node use, Node scope, const Binding* dominating) const;

 private:
  Nesting regions_;
  Nesting loops_;
  struct Place {
    size_t last;   // Certainty::last
    size_t first;  // Certainty::first
  };
  /// By the list of candidates and the id of a region: which of them are certain in it.
  std::unordered_map<const std::vector<uint32_t>*, std::unordered_map<uint32_t, std::vector<Place>>>
      certain_;
};

/// The part of the file in which, behind the binding, it is certain to have been made; a null
/// node if there is none. `scope` is the node of the scope that it is made in.
Node CertainRegion(const Binding& binding, Node scope);

/// In `region`, once the candidate `last` is made, the name means the candidate `first` or a later
/// one: one binding, or those in all branches of an `if` statement.
struct Certainty {
  Node region;
  size_t first = 0;
  size_t last = 0;
};

/// In no order. `scope` is the node of the scope of the candidates, which are indexes of
/// `bindings`.
std::vector<Certainty> CertaintiesOf(const std::vector<Binding>& bindings,
                                     const std::vector<uint32_t>& candidates, Node scope);

/// Where the candidate `last` completes the branches of an `if` statement behind which `use`
/// stands: the place behind the candidate from which on one is certain; else 0.
size_t BehindBranches(const std::vector<Binding>& bindings, const std::vector<uint32_t>& candidates,
                      size_t last, Node use, Node scope);

}  // namespace transplt
