// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/distributed/program_text.h"

namespace transplt {

/// Nodes of several trees, in a fixed order: by file, then by place.
struct NodeBefore {
  bool operator()(Node a, Node b) const {
    const std::string& file_a = a.tree().source().path();
    const std::string& file_b = b.tree().source().path();
    return file_a != file_b ? file_a < file_b : a.id() < b.id();
  }
};
using NodeSet = std::set<Node, NodeBefore>;

/// A loop over batches in which gradients are computed.
struct DataLoop {
  Node loop;                   ///< `for` or `while`
  Node loader;                 ///< the expression whose batches it takes
  Node item;                   ///< what holds the batch; may be null
  std::string condition = {};  ///< without which the loop computes no gradients; empty: always
};

/// What a program trains, and where.
class TrainingText {
 public:
  TrainingText(const ProgramText& text, const MultiCardCalls& known);

  /// The calls that compute gradients, and what of each is the loss.
  const std::vector<std::pair<Node, Node>>& backwards() const { return backwards_; }
  /// Calls that make an optimizer.
  const std::vector<Node>& optimizers() const { return optimizers_; }
  const std::vector<DataLoop>& loops() const { return loops_; }
  /// The loops around data loops, from the inside to the outside.
  const NodeSet& outer_loops() const { return outer_loops_; }
  /// The loops around what computes gradients, where no data loop was found.
  const NodeSet& other_loops() const { return other_loops_; }
  /// The expressions whose result the loss is made of, and that a trained model computes: `model`
  /// of `model(x)`, and of `model.loss(x)`.
  const NodeSet& models() const { return models_; }
  /// The variables and attributes that hold a trained model, as the text calls them.
  const std::set<std::string>& names() const { return names_; }
  bool IsTrained(Node expression) const;
  /// True if a loop over batches stands in the function.
  bool HoldsLoop(Node function) const;
  /// True for a method of a model.
  bool IsOfModel(Node function) const;
  /// True if the loss is made of what `expression` holds.
  bool IsOfLoss(Node expression) const;
  /// True if the expression is a part of one that the loss is made of.
  bool IsInLoss(Node expression) const;
  /// True if the expression makes a loader of batches, or holds one.
  bool IsLoader(Node expression) const;
  /// The functions that the loops run, and those that hold them.
  const NodeSet& functions() const { return functions_; }

 private:
  void FindCalls();
  void FindParametersOf(Node expression, int depth);
  void MarkTrained(Node object);
  void FindLoaders();
  bool MakesLoader(Node call) const;
  void FindLoops(Node from, int depth);
  bool FindDataLoop(Node loop, Node backward);
  void Feed(Node expression, std::set<std::string>& seen, NodeSet& loaders, int depth) const;
  void FeedCall(Node call, std::set<std::string>& seen, NodeSet& loaders, int depth) const;
  std::string ConditionOf(Node loop, Node backward) const;
  void FollowLoss();
  void VisitLoss(Node expression);
  bool VisitModelCall(Node call);
  void FindFunctions();

  const ProgramText& text_;
  const MultiCardCalls& known_;
  std::vector<std::pair<Node, Node>> backwards_;
  std::vector<Node> optimizers_;
  std::vector<DataLoop> loops_;
  NodeSet outer_loops_;
  NodeSet other_loops_;
  NodeSet models_;
  NodeSet functions_;
  NodeSet seen_calls_;             // on the way from gradients outwards
  std::set<std::string> trained_;  // joined slots
  std::set<std::string> names_;
  std::set<std::string> loaders_;  // joined slots
  std::set<std::string> of_loss_;  // slots
  std::vector<Node> open_;         // of VisitLoss
  NodeSet visited_;
};

}  // namespace transplt
