// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/pytorch_steps.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "transplt/engine/statement.h"
#include "transplt/rule_kinds/arguments.h"

namespace transplt {
namespace {

bool IsLoop(Node node) {
  return node.Is(NodeKind::kForStatement) || node.Is(NodeKind::kWhileStatement);
}

/// The loop that `node` runs in, as far as its own function; null if there is none.
Node LoopAround(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (IsLoop(up)) return up;
    if (up.Is(NodeKind::kFunctionDefinition) || up.Is(NodeKind::kLambda) ||
        up.Is(NodeKind::kClassDefinition)) {
      return {};
    }
  }
  return {};
}

Node FunctionAround(Node node) {
  Node up = node.parent();
  while (up && !up.Is(NodeKind::kFunctionDefinition)) up = up.parent();
  return up;
}

/// `optimizer.step()`, `scaler.step(optimizer)`; not that of a scheduler or a profiler.
bool IsUpdate(Node call) {
  if (InjectFile::LastName(call) != "step") return false;
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  std::string receiver(callee.Child(Field::kObject).text());
  std::transform(receiver.begin(), receiver.end(), receiver.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::string_view word : {"sched", "prof", "debugger", "warmup"}) {
    if (receiver.find(word) != std::string::npos) return false;
  }
  return true;
}

/// The updates that run `backward` in a closure, as `optimizer.step(closure)` does.
std::vector<Node> UpdatesThatRun(Node backward, const std::vector<Node>& calls,
                                 const NameTable& names) {
  std::vector<Node> updates;
  const Node closure = FunctionAround(backward);
  if (!closure) return updates;
  const auto is_closure = [&](const Argument& argument) {
    if (!argument.value.Is(NodeKind::kIdentifier)) return false;
    const auto bindings = names.BindingsOf(argument.value);
    return std::any_of(bindings.begin(), bindings.end(),
                       [&](const Binding* binding) { return binding->statement == closure; });
  };
  for (Node call : calls) {
    if (!IsUpdate(call) || closure.IsAncestorOf(call)) continue;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (std::any_of(arguments.begin(), arguments.end(), is_closure)) updates.push_back(call);
  }
  return updates;
}

/// True for `backward` of a tensor, a scaler, an engine; not for that of torch.autograd.Function.
/// Also `loss_scaler(loss, optimizer)`: what timm, and those who have learned from it, call for it.
bool IsBackward(Node call) {
  const std::string_view name = InjectFile::LastName(call);
  if (name.ends_with("loss_scaler")) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    return arguments.size() > 1 && arguments[1].value.text().find("optim") != std::string::npos;
  }
  if (name != "backward") return false;
  const Node callee = call.Child(Field::kFunction);
  if (!callee.Is(NodeKind::kAttribute)) return false;
  const std::string_view object = callee.Child(Field::kObject).text();
  if (object.starts_with("super(") || object == "ctx") return false;
  const Node function = FunctionAround(call);
  return !function || function.Child(Field::kName).text() != "backward";
}

/// Tests call backward() and train nothing.
bool IsTest(const InjectFile& file, Node call) {
  const std::string& path = file.source().path();
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("test_") || name.ends_with("_test.py") || path.starts_with("tests/") ||
      path.find("/tests/") != std::string::npos) {
    return true;
  }
  const Node function = FunctionAround(call);
  return function && function.Child(Field::kName).text().starts_with("test_");
}

class Finder {
 public:
  explicit Finder(const InjectFile& file) : file_(file) {}

  std::vector<TrainingStep> Find() {
    const std::vector<Node> calls = file_.NodesOf(NodeKind::kCall);
    for (Node call : calls) {
      if (!IsBackward(call) || IsTest(file_, call)) continue;
      const std::vector<Node> updates = UpdatesThatRun(call, calls, file_.names());
      for (Node update : updates) Add(update, calls);
      if (updates.empty()) Add(call, calls);
    }
    return std::move(steps_);
  }

 private:
  void Add(Node call, const std::vector<Node>& calls) {
    TrainingStep step;
    step.backward = call;
    step.loop = LoopAround(call);
    for (Node loop = step.loop; loop; loop = LoopAround(loop)) step.outer_loop = loop;
    const Node function = FunctionAround(call);
    const Node body = step.loop  ? step.loop.Child(Field::kBody)
                      : function ? function.Child(Field::kBody)
                                 : file_.tree().root();
    if (!body || (!step.loop && !function)) return;  // a script without a loop: one run of all
    if (!step.loop && !IsWholeStep(function, call, calls)) return;
    for (const TrainingStep& other : steps_) {
      if (BlockOf(other.first) == body) {  // the second backward() of the same step
        Extend(body, call, other);
        return;
      }
    }
    const Node own = StatementIn(body, call);
    step.first = FirstOf(body, own);
    step.last = own;
    step.gradients = own;
    for (Node update : calls) {
      if (!IsUpdate(update) || !body.IsAncestorOf(update)) continue;
      if (LoopAround(update) != step.loop && LoopAround(update) != Node()) continue;
      const Node statement = StatementIn(body, update);
      if (statement.range().start >= own.range().start) step.last = statement;
      // The update stands in the same statement: the gradients are there right behind the call.
      if (statement == own) step.gradients = EnclosingStatement(call);
    }
    steps_.push_back(step);
  }

  /// A function outside of a loop is a step only if it also updates the weights, and computes the
  /// loss itself.
  bool IsWholeStep(Node function, Node backward, const std::vector<Node>& calls) const {
    const Node body = function.Child(Field::kBody);
    if (function.Child(Field::kName).text() == "__call__") return false;  // a loss scaler
    const bool updates = std::any_of(calls.begin(), calls.end(), [&](Node call) {
      return IsUpdate(call) && body.IsAncestorOf(call);
    });
    if (!updates) return false;
    for (uint32_t id = backward.id(); id < backward.end_id(); ++id) {
      const Node node = file_.tree().node(id);
      if (!node.Is(NodeKind::kIdentifier) || node.text().find("loss") == std::string::npos) {
        continue;
      }
      for (const Binding* binding : file_.names().BindingsOf(node)) {
        if (binding->kind == BindingKind::kParameter) return false;
      }
    }
    return true;
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

  /// Behind what may leave the round early: `if skip: continue`.
  Node FirstOf(Node body, Node backward) const {
    Node first;
    for (Node statement = body.first_named_child(); statement;
         statement = statement.next_named_sibling()) {
      const bool prose = statement.Is(NodeKind::kExpressionStatement) &&
                         statement.first_named_child().Is(NodeKind::kString);
      if (prose || file_.IsInjected(statement)) continue;
      if (!first) first = statement;
      if (statement == backward) break;
      if (MayLeave(statement)) first = statement.next_named_sibling();
    }
    return first;
  }

  static bool MayLeave(Node statement) {
    const SyntaxTree& tree = statement.tree();
    for (uint32_t id = statement.id(); id < statement.end_id(); ++id) {
      const Node node = tree.node(id);
      if (node.Is(NodeKind::kFunctionDefinition)) return false;
      const bool jumps = node.text() == "continue" || node.text() == "break";
      if (node.Is(NodeKind::kReturnStatement)) return true;
      if (node.Is(NodeKind::kOtherNamed) && jumps) return true;
    }
    return false;
  }

  const InjectFile& file_;
  std::vector<TrainingStep> steps_;
};

}  // namespace

std::vector<TrainingStep> FindTrainingSteps(const InjectFile& file) { return Finder(file).Find(); }

Node TorchImport(const InjectFile& file) {
  for (const Binding& binding : file.names().bindings()) {
    const bool is_torch = binding.target == "torch" || binding.target.starts_with("torch.") ||
                          binding.target == "torch_npu";
    if (binding.kind == BindingKind::kImport && binding.scope == 0 && is_torch &&
        binding.statement.parent().Is(NodeKind::kModule)) {
      return binding.statement;
    }
  }
  return {};
}

std::vector<Node> FunctionsImportedByName(const InjectFile& file) {
  constexpr std::array<std::string_view, 4> kModules = {"torch", "torch.nn.functional",
                                                        "torch.functional", "torch.Tensor"};
  constexpr std::array<std::string_view, 34> kNoFunctions = {
      "nn",      "optim",   "cuda",     "npu",    "utils",    "distributed", "multiprocessing",
      "amp",     "jit",     "autograd", "device", "dtype",    "float",       "float16",
      "float32", "float64", "bfloat16", "half",   "int",      "int8",        "int32",
      "int64",   "long",    "bool",     "uint8",  "backends", "no_grad",     "save",
      "load",    "fx",      "hub",      "onnx",   "profiler", "functional"};
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
    if (is_class || std::find(kModules.begin(), kModules.end(), module) == kModules.end() ||
        std::find(kNoFunctions.begin(), kNoFunctions.end(), name) != kNoFunctions.end()) {
      continue;
    }
    if (imports.empty() || imports.back() != binding.statement)
      imports.push_back(binding.statement);
  }
  return imports;
}

}  // namespace transplt
