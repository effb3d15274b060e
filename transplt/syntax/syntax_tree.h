// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/edit.h"
#include "transplt/base/file_budget.h"
#include "transplt/base/source_file.h"
#include "transplt/syntax/node_kind.h"

struct TSTree;  // of tree-sitter

namespace transplt {

class SyntaxTree;

/// A node of a SyntaxTree: a value of two words, valid as long as the tree. Nodes are numbered
/// in the order of the text, parents before children.
class Node {
 public:
  Node() = default;
  Node(const SyntaxTree* tree, uint32_t id) : tree_(tree), id_(id) {}

  explicit operator bool() const { return tree_ != nullptr; }
  uint32_t id() const { return id_; }
  const SyntaxTree& tree() const { return *tree_; }

  /// A null node has no kind, no bytes, no parent and no children.
  NodeKind kind() const;
  Field field() const;
  TextRange range() const;
  /// The original bytes of the node.
  std::string_view text() const;
  bool Is(NodeKind kind) const { return tree_ != nullptr && this->kind() == kind; }
  bool IsToken(std::string_view text) const { return Is(NodeKind::kToken) && this->text() == text; }

  Node parent() const;
  /// Children with everything: tokens, comments, line continuations.
  Node first_child() const;
  Node next_sibling() const;
  /// The first child that is neither token nor comment nor line continuation.
  Node first_named_child() const;
  Node next_named_sibling() const;
  /// The child with this role, or a null node.
  Node Child(Field field) const;
  /// The id after the last descendant.
  uint32_t end_id() const;
  bool IsAncestorOf(Node other) const { return id_ < other.id_ && other.id_ < end_id(); }

  friend bool operator==(Node a, Node b) { return a.tree_ == b.tree_ && a.id_ == b.id_; }

 private:
  const SyntaxTree* tree_ = nullptr;
  uint32_t id_ = 0;
};

/// Parses Python with tree-sitter; one per thread, to be used again for the next file.
class Parser {
 public:
  Parser();
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  /// What parsing may take from now on; null: any amount. The meter must live until another one is
  /// set.
  void SetMeter(BudgetMeter* meter);
  BudgetMeter* meter() const;

 private:
  friend class SyntaxTree;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The syntax of one Python file, read-only, as a flat list of nodes.
///
/// What tree-sitter-python is known to read wrongly is repaired here (found by comparing with
/// CPython's ast): a splat at the head of a chain (`[*a.b()]`), and `type(x).attr = v`, which it
/// takes for a type alias. A part that is not valid Python is cut out by indentation, so that
/// what stands around it is read as if it were not there; `unparsed()` names these parts.
class SyntaxTree {
 public:
  /// If the parser's meter is spent before the end, the tree is empty, and all is unparsed.
  static SyntaxTree Parse(const SourceFile& source, Parser& parser);
  /// The tree of `edited`, which is this tree's source with `edits` made: the same as Parse()
  /// gives, but what no edit touches need not be parsed again.
  SyntaxTree ParseEdited(const SourceFile& edited, const EditList& edits, Parser& parser) const;
  /// Frees what only ParseEdited() needs, which is most of the memory; that then parses everything.
  void GiveUpParsingOn() { parsed_.reset(); }
  SyntaxTree(SyntaxTree&&) = default;
  SyntaxTree& operator=(SyntaxTree&&) = default;

  const SourceFile& source() const { return *source_; }
  /// Bytes that the nodes occupy.
  size_t memory() const { return entries_.capacity() * sizeof(Entry); }
  Node root() const { return {this, 0}; }
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  Node node(uint32_t id) const { return {this, id}; }
  /// The smallest node that holds `range`; for an empty range between two nodes the first of them.
  Node NodeAt(TextRange range) const;

  /// The ranges that are not valid Python, sorted. No node outside them is in doubt, and nothing
  /// in them is edited.
  const std::vector<TextRange>& unparsed() const { return unparsed_; }
  bool IsUnparsed(TextRange range) const;

 private:
  friend class Node;
  struct Entry {
    NodeKind kind;
    Field field;
    uint32_t start;
    uint32_t end;
    uint32_t parent;
    uint32_t subtree_end;
  };

  explicit SyntaxTree(const SourceFile* source) : source_(source) {}
  Node FirstNodeAround(uint32_t offset) const;
  class Builder;
  struct ParsedDeleter {
    void operator()(TSTree* tree) const;
  };
  using ParsedText = std::unique_ptr<TSTree, ParsedDeleter>;

  const SourceFile* source_;
  std::vector<Entry> entries_;
  std::vector<TextRange> unparsed_;
  ParsedText parsed_;  // null unless it is of the whole text as it is
};

inline NodeKind Node::kind() const {
  return tree_ == nullptr ? NodeKind::kNull : tree_->entries_[id_].kind;
}
inline Field Node::field() const { return tree_->entries_[id_].field; }
inline TextRange Node::range() const {
  return tree_ == nullptr ? TextRange{}
                          : TextRange{tree_->entries_[id_].start, tree_->entries_[id_].end};
}
inline std::string_view Node::text() const {
  return tree_ == nullptr ? std::string_view() : range().In(tree_->source().bytes());
}
inline uint32_t Node::end_id() const { return tree_->entries_[id_].subtree_end; }
inline Node Node::parent() const {
  return id_ == 0 ? Node() : Node(tree_, tree_->entries_[id_].parent);
}
inline Node Node::first_child() const {
  return tree_ != nullptr && end_id() > id_ + 1 ? Node(tree_, id_ + 1) : Node();
}
inline Node Node::next_sibling() const {
  if (id_ == 0 || end_id() >= parent().end_id()) return {};
  return {tree_, end_id()};
}
inline bool IsSkippable(NodeKind kind) {
  return kind == NodeKind::kToken || kind == NodeKind::kComment ||
         kind == NodeKind::kLineContinuation;
}
inline Node Node::first_named_child() const {
  Node child = first_child();
  while (child && IsSkippable(child.kind())) child = child.next_sibling();
  return child;
}
inline Node Node::next_named_sibling() const {
  Node next = next_sibling();
  while (next && IsSkippable(next.kind())) next = next.next_sibling();
  return next;
}

}  // namespace transplt
