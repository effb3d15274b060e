// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/pytorch_backward.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/training_calls.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// `forward_backward_func(...)`, `self.manual_backward(loss)`: what frameworks call their own.
bool HasNameOfBackward(Node callee, std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  if (callee.Is(NodeKind::kAttribute)) {
    return name.starts_with("forward_backward") || name == "manual_backward";
  }
  const bool asks = Words("question-starts").Has(name);
  return !asks && (name.starts_with("forward_backward") || name.ends_with("backward"));
}

/// Another file is opened only for a function that is called like one of these.
bool HasAnyWord(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return HasPart(name, word); });
}

std::vector<Node> CallsIn(Node function) {
  std::vector<Node> calls;
  const Node body = function.Child(Field::kBody);
  if (!body) return calls;
  for (const Node node : NodesIn(body)) {
    if (node.Is(NodeKind::kCall)) calls.push_back(node);
  }
  return calls;
}

/// That of a loss scaler, which IsBackwardCall() knows where it is called, or of a hook of mmcv,
/// which gets the loss with its runner.
bool ComesAfterForward(Node function) {
  const std::string_view name = function.Child(Field::kName).text();
  return name == "__call__" || name == "after_train_iter";
}

/// True if the loss that `backward` is called on comes with a parameter of `function`.
bool GetsLoss(Node function, Node backward) {
  const Node parameters = function.Child(Field::kParameters);
  if (!parameters) return false;
  std::set<std::string_view> losses = {"loss"};
  for (const Node name : NodesIn(backward)) {
    if (name.Is(NodeKind::kIdentifier) && HasPart(name.text(), "loss")) {
      losses.insert(name.text());
    }
  }
  for (const Node parameter : NodesIn(parameters)) {
    if (parameter.Is(NodeKind::kIdentifier) && losses.contains(parameter.text())) return true;
  }
  return false;
}

class BackwardFinder {
 public:
  explicit BackwardFinder(const InjectFile& file)
      : file_(file), calls_(file.NodesOf(NodeKind::kCall)) {}

  BackwardPasses Find() {
    for (Node call : calls_) {
      if (!IsInTest(file_, call) && RunsBackward(call)) Follow(call);
    }
    std::vector<Node>& found = passes_.calls;
    std::ranges::sort(found, [](Node a, Node b) { return a.id() < b.id(); });
    // A function with a loop of steps is no step, whatever else it does.
    std::set<uint32_t> with_loops;
    for (Node call : found) {
      if (const Node function = DefinitionAround(call); function && LoopAround(call)) {
        with_loops.insert(function.id());
      }
    }
    std::erase_if(found, [&](Node call) {
      return !LoopAround(call) && with_loops.contains(DefinitionAround(call).id());
    });
    return std::move(passes_);
  }

 private:
  /// What is in a function of this file is found there.
  bool RunsBackward(Node call) const {
    if (IsBackwardCall(call)) return true;
    const std::string_view name = InjectFile::LastName(call);
    if (!HasAnyWord(name, {"backward", "train", "step", "iter"}) || IsInBackwardMethod(call) ||
        file_.LocalFunction(call)) {
      return false;
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Argument* forward_only = FindKeyword(arguments, "forward_only");
    if (forward_only != nullptr && forward_only->value.text() == "True") return false;
    const auto function = file_.FunctionOf(call);
    return function ? LeavesStepToItsCaller(function->node)
                    : HasNameOfBackward(call.Child(Field::kFunction), name);
  }

  /// True if `function`, which may be one of another file, runs backward() once and is no step.
  static bool LeavesStepToItsCaller(Node function) {
    const std::vector<Node> calls = CallsIn(function);
    return std::ranges::any_of(calls, [&](Node call) {
      return IsBackwardCall(call) && DefinitionAround(call) == function && !LoopAround(call) &&
             (GetsLoss(function, call) || std::ranges::none_of(calls, IsUpdateCall));
    });
  }

  /// From a call that runs the backward pass out to the loop, or to the function that is a step.
  void Follow(Node call) {
    if (!seen_.insert(call.id()).second) return;
    const Node function = DefinitionAround(call);
    const std::vector<Node> updates = UpdatesThatRun(function);
    if (updates.empty() && (IsInLoopOfSteps(call) || IsWholeStep(function, call))) {
      passes_.calls.push_back(call);
      return;
    }
    // A script that runs once as a whole has nothing to be surrounded.
    if (!function) return;
    for (Node update : updates) Follow(update);
    bool is_called = !updates.empty();
    for (Node caller : calls_) {
      if (InjectFile::LastName(caller) != function.Child(Field::kName).text() ||
          function.IsAncestorOf(caller) || file_.LocalFunction(caller) != function) {
        continue;
      }
      is_called = true;
      if (!IsInTest(file_, caller)) Follow(caller);
    }
    if (!is_called && IsBackwardCall(call) && !ComesAfterForward(function) &&
        (passes_.out_of_sight.empty() ||
         DefinitionAround(passes_.out_of_sight.back()) != function)) {
      passes_.out_of_sight.push_back(call);
    }
  }

  /// A loop that calls a function with backward() in it may be of micro-batches, in a pipeline of
  /// the library; in one that trains, the weights are updated.
  bool IsInLoopOfSteps(Node call) const {
    const Node loop = LoopAround(call);
    if (!loop || IsBackwardCall(call)) return static_cast<bool>(loop);
    const Node function = DefinitionAround(loop);
    return std::ranges::any_of(CallsIn(function ? function : loop),
                               [&](Node other) { return RunsUpdate(file_, other); });
  }

  /// Updates that are handed the function as a closure: `optimizer.step(closure)`.
  std::vector<Node> UpdatesThatRun(Node closure) const {
    std::vector<Node> updates;
    if (!closure) return updates;
    const auto is_closure = [&](const Argument& argument) {
      if (!argument.value.Is(NodeKind::kIdentifier)) return false;
      const auto bindings = file_.names().BindingsOf(argument.value);
      return std::ranges::any_of(
          bindings, [&](const Binding* binding) { return binding->statement == closure; });
    };
    for (Node call : calls_) {
      if (!IsUpdateCall(call) || closure.IsAncestorOf(call)) continue;
      if (std::ranges::any_of(ArgumentsOf(call), is_closure)) updates.push_back(call);
    }
    return updates;
  }

  /// A function outside of a loop is a step only if it also updates the weights, and computes the
  /// loss itself.
  bool IsWholeStep(Node function, Node backward) const {
    if (!function || GetsLoss(function, backward)) return false;
    if (ComesAfterForward(function)) return false;
    const std::vector<Node> calls = CallsIn(function);
    return std::ranges::any_of(
        calls, [&](Node call) { return !LoopAround(call) && RunsUpdate(file_, call); });
  }

  const InjectFile& file_;
  const std::vector<Node> calls_;
  std::set<uint32_t> seen_;
  BackwardPasses passes_;
};

}  // namespace

bool IsInTest(const InjectFile& file, Node call) {
  const std::string& path = file.source().path();
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("test_") || name.ends_with("_test.py") || path.starts_with("tests/") ||
      HasPart(path, "/tests/")) {
    return true;
  }
  const Node function = DefinitionAround(call);
  return function && function.Child(Field::kName).text().starts_with("test_");
}

bool RunsUpdate(const InjectFile& file, Node call) {
  if (IsUpdateCall(call)) return true;
  const std::string_view name = InjectFile::LastName(call);
  const auto function = file.FunctionOf(call);
  const bool may_update = HasAnyWord(name, {"step", "update", "optim"});
  if (!function || (function->file != nullptr && !may_update)) return false;
  return std::ranges::any_of(CallsIn(function->node), IsUpdateCall);
}

BackwardPasses FindBackwardPasses(const InjectFile& file) { return BackwardFinder(file).Find(); }

}  // namespace transplt
