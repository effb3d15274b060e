// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transplt/python/name_table.h"

namespace transplt {

/// Fills a NameTable: one walk over the tree that records every place where a name is bound.
class NameTable::Binder {
 public:
  explicit Binder(NameTable& table) : table_(table), tree_(table.tree_) {}

  void Run();

  /// True if `node`, somewhere below the `parameters` of a function, is the name of a parameter
  /// rather than a default or an annotation.
  static bool IsParameterName(Node node, Node parameters);
  /// True if `node` lies in the first iterable of `comprehension`, which is evaluated outside.
  static bool IsFirstIterable(Node comprehension, Node node);

 private:
  void OpenScope(Node node);
  void Visit(Node node);
  void BindImport(Node statement);
  void BindImportFrom(Node statement);
  void BindTarget(Node target, Node value, Node statement);
  void BindParameters(Node parameters, uint32_t scope);
  void Add(Node name, uint32_t scope, BindingKind kind, Node statement, Node value = {},
           std::string target = {});
  /// The scope that a binding inside `node` goes to: comprehensions do not take assignments of
  /// walrus expressions.
  uint32_t BindingScope(Node node, bool skip_comprehensions) const;

  NameTable& table_;
  const SyntaxTree& tree_;
};

}  // namespace transplt
