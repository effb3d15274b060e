// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>

#include "transplt/syntax/syntax_tree.h"

namespace transplt {

/// The nodes of a tree, or `node` with all below it, in the order of the text: for loops and for
/// the algorithms of std::ranges. A null node has none.
class NodesIn {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const SyntaxTree* tree, uint32_t id) : tree_(tree), id_(id) {}
    Node operator*() const { return {tree_, id_}; }
    Iterator& operator++() {
      ++id_;
      return *this;
    }
    Iterator operator++(int) { return {tree_, id_++}; }
    friend bool operator==(Iterator a, Iterator b) { return a.id_ == b.id_; }

   private:
    const SyntaxTree* tree_ = nullptr;
    uint32_t id_ = 0;
  };

  explicit NodesIn(const SyntaxTree& tree) : tree_(&tree), end_(tree.size()) {}
  explicit NodesIn(Node node) {
    if (!node) return;
    tree_ = &node.tree();
    begin_ = node.id();
    end_ = node.end_id();
  }
  Iterator begin() const { return {tree_, begin_}; }
  Iterator end() const { return {tree_, end_}; }

 private:
  const SyntaxTree* tree_ = nullptr;
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
};

/// The children of `node` that are neither tokens nor comments nor line continuations, likewise.
class NamedChildren {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(Node node) : node_(node) {}
    Node operator*() const { return node_; }
    Iterator& operator++() {
      node_ = node_.next_named_sibling();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(Iterator a, Iterator b) { return a.node_ == b.node_; }

   private:
    Node node_;
  };

  explicit NamedChildren(Node node) : node_(node) {}
  Iterator begin() const { return Iterator(node_.first_named_child()); }
  static Iterator end() { return {}; }

 private:
  Node node_;
};

/// The last of NamedChildren(node), or a null node.
inline Node LastNamedChild(Node node) {
  Node last;
  for (const Node child : NamedChildren(node)) last = child;
  return last;
}

/// `a` of `((a))`.
inline Node WithoutParentheses(Node expression) {
  while (expression.Is(NodeKind::kParenthesizedExpression)) {
    expression = expression.first_named_child();
  }
  return expression;
}

}  // namespace transplt
