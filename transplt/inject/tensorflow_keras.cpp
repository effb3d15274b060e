// SPDX-License-Identifier: Apache-2.0
// Keras that trains in a session of its own: the script makes one for it first.
#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/callee.h"
#include "transplt/python/main_block.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsDocstring(Node statement) {
  return statement.Is(NodeKind::kExpressionStatement) &&
         statement.first_named_child().Is(NodeKind::kString);
}

/// True if the statement prepares the program and nothing of a model: it calls only what is
/// Python's own.
bool IsPreparation(const InjectFile& file, Node statement) {
  const std::vector<Node> calls = file.NodesOf(NodeKind::kCall);
  return std::ranges::all_of(calls, [&](Node call) {
    if (!statement.IsAncestorOf(call)) return true;
    return std::ranges::any_of(
        file.names().Resolve(call.Child(Field::kFunction)), [&](const QualifiedName& name) {
          return name.name == "print" || Words("set-up-calls").Has(name.name);
        });
  });
}

}  // namespace

void TensorflowInjector::HandleKeras() {
  if (sites_.keras_trainings.empty() || !sites_.run_configs.empty()) return;
  const bool has_session =
      std::ranges::any_of(sites_.slots, [](const ConfigSlot& slot) { return !slot.initialize; });
  if (has_session || !sites_.optimizers.empty() || SetsSession()) return;
  const Node training = sites_.keras_trainings.front();
  const Node start = StartOfProgram();
  if (!start || !EditPlan::CanInsertBefore(start)) {
    Leave(training,
          Say("keras trains in the session that the program has set for it; if none is set, keras "
              "makes one without these options: the program that starts this training has to call "
              "set_keras_session_npu_config(config=...) first",
              "keras 在程序为其设置的会话中训练; 若未设置, keras 会自行创建不含这些选项的会话: "
              "启动该训练的程序须先调用 set_keras_session_npu_config(config=...)"),
          Fitting(false));
    return;
  }
  const std::vector<OptionValue> options = Fitting(false);
  const std::string config = file_.FreshName("config_proto", start);
  std::vector<std::string> lines = {config + " = " + spelling_.NewConfigProto(start)};
  for (std::string& line : spelling_.OptimizerLines(config, true, options, start)) {
    lines.push_back(std::move(line));
  }
  lines.push_back(spelling_.KerasSession(config, start));
  const uint32_t place = start.range().start;
  plan_.InsertBefore(start, lines,
                     {{place, place},
                      "inject-tensorflow",
                      Say("keras: sets {} in a session for it", "keras: 在为其创建的会话中设置 {}",
                          NamesOf(options))});
  Note(training, "keras",
       Say("sets {} on a new {}", "新建 {1} 并设置 {0}", NamesOf(options), config), options);
}

/// True if the file gives keras a session, or trains through an estimator, in whatever way.
bool TensorflowInjector::SetsSession() const {
  return std::ranges::any_of(file_.NodesOf(NodeKind::kIdentifier), [](Node name) {
    return name.text() == "set_session" || name.text() == "Session" ||
           name.text() == "InteractiveSession" || name.text() == "model_to_estimator";
  });
}

/// The first statement that does anything in a file that is run as a program and trains: of its
/// main block, else of the module behind its imports. A null node for a file that others import.
Node TensorflowInjector::StartOfProgram() const {
  const Node module = file_.tree().root();
  const std::vector<Node> blocks = MainBlocksOf(module);
  const std::vector<Node>& trainings = sites_.keras_trainings;
  const bool trains = std::ranges::any_of(
      trainings, [&](Node training) { return RunsWithModule(StatementIn(module, training)); });
  if (!trains) {
    return blocks.size() == 1 ? blocks[0].Child(Field::kConsequence).first_named_child() : Node();
  }
  Node start;  // the first statement behind the last import
  for (const Node statement : NamedChildren(module)) {
    if (IsImport(statement) || statement.Is(NodeKind::kFutureImportStatement)) {
      start = Node();
    } else if (!IsDefinition(statement) && !IsDocstring(statement)) {
      if (!start) start = statement;
      if (!IsPreparation(file_, statement)) return start;
    }
  }
  return {};
}

/// True if the statement runs as the module is loaded, or defines what is called then.
bool TensorflowInjector::RunsWithModule(Node statement) const {
  if (!IsDefinition(statement)) return !MainBlockIs(statement);
  const Node definition = statement.Is(NodeKind::kDecoratedDefinition)
                              ? statement.Child(Field::kDefinition)
                              : statement;
  const std::string_view name = definition.Child(Field::kName).text();
  return std::ranges::any_of(file_.NodesOf(NodeKind::kCall), [&](Node call) {
    const Node outer = StatementIn(file_.tree().root(), call);
    return call.Child(Field::kFunction).text() == name && !IsDefinition(outer) &&
           !MainBlockIs(outer);
  });
}

bool TensorflowInjector::MainBlockIs(Node statement) const {
  const std::vector<Node> blocks = MainBlocksOf(file_.tree().root());
  return IsOneOf(statement, blocks);
}

}  // namespace transplt
