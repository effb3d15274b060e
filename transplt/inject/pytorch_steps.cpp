// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/pytorch_steps.h"

#include <algorithm>
#include <set>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/pytorch_backward.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Names = std::set<std::string_view>;

class StepFinder {
 public:
  explicit StepFinder(const InjectFile& file) : file_(file) {}

  std::vector<TrainingStep> Find(const std::vector<Node>& passes) {
    const std::vector<Node> calls = file_.NodesOf(NodeKind::kCall);
    for (Node call : passes) Add(call, calls);
    // Micro-batches within a step that has another backward() of its own.
    const std::vector<TrainingStep> all = steps_;
    std::erase_if(steps_, [&all](const TrainingStep& inner) {
      return std::ranges::any_of(all, [&inner](const TrainingStep& outer) {
        return outer.first && inner.first && outer.first != inner.first &&
               outer.first.range().start <= inner.first.range().start &&
               inner.last.range().end <= outer.last.range().end;
      });
    });
    DropWhatOthersRun(calls);
    return std::move(steps_);
  }

 private:
  /// A function that a step of another function runs, as one that makes adversarial examples, is
  /// part of that step, whatever loops it has.
  void DropWhatOthersRun(const std::vector<Node>& calls) {
    std::set<uint32_t> dropped;
    for (const TrainingStep& outer : steps_) {
      if (!outer.first) continue;
      const Node own = DefinitionAround(outer.backward);
      const TextRange round = outer.loop
                                  ? outer.loop.Child(Field::kBody).range()
                                  : TextRange{outer.first.range().start, outer.last.range().end};
      const std::set<uint32_t> run = FunctionsRunIn(round, calls);
      if (own && run.contains(own.id())) continue;  // it runs itself
      dropped.insert(run.begin(), run.end());
    }
    std::erase_if(steps_, [&dropped](const TrainingStep& step) {
      const Node function = DefinitionAround(step.backward);
      return function && dropped.contains(function.id());
    });
  }

  /// The functions of the file that the code in `range` calls, and those that they call.
  std::set<uint32_t> FunctionsRunIn(TextRange range, const std::vector<Node>& calls) const {
    std::set<uint32_t> functions;
    std::vector<TextRange> ranges = {range};
    while (!ranges.empty()) {
      const TextRange at = ranges.back();
      ranges.pop_back();
      const auto starts_before = [](Node call, uint32_t start) {
        return call.range().start < start;
      };
      auto call = std::lower_bound(calls.begin(), calls.end(), at.start, starts_before);
      for (; call != calls.end() && call->range().start < at.end; ++call) {
        const Node function = file_.LocalFunction(*call);
        if (function && functions.insert(function.id()).second) ranges.push_back(function.range());
      }
    }
    return functions;
  }

  void Add(Node call, const std::vector<Node>& calls) {
    TrainingStep step;
    step.backward = call;
    step.loop = LoopAround(call);
    for (Node loop = step.loop; loop; loop = LoopAround(loop)) step.outer_loop = loop;
    const Node function = DefinitionAround(call);
    const Node body = step.loop  ? step.loop.Child(Field::kBody)
                      : function ? function.Child(Field::kBody)
                                 : file_.tree().root();
    if (!body) return;
    for (const TrainingStep& other : steps_) {
      if (BlockOf(other.first) == body) {  // the second backward() of the same step
        Extend(body, call, other);
        return;
      }
    }
    const Node own = StatementIn(body, call);
    step.first = FirstOf(body, own, call);
    step.last = own;
    step.gradients = own;
    for (Node update : calls) {
      if (!body.IsAncestorOf(update) || !RunsUpdate(file_, update)) continue;
      if (LoopAround(update) != step.loop && LoopAround(update) != Node()) continue;
      const Node statement = StatementIn(body, update);
      if (statement.range().start >= own.range().start) step.last = statement;
      // The update stands in the same statement: the gradients are there right behind the call.
      if (statement == own) step.gradients = EnclosingStatement(call);
    }
    step.exits = ExitsOf(step);
    steps_.push_back(step);
  }

  static std::vector<Node> ExitsOf(const TrainingStep& step) {
    std::vector<Node> exits;
    for (Node statement = step.first; statement; statement = statement.next_named_sibling()) {
      for (const Node node : NodesIn(statement)) {
        const bool leaves_loop =
            IsJump(node) && LoopAround(node) == step.loop && static_cast<bool>(step.loop);
        const bool leaves_function = node.Is(NodeKind::kReturnStatement) &&
                                     DefinitionAround(node) == DefinitionAround(step.backward);
        if (leaves_loop || leaves_function) exits.push_back(node);
      }
      if (statement == step.last) break;
    }
    return exits;
  }

  /// Of several backward() in one step the last counts.
  void Extend(Node body, Node call, const TrainingStep& known) {
    for (TrainingStep& step : steps_) {
      if (step.first != known.first) continue;
      const Node own = StatementIn(body, call);
      if (own.range().start > step.last.range().start) step.last = own;
      if (own.range().start > step.gradients.range().start) step.gradients = own;
    }
  }

  /// Behind what may leave the round early, `if skip: continue`, but not behind the forward pass.
  Node FirstOf(Node body, Node backward, Node call) const {
    Node first;
    bool has_loss = false;
    const Names losses = LossesOf(call);
    for (const Node statement : NamedChildren(body)) {
      const bool prose = statement.Is(NodeKind::kExpressionStatement) &&
                         statement.first_named_child().Is(NodeKind::kString);
      if (prose || file_.IsInjected(statement)) continue;
      if (!first) first = statement;
      if (statement == backward) break;
      if (MayLeave(statement) && !has_loss) first = statement.next_named_sibling();
      has_loss = has_loss || Assigns(statement, losses);
    }
    return first;
  }

  /// What the backward pass starts from: `loss`, or `error` of `error.backward()`.
  static Names LossesOf(Node call) {
    Names losses;
    Names objects;
    const Node object = call.Child(Field::kFunction).Child(Field::kObject);
    for (const Node node : NodesIn(call)) {
      if (!node.Is(NodeKind::kIdentifier)) continue;
      if (HasPart(node.text(), "loss")) losses.insert(node.text());
      if (object && (object == node || object.IsAncestorOf(node))) objects.insert(node.text());
    }
    return losses.empty() ? objects : losses;
  }

  static bool Assigns(Node statement, const Names& names) {
    for (uint32_t id = statement.id(); id < statement.end_id(); ++id) {
      const Node node = statement.tree().node(id);
      if (!node.Is(NodeKind::kAssignment)) continue;
      const Node left = node.Child(Field::kLeft);
      for (uint32_t at = left.id(); at < left.end_id(); ++at) {
        if (names.contains(statement.tree().node(at).text())) return true;
      }
    }
    return false;
  }

  static bool IsJump(Node node) {
    return node.Is(NodeKind::kBreakStatement) ||
           (node.Is(NodeKind::kOtherNamed) && node.text() == "continue");
  }

  static bool MayLeave(Node statement) {
    for (const Node node : NodesIn(statement)) {
      if (node.Is(NodeKind::kFunctionDefinition)) return false;
      if (node.Is(NodeKind::kReturnStatement) || IsJump(node)) return true;
    }
    return false;
  }

  const InjectFile& file_;
  std::vector<TrainingStep> steps_;
};

}  // namespace

std::vector<TrainingStep> FindTrainingSteps(const InjectFile& file,
                                            const std::vector<Node>& passes) {
  return StepFinder(file).Find(passes);
}

Node TorchImport(const InjectFile& file) {
  for (const Binding& binding : file.names().bindings()) {
    const bool is_torch = binding.target == "torch" || binding.target.starts_with("torch.") ||
                          binding.target == "torch_npu";
    if (binding.kind == BindingKind::kImport && binding.scope == 0 && is_torch &&
        binding.statement.parent().Is(NodeKind::kModule)) {
      return binding.statement;
    }
  }
  // It comes with `from models import *`, or is not named at all.
  Node last;
  for (const Node statement : NamedChildren(file.tree().root())) {
    if (statement.Is(NodeKind::kFunctionDefinition) || statement.Is(NodeKind::kClassDefinition)) {
      break;
    }
    if (statement.Is(NodeKind::kImportStatement) || statement.Is(NodeKind::kImportFromStatement)) {
      last = statement;
    }
  }
  return last;
}

std::vector<Node> FunctionsImportedByName(const InjectFile& file) {
  std::vector<Node> imports;
  for (const Binding& binding : file.names().bindings()) {
    if (binding.kind != BindingKind::kImport ||
        !binding.statement.Is(NodeKind::kImportFromStatement)) {
      continue;
    }
    const size_t dot = binding.target.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string_view module = std::string_view(binding.target).substr(0, dot);
    const std::string_view name = std::string_view(binding.target).substr(dot + 1);
    const bool is_class = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
    if (is_class || !Words("function-modules").Has(module) ||
        Words("torch-names-without-function").Has(name)) {
      continue;
    }
    if (imports.empty() || imports.back() != binding.statement)
      imports.push_back(binding.statement);
  }
  return imports;
}

}  // namespace transplt
