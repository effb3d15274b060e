// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/python/name_table.h"

namespace transplt {

/// What the bindings of a table stand for, each worked out once, so that a chain of aliases takes
/// as many steps as it has links, and no stack. Safe to use from several threads.
///
/// Bindings that lead to each other (`a = b.x` and `b = a` in a loop) are followed from each of
/// them on ways that pass no binding twice, within a limit of steps.
class NameTable::Origins {
 public:
  explicit Origins(const NameTable& table) : table_(table) {}

  std::vector<QualifiedName> Of(Node expression);
  /// What NameTable::ImportsGivenBy() says.
  std::vector<QualifiedName> GivenBy(Node call);
  /// True if one of the names of `expression` is `name` and not a local definition.
  bool IsNamed(Node expression, std::string_view name);

 private:
  using Names = std::vector<QualifiedName>;

  /// Of a binding, as Tarjan's algorithm for strongly connected components has it.
  struct Mark {
    uint32_t order = 0;  ///< in which it was come to; 0: not yet
    uint32_t lowest = 0;
    uint32_t cycle = 0;  ///< which of those bindings that lead to each other it is one of
    bool is_known = false;
    Names names;
  };
  /// What the bindings from one place in a list on stand for: each name with the place of the first
  /// binding that gives it. What a range of them stands for is the front of it.
  struct Growing {
    size_t known = 0;  ///< behind the last binding that is in it
    std::vector<std::pair<QualifiedName, size_t>> names;
  };
  /// A binding on the way.
  struct Step {
    uint32_t binding;
    std::vector<Range> ranges;  ///< what it leads to
    size_t range = 0;
    size_t next = 0;  ///< in ranges[range]
    bool is_cyclic = false;
  };
  /// The way through bindings that lead to each other.
  struct Trail {
    uint32_t cycle;
    std::vector<uint32_t> path;
    int steps = 0;
  };

  /// The names of a node, kept until another node takes its place: rules ask for one node again and
  /// again before they come to the next.
  struct Answer {
    uint32_t node = 0;
    bool is_known = false;
    Names names;
  };
  const Names& AnswerFor(Node expression);

  /// Makes known what all bindings stand for that `ranges` lead to.
  void Settle(const std::vector<Range>& ranges);
  void SettleFrom(uint32_t binding);
  void Enter(uint32_t binding);
  /// Goes to the next binding that the last step leads to; false if there is none.
  bool GoOn();
  void Leave();
  std::vector<Range> RangesIn(Node expression) const;
  size_t FirstUnknown(const Range& range) const;

  Names NamesOf(Node expression, Trail* trail, int depth);
  Names NamesOfHead(Node head, Trail* trail, int depth);
  Names NamesOfBranches(Node conditional, Trail* trail, int depth);
  /// What `callee("module")` gives, if it imports.
  Names NamesOfImport(Node callee, std::string_view module, Trail* trail, int depth);
  /// What `callee()` gives, if the function imports and returns it.
  Names NamesOfReturned(Node callee, Trail* trail, int depth);
  const Names& NamesOfUnbound(std::string_view name);
  void AddNames(const Range& range, Trail* trail, int depth, Names& names);
  void AddOnTrail(uint32_t binding, Trail& trail, int depth, Names& names);
  Names NamesOfBinding(uint32_t binding, Trail* trail, int depth);
  Growing& GrowingOf(const Range& range);

  const NameTable& table_;
  std::mutex mutex_;             // of the members below
  std::vector<Answer> answers_;  // by the last bits of the number of the node
  std::vector<Mark> marks_;      // by the index of the binding
  std::vector<Step> steps_;
  std::vector<uint32_t> open_;  // come to, and not known yet
  uint32_t last_order_ = 0;
  uint32_t last_cycle_ = 0;
  std::map<std::pair<const void*, size_t>, Growing> growing_;  // by list and first place
  std::unordered_map<std::string_view, Names> unbound_;
};

}  // namespace transplt
