// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

bool IsComprehension(NodeKind kind);
bool OpensScope(NodeKind kind);

/// Fills a NameTable: one walk over the tree that records every place where a name is bound.
class NameTable::Binder {
 public:
  explicit Binder(NameTable& table) : table_(table), tree_(table.tree_) {}

  void Run();

  /// The loops that it came by, in the order of the text.
  const std::vector<Node>& loops() const { return loops_; }

  /// True if `node`, somewhere below the `parameters` of a function, is the name of a parameter
  /// rather than a default or an annotation.
  static bool IsParameterName(Node node, Node parameters);
  /// True if `node` lies in the first iterable of `comprehension`, which is evaluated outside.
  static bool IsFirstIterable(Node comprehension, Node node);

 private:
  /// `a = b = value`: in the tree an assignment whose value is another one.
  struct Chained {
    Node whole;
    Node value;
    /// True for the assignments inside of the whole.
    bool Holds(Node node) const {
      return whole && value && node.Is(NodeKind::kAssignment) && node.id() > whole.id() &&
             node.id() < value.id();
    }
  };

  void OpenScope(Node node);
  void Visit(Node node);
  void VisitStatement(Node node);
  void Declare(Node statement);
  void BindImport(Node statement);
  void BindImportFrom(Node statement);
  /// Binds the names of a target; names in `value` are followed where both are sequences of equal
  /// length. What follows `from` in the tree can mean them.
  void BindTarget(Node target, Node value, Node statement, uint32_t scope, uint32_t from);
  /// What all targets of `a = b = value` get, of the value of one of them: in the tree the value of
  /// `a` is the assignment to `b`.
  Node ChainedValue(Node value);
  void BindForIn(Node clause);
  void BindExcept(Node clause);
  void BindPattern(Node pattern);
  void BindParameters(Node parameters, uint32_t scope);
  void Add(Node name, uint32_t scope, Binding binding);
  /// `nonlocal x` makes assignments in an inner function bindings of the outer one's x.
  void MoveNonlocals();
  /// The scope of the statement that is being visited.
  uint32_t StatementScope(Node statement);
  /// The scope that a walrus expression in `node` binds in: not that of a comprehension.
  uint32_t WalrusScope(Node node) const;

  NameTable& table_;
  const SyntaxTree& tree_;
  std::vector<uint32_t> open_scopes_;
  std::vector<Node> loops_;
  Chained chain_;                    // the last one
  std::vector<uint32_t> nonlocals_;  // indices of bindings of names declared `nonlocal`
};

}  // namespace transplt
