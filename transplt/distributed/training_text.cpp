// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/training_text.h"

#include <algorithm>

#include "transplt/facts/gradients.h"
#include "transplt/facts/training_calls.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kTrainingDepth = 12;

std::string_view MethodOf(Node call) {
  const Node callee = call.Child(Field::kFunction);
  return callee.Is(NodeKind::kAttribute) ? callee.Child(Field::kAttribute).text()
                                         : std::string_view();
}

bool GivesParameters(Node call) {
  const std::string_view method = MethodOf(call);
  return method == "parameters" || method == "named_parameters";
}

/// The loss of a call that computes gradients.
Node LossOf(Node call) {
  const Node callee = call.Child(Field::kFunction);
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (MethodOf(call) != "backward") return arguments.empty() ? Node() : arguments.front().value;
  const Node object = callee.Child(Field::kObject);
  // `optimizer.backward(loss)`, `torch.autograd.backward(loss)`: a gradient for a tensor that is no
  // number is an argument of the tensor's own method.
  const bool gets_loss = !arguments.empty() && arguments.front().keyword.empty() &&
                         object.Is(NodeKind::kAttribute) && object.text().ends_with("autograd");
  return gets_loss ? arguments.front().value : object;
}

}  // namespace

TrainingText::TrainingText(const ProgramText& text, const MultiCardCalls& known)
    : text_(text), known_(known) {
  FindCalls();
  for (const Node optimizer : optimizers_) {
    for (const Argument& argument : ArgumentsOf(optimizer)) FindParametersOf(argument.value, 0);
  }
  FindLoaders();
  for (const auto& [call, loss] : backwards_) FindLoops(call, 0);
  FollowLoss();
  FindFunctions();
}

void TrainingText::FindCalls() {
  for (const Node root : text_.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall) || !text_.Runs(node)) continue;
      if (IsBackwardCall(node)) backwards_.emplace_back(node, LossOf(node));
      for (const std::string& name : text_.LibraryNames(node.Child(Field::kFunction))) {
        const bool is_class = name.rfind('.') + 1 < name.size() &&
                              std::isupper(static_cast<unsigned char>(name[name.rfind('.') + 1]));
        if (is_class && known_.optimizers.Match(name) && name.find("lr_scheduler") == name.npos) {
          optimizers_.push_back(node);
        }
      }
      // An optimizer of the project.
      if (const auto slot = text_.SlotOf(node); slot && slot->starts_with("i:")) {
        const std::vector<Origin> types = text_.ClassesOf(*slot);
        const bool is_optimizer = std::ranges::any_of(types, [&](const Origin& type) {
          return text_.IsOfLibraryClass(type, known_.optimizers);
        });
        if (is_optimizer) optimizers_.push_back(node);
      }
    }
  }
}

void TrainingText::MarkTrained(Node object) {
  const auto slot = text_.SlotOf(object);
  if (!slot) return;
  trained_.insert(text_.JoinedSlot(*slot));
  names_.insert(std::string(object.text()));
  // `model` of `model[1].parameters()`: what calls the one calls the other.
  if (object.Is(NodeKind::kSubscript)) MarkTrained(object.Child(Field::kValue));
  // `model` of `model.head.parameters()` is trained as well; what calls it calls the head.
  if (object.Is(NodeKind::kAttribute)) {
    const Node holder = object.Child(Field::kObject);
    const auto of_holder = text_.SlotOf(holder);
    if (!of_holder) return;
    const bool is_module = std::ranges::any_of(
        text_.ClassesOf(*of_holder),
        [&](const Origin& type) { return text_.IsOfLibraryClass(type, known_.modules); });
    if (is_module || holder.text() != "self") MarkTrained(holder);
  }
}

/// Looks for `model.parameters()` in what an optimizer gets.
void TrainingText::FindParametersOf(Node expression, int depth) {
  if (depth > kTrainingDepth || !visited_.insert(expression).second) return;
  for (const Node node : NodesIn(expression)) {
    if (node.Is(NodeKind::kCall)) {
      if (GivesParameters(node)) MarkTrained(node.Child(Field::kFunction).Child(Field::kObject));
      for (const Node function : text_.FunctionsOf(node)) {
        if (!visited_.insert(function).second) continue;
        for (const Node inner : NodesIn(function)) {
          if (inner.Is(NodeKind::kCall) && GivesParameters(inner)) {
            MarkTrained(inner.Child(Field::kFunction).Child(Field::kObject));
          }
        }
      }
    }
    if (!node.Is(NodeKind::kIdentifier) && !node.Is(NodeKind::kAttribute)) continue;
    const auto slot = text_.SlotOf(node);
    if (!slot) continue;
    for (const std::string& of : {*slot, *slot + "[]"}) {
      for (const SlotSource& source : text_.SourcesOf(of)) {
        FindParametersOf(source.node, depth + 1);
      }
    }
  }
}

bool TrainingText::IsTrained(Node expression) const {
  const auto slot = text_.SlotOf(expression);
  return slot && trained_.contains(text_.JoinedSlot(*slot));
}

bool TrainingText::HoldsLoop(Node function) const {
  return std::ranges::any_of(loops_, [&](const DataLoop& loop) {
    return ProgramText::FunctionAround(loop.loop) == function;
  });
}

bool TrainingText::IsOfModel(Node function) const {
  Node up = function.parent();
  while (up && !up.Is(NodeKind::kClassDefinition)) up = up.parent();
  if (!up) return false;
  const Origin type{text_.CodeOf(up).path(), std::string(up.Child(Field::kName).text())};
  return text_.IsOfLibraryClass(type, known_.modules);
}

// ----- loops over batches

bool TrainingText::MakesLoader(Node call) const {
  if (!call.Is(NodeKind::kCall)) return false;
  for (const std::string& name : text_.LibraryNames(call.Child(Field::kFunction))) {
    if (known_.loaders.Match(name)) return true;
  }
  const auto slot = text_.SlotOf(call);
  if (!slot || !slot->starts_with("i:")) return false;
  return std::ranges::any_of(text_.ClassesOf(*slot), [&](const Origin& type) {
    return text_.IsOfLibraryClass(type, known_.loaders);
  });
}

void TrainingText::FindLoaders() {
  for (const auto& [slot, sources] : text_.sources()) {
    for (const SlotSource& source : sources) {
      if (MakesLoader(Unwrapped(source.node))) loaders_.insert(text_.JoinedSlot(slot));
    }
  }
}

bool TrainingText::IsLoader(Node expression) const {
  expression = Unwrapped(expression);
  if (MakesLoader(expression)) return true;
  const auto slot = text_.SlotOf(expression);
  return slot && loaders_.contains(text_.JoinedSlot(*slot));
}

void TrainingText::FeedCall(Node call, std::set<std::string>& seen, NodeSet& loaders,
                            int depth) const {
  for (const Argument& argument : ArgumentsOf(call)) {
    Feed(argument.value, seen, loaders, depth + 1);
  }
  if (!loaders.empty()) return;
  const Node callee = call.Child(Field::kFunction);
  for (const Node function : text_.FunctionsOf(call)) {
    for (const Node node : NodesIn(function)) {
      if (node.Is(NodeKind::kReturnStatement) && node.first_named_child()) {
        Feed(node.first_named_child(), seen, loaders, depth + 1);
      } else if (node.Is(NodeKind::kYield)) {
        for (Node up = node.parent(); up && !(up == function); up = up.parent()) {
          if (up.Is(NodeKind::kForStatement)) {
            Feed(up.Child(Field::kRight), seen, loaders, depth + 1);
          }
        }
      }
    }
  }
  if (loaders.empty() && callee.Is(NodeKind::kAttribute)) {
    Feed(callee.Child(Field::kObject), seen, loaders, depth + 1);
  }
}

/// The loaders that the items of `expression` come from.
void TrainingText::Feed(Node expression, std::set<std::string>& seen, NodeSet& loaders,
                        int depth) const {
  expression = Unwrapped(expression);
  if (!expression || depth > kTrainingDepth) return;
  if (IsLoader(expression)) {
    loaders.insert(expression);
    return;
  }
  switch (expression.kind()) {
    case NodeKind::kCall:
      FeedCall(expression, seen, loaders, depth);
      return;
    case NodeKind::kSubscript:
      Feed(expression.Child(Field::kValue), seen, loaders, depth + 1);
      return;
    case NodeKind::kConditionalExpression:
      Feed(expression.first_named_child(), seen, loaders, depth + 1);
      Feed(LastNamedChild(expression), seen, loaders, depth + 1);
      return;
    case NodeKind::kIdentifier:
    case NodeKind::kAttribute: {
      const auto slot = text_.SlotOf(expression);
      if (!slot || !seen.insert(*slot).second) return;
      for (const SlotSource& source : text_.SourcesOf(*slot)) {
        if (source.is_added || source.is_item) continue;
        Feed(source.node, seen, loaders, depth + 1);
      }
      return;
    }
    default:
      return;
  }
}

/// What an `if` between the loop and its gradients asks, where the loop does not change it.
std::string TrainingText::ConditionOf(Node loop, Node backward) const {
  std::set<std::string_view> changed;
  for (const Node node : NodesIn(loop)) {
    const Node target = node.Is(NodeKind::kAssignment) || node.Is(NodeKind::kAugmentedAssignment) ||
                                IsLoop(node) || node.Is(NodeKind::kForInClause)
                            ? node.Child(Field::kLeft)
                            : Node();
    for (const Node name : NodesIn(target)) {
      if (name.Is(NodeKind::kIdentifier)) changed.insert(name.text());
    }
  }
  std::string conditions;
  for (Node child = backward, up = backward.parent(); up && !(up == loop);
       child = up, up = up.parent()) {
    if (!up.Is(NodeKind::kIfStatement) || child.field() != Field::kConsequence) continue;
    const Node condition = up.Child(Field::kCondition);
    bool is_fixed = true;
    for (const Node node : NodesIn(condition)) {
      is_fixed = is_fixed && !node.Is(NodeKind::kCall) &&
                 !(node.Is(NodeKind::kIdentifier) && changed.contains(node.text()));
    }
    for (const Node node : NodesIn(up)) {
      const bool is_other =
          node.Is(NodeKind::kCall) && !child.IsAncestorOf(node) && IsBackwardCall(node);
      is_fixed = is_fixed && !is_other;  // gradients are computed one way or the other
    }
    if (!is_fixed) continue;
    const std::string text(condition.text());
    if (text.find('\n') != std::string::npos) continue;
    conditions = conditions.empty() ? text : "(" + text + ") and (" + conditions + ")";
  }
  return conditions;
}

bool TrainingText::FindDataLoop(Node loop, Node backward) {
  std::set<std::string> seen;
  NodeSet loaders;
  Node item;
  if (loop.Is(NodeKind::kForStatement)) {
    Feed(loop.Child(Field::kRight), seen, loaders, 0);
    item = loop.Child(Field::kLeft);
  }
  if (loaders.empty()) {
    for (const Node node : NodesIn(loop)) {
      if (!node.Is(NodeKind::kCall) || node.Child(Field::kFunction).text() != "next") continue;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      if (!arguments.empty()) Feed(arguments.front().value, seen, loaders, 0);
      const Node assigned = node.parent();
      item = assigned.Is(NodeKind::kAssignment) ? assigned.Child(Field::kLeft) : Node();
    }
  }
  for (const Node loader : loaders) {
    const bool is_known =
        std::ranges::any_of(loops_, [&](const DataLoop& known) { return known.loader == loader; });
    if (!is_known) loops_.push_back({loop, loader, item, ConditionOf(loop, backward)});
  }
  return !loaders.empty();
}

/// Goes outwards from a call, through the callers of the function around it.
void TrainingText::FindLoops(Node from, int depth) {
  if (depth > kTrainingDepth || !seen_calls_.insert(from).second) return;
  bool found = false;
  for (Node up = from.parent(); up; up = up.parent()) {
    if (IsLoop(up) && found) outer_loops_.insert(up);
    if (IsLoop(up) && !found) {
      found = FindDataLoop(up, from);
      if (!found) other_loops_.insert(up);
    }
    if (up.Is(NodeKind::kFunctionDefinition)) {
      functions_.insert(up);
      for (const Node call : text_.CallsOf(up)) {
        if (!text_.Runs(call)) continue;
        if (!found) {
          FindLoops(call, depth + 1);
          continue;
        }
        for (Node outer = call.parent(); outer; outer = outer.parent()) {
          if (IsLoop(outer)) outer_loops_.insert(outer);
        }
      }
      return;
    }
  }
}

// ----- what the loss is made of

void TrainingText::FollowLoss() {
  visited_.clear();
  for (const auto& [call, loss] : backwards_) {
    if (loss) open_.push_back(loss);
  }
  while (!open_.empty()) {
    const Node next = open_.back();
    open_.pop_back();
    if (visited_.insert(next).second) VisitLoss(next);
  }
}

/// True for a call of a trained model, or of a method of its own that may compute its output.
bool TrainingText::VisitModelCall(Node call) {
  const Node callee = Unwrapped(call.Child(Field::kFunction));
  if (IsWithoutGradients(call)) return false;
  if (IsTrained(callee)) {
    // `model = model(classes)` makes a model of its class.
    const Node target =
        call.parent().Is(NodeKind::kAssignment) ? call.parent().Child(Field::kLeft) : Node();
    const auto made = target ? text_.SlotOf(target) : std::nullopt;
    if (made && text_.MayBeSame(*made, *text_.SlotOf(callee))) return false;
    models_.insert(callee);
    return true;
  }
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const Node object = callee.Child(Field::kObject);
  const std::string_view method = callee.Child(Field::kAttribute).text();
  if (object.text() == "self" || known_.module_methods.Match(method) || !IsTrained(object)) {
    return false;
  }
  models_.insert(object);
  return true;
}

void TrainingText::VisitLoss(Node expression) {
  for (const Node node : NodesIn(expression)) {
    if (node.Is(NodeKind::kCall) && !VisitModelCall(node)) {
      for (const Node function : text_.FunctionsOf(node)) {
        for (const Node inner : NodesIn(function)) {
          if (inner.Is(NodeKind::kReturnStatement) && inner.first_named_child()) {
            open_.push_back(inner.first_named_child());
          }
        }
      }
    }
    if (!node.Is(NodeKind::kIdentifier) && !node.Is(NodeKind::kAttribute)) continue;
    const auto slot = text_.SlotOf(node);
    // Of `self.x` only the attribute is part of it.
    if (!slot || slot->starts_with("i:") || !of_loss_.insert(*slot).second) continue;
    for (const SlotSource& source : text_.SourcesOf(*slot)) open_.push_back(source.node);
    for (const SlotSource& source : text_.SourcesOf(*slot + "[]")) open_.push_back(source.node);
  }
}

bool TrainingText::IsInLoss(Node expression) const {
  for (Node up = expression; up; up = up.parent()) {
    if (visited_.contains(up)) return true;
  }
  return false;
}

bool TrainingText::IsOfLoss(Node expression) const {
  const auto slot = text_.SlotOf(expression);
  return slot && of_loss_.contains(*slot);
}

/// What the loops run: their own functions, and those that their bodies call.
void TrainingText::FindFunctions() {
  std::vector<Node> open;
  for (const DataLoop& loop : loops_) open.push_back(loop.loop);
  NodeSet seen;
  while (!open.empty()) {
    const Node next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    for (const Node node : NodesIn(next)) {
      if (!node.Is(NodeKind::kCall) || IsWithoutGradients(node)) continue;
      for (const Node function : text_.FunctionsOf(node)) {
        functions_.insert(function);
        open.push_back(function);
      }
    }
  }
}

}  // namespace transplt
