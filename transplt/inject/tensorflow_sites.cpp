// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/tensorflow_sites.h"

#include <algorithm>
#include <array>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/tensorflow_signs.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

enum class SlotOwner : uint8_t {
  kNpu,         ///< a function of npu_bridge
  kTensorflow,  ///< a function or class of TensorFlow
  kMethod,      ///< a method of an object that has no name which could be resolved
  kPath,        ///< what is called ends so: "slim.learning.train"
};

/// What takes a configuration, by the name that is called.
struct SlotKind {
  std::string_view name;
  SlotOwner owner;
  std::string_view keyword;
  int position;
  std::string_view variable;
  bool initialize = false;
  bool run_config = false;
  bool creator = false;
  bool is_plain = false;
};
constexpr std::array<SlotKind, 23> kSlotKinds = {{
    {"npu_config_proto", SlotOwner::kNpu, "config_proto", 0, "session_config"},
    {"set_keras_session_npu_config", SlotOwner::kNpu, "config", 0, "config_proto"},
    {"npu_clear_session", SlotOwner::kNpu, "config", 0, "config_proto"},
    {"init_resource", SlotOwner::kNpu, "config", 0, "session_config", true},
    {"npu_run_config_init", SlotOwner::kNpu, "run_config", 0, "run_config", false, true},
    {"Session", SlotOwner::kTensorflow, "config", 2, "session_config"},
    {"InteractiveSession", SlotOwner::kTensorflow, "config", 2, "session_config"},
    {"MonitoredTrainingSession", SlotOwner::kTensorflow, "config", 9, "session_config"},
    {"SingularMonitoredSession", SlotOwner::kTensorflow, "config", 3, "session_config"},
    {"MonitoredSession", SlotOwner::kTensorflow, "session_creator", 0, "session_config", false,
     false, true},
    {"ChiefSessionCreator", SlotOwner::kTensorflow, "config", 2, "session_config"},
    {"WorkerSessionCreator", SlotOwner::kTensorflow, "config", 2, "session_config"},
    {"RunConfig", SlotOwner::kTensorflow, "session_config", 5, "session_config", false, false,
     false, true},
    {"Estimator", SlotOwner::kTensorflow, "config", 2, "run_config", false, true, false, true},
    {"managed_session", SlotOwner::kMethod, "config", 1, "session_config"},
    {"prepare_or_wait_for_session", SlotOwner::kMethod, "config", 1, "session_config"},
    {"prepare_session", SlotOwner::kMethod, "config", 7, "session_config"},
    {"recover_session", SlotOwner::kMethod, "config", 6, "session_config"},
    {"wait_for_session", SlotOwner::kMethod, "config", 1, "session_config"},
    {"slim.learning.train", SlotOwner::kPath, "session_config", -1, "session_config"},
    {"slim.evaluation.evaluate_once", SlotOwner::kPath, "session_config", -1, "session_config"},
    {"slim.evaluation.evaluation_loop", SlotOwner::kPath, "session_config", -1, "session_config"},
    {"training.evaluate_repeatedly", SlotOwner::kPath, "config", -1, "session_config"},
}};

std::string PlainText(Node string) {
  const Node content = string.Is(NodeKind::kString) ? PlainStringContent(string) : Node();
  return content ? std::string(content.text()) : std::string();
}

/// `X` of `X.graph_options.rewrite_options.custom_optimizers.add`.
Node ObjectOf(const InjectFile& file, Node callee) {
  Node node = callee;
  for (std::string_view part : {"add", "custom_optimizers", "rewrite_options", "graph_options"}) {
    if (node.Is(NodeKind::kIdentifier)) {  // `options = X.graph_options.rewrite_options`
      const auto bindings = file.names().BindingsOf(node);
      if (bindings.size() != 1 || !bindings.front()->value) return {};
      node = bindings.front()->value;
    }
    if (!node.Is(NodeKind::kAttribute) || node.Child(Field::kAttribute).text() != part) return {};
    node = node.Child(Field::kObject);
  }
  return node;
}

/// True if `use` may be the variable that `optimizer` is in.
bool IsVariable(const InjectFile& file, const NpuOptimizer& optimizer, Node use) {
  if (use.text() != optimizer.variable.text()) return false;
  if (file.names().ScopeOf(use) != file.names().ScopeOf(optimizer.variable)) {
    return !use.Is(NodeKind::kIdentifier);
  }
  if (!use.Is(NodeKind::kIdentifier)) return true;
  const auto bindings = file.names().BindingsOf(use);
  return std::ranges::any_of(
      bindings, [&](const Binding* binding) { return binding->node == optimizer.variable; });
}

class SiteFinder {
 public:
  explicit SiteFinder(const InjectFile& file) : file_(file), on_npu_(UsesNpuBridge(file)) {}

  TensorflowSites Find() {
    for (Node call : file_.NodesOf(NodeKind::kCall)) VisitCall(call);
    for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) VisitAssignment(assignment);
    MarkInitializing();
    return std::move(sites_);
  }

 private:
  void VisitCall(Node call) {
    const std::string_view name = file_.CalledName(call);
    if (name.empty()) return;
    for (const SlotKind& kind : kSlotKinds) {
      if (!IsSlot(kind, call, name)) continue;
      sites_.slots.push_back({call, kind.name, kind.keyword, kind.position, kind.variable,
                              kind.initialize, kind.run_config, kind.creator, kind.is_plain});
      if (kind.initialize) sites_.initializes = true;
    }
    if (name == "NPURunConfig" && IsNpuCall(file_, call, name)) sites_.run_configs.push_back(call);
    if (name == "open" && file_.Calls(call, "open", {"npu_device"}) &&
        call.Child(Field::kFunction).Is(NodeKind::kAttribute)) {
      sites_.devices.push_back(call);
    }
    if (name == "add") VisitOptimizer(call);
    if (name == "run") VisitRun(call);
    if (on_npu_ && RunsGlobalStep(call)) sites_.idle_runs.push_back(call);
    if (IsKerasTraining(call, name)) sites_.keras_trainings.push_back(call);
    if (Words("rank-queries").Has(name) && file_.Calls(call, name, {"npu_bridge", "hccl"})) {
      sites_.rank_queries.push_back(call);
    }
  }

  /// What was injected is for the NPU, even if the file of the author names nothing of it.
  bool IsOnNpu(Node call) const { return on_npu_ || file_.IsInjected(call); }

  bool IsSlot(const SlotKind& kind, Node call, std::string_view name) const {
    const Node callee = call.Child(Field::kFunction);
    if (kind.owner == SlotOwner::kPath) {
      return IsOnNpu(call) && kind.name.ends_with(name) && callee.text().ends_with(kind.name);
    }
    if (kind.name != name) return false;
    if (kind.owner == SlotOwner::kNpu) return IsNpuCall(file_, call, name);
    if (kind.owner == SlotOwner::kMethod) return IsOnNpu(call) && callee.Is(NodeKind::kAttribute);
    return IsOnNpu(call) && IsTensorflowCall(file_, call, name);
  }

  void VisitOptimizer(Node call) {
    const Node callee = call.Child(Field::kFunction);
    const Node list = callee.Child(Field::kObject);
    if (!list.Is(NodeKind::kAttribute) ||
        list.Child(Field::kAttribute).text() != "custom_optimizers") {
      return;
    }
    NpuOptimizer optimizer;
    optimizer.statement = EnclosingStatement(call);
    optimizer.last = optimizer.statement;
    optimizer.object = ObjectOf(file_, callee);
    const Node assignment = call.parent();
    if (!assignment.Is(NodeKind::kAssignment)) return;
    optimizer.variable = assignment.Child(Field::kLeft);
    sites_.optimizers.push_back(optimizer);
  }

  void VisitAssignment(Node assignment) {
    const Node left = assignment.Child(Field::kLeft);
    if (!left.Is(NodeKind::kAttribute)) return;
    const Node target = left.Child(Field::kObject);
    if (left.Child(Field::kAttribute).text() == "name") {
      for (NpuOptimizer& optimizer : sites_.optimizers) {
        if (!IsVariable(file_, optimizer, target)) continue;
        optimizer.name_value = assignment.Child(Field::kRight);
        optimizer.name = PlainText(optimizer.name_value);
        Follow(optimizer, EnclosingStatement(assignment), false);
      }
      return;
    }
    if (!target.Is(NodeKind::kSubscript)) return;
    const Node map = target.Child(Field::kValue);
    if (!map.Is(NodeKind::kAttribute) || map.Child(Field::kAttribute).text() != "parameter_map") {
      return;
    }
    for (NpuOptimizer& optimizer : sites_.optimizers) {
      if (!IsVariable(file_, optimizer, map.Child(Field::kObject))) continue;
      NpuOptimizer::Parameter parameter;
      parameter.key_node = target.Child(Field::kSubscript);
      parameter.key = PlainText(parameter.key_node);
      parameter.field_node = left.Child(Field::kAttribute);
      parameter.field = parameter.field_node.text();
      parameter.statement = EnclosingStatement(assignment);
      parameter.value = assignment.Child(Field::kRight);
      parameter.is_guarded = !Follow(optimizer, parameter.statement, true);
      optimizer.parameters.push_back(parameter);
    }
  }

  /// Moves the place for further parameters behind `statement`, if that runs whenever the
  /// optimizer is made.
  static bool Follow(NpuOptimizer& optimizer, Node statement, bool outward) {
    const Node block = BlockOf(statement);
    const Node own = BlockOf(optimizer.last);
    if (own != block && !(outward && block.IsAncestorOf(own))) return false;
    if (own != block && block.parent().Is(NodeKind::kClassDefinition)) return false;
    if (statement.range().start > optimizer.last.range().start) optimizer.last = statement;
    return true;
  }

  /// `model.fit()`, of a model that the file compiles, and the methods that only keras has.
  bool IsKerasTraining(Node call, std::string_view name) const {
    const Node callee = call.Child(Field::kFunction);
    if (!on_npu_ || !callee.Is(NodeKind::kAttribute) || !UsesKeras()) return false;
    if (name == "fit_generator" || name == "train_on_batch") return true;
    if (name != "fit") return false;
    return std::ranges::any_of(file_.NodesOf(NodeKind::kCall), [&](Node other) {
      const Node compile = other.Child(Field::kFunction);
      return compile.Is(NodeKind::kAttribute) &&
             compile.Child(Field::kAttribute).text() == "compile" &&
             compile.Child(Field::kObject).text() == callee.Child(Field::kObject).text();
    });
  }

  bool UsesKeras() const {
    for (std::string_view package : {"keras", "tensorflow.keras", "tensorflow.python.keras",
                                     "tensorflow.contrib.keras", "tensorflow.compat.v1.keras"}) {
      if (file_.ImportsPackage(package)) return true;
    }
    return std::ranges::any_of(file_.NodesOf(NodeKind::kAttribute), [](Node attribute) {
      return attribute.Child(Field::kAttribute).text() == "keras";
    });
  }

  /// `sess.run(global_step)`: computes nothing that training needs.
  void VisitRun(Node call) {
    if (!IsOnNpu(call)) return;
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (arguments.size() != 1 || arguments[0].is_splat) return;
    if (IsGlobalStep(arguments[0].value)) sites_.idle_runs.push_back(call);
    const Node value = arguments[0].value;
    if (!IsShutdown(value) && IsInitialize(value)) initializing_.push_back(call);
  }

  /// `global_step.eval()`, `tf.train.global_step(sess, global_step)`: runs in other words.
  bool RunsGlobalStep(Node call) const {
    const Node callee = call.Child(Field::kFunction);
    if (callee.Is(NodeKind::kAttribute) && callee.Child(Field::kAttribute).text() == "eval") {
      return IsGlobalStep(callee.Child(Field::kObject));
    }
    return std::ranges::any_of(file_.names().Resolve(callee), [](const QualifiedName& name) {
      return !name.local && Words("global-step-runs").Has(TensorflowName(name.name));
    });
  }

  /// True if `value` is the number of the step: what the functions for it give, what an optimizer
  /// counts it in, a list of nothing else.
  bool IsGlobalStep(Node value, int depth = 3) const {
    if (depth == 0) return false;
    return IsCountedIn(value) ||
           std::ranges::any_of(file_.values().Of(value), [&](const ValueSource& source) {
             const Node node = source.node;
             if (node.Is(NodeKind::kCall)) return GivesGlobalStep(source);
             if (source.file != nullptr) return false;
             if (!node.Is(NodeKind::kList) && !node.Is(NodeKind::kTuple)) return IsCountedIn(node);
             const NamedChildren items(node);
             return node.first_named_child() && std::ranges::all_of(items, [&](Node item) {
                      return IsGlobalStep(item, depth - 1);
                    });
           });
  }

  static bool GivesGlobalStep(const ValueSource& call) {
    const std::vector<QualifiedName> names = call.names->Resolve(call.node.Child(Field::kFunction));
    return std::ranges::any_of(names, [](const QualifiedName& name) {
      return !name.local && Words("global-step-functions").Has(TensorflowName(name.name));
    });
  }

  /// `optimizer.minimize(loss, global_step=value)`
  bool IsCountedIn(Node value) const {
    const bool is_name = value.Is(NodeKind::kIdentifier) || value.Is(NodeKind::kAttribute);
    return is_name && std::ranges::any_of(file_.NodesOf(NodeKind::kCall), [&](Node call) {
             const std::vector<Argument> arguments = ArgumentsOf(call);
             const Argument* step = FindKeyword(arguments, "global_step");
             if (step == nullptr || step->value.text() != value.text()) return false;
             return !value.Is(NodeKind::kIdentifier) ||
                    file_.names().BindingsOf(step->value) == file_.names().BindingsOf(value);
           });
  }

  /// `npu_ops.initialize_system()`, or a variable that holds it.
  bool IsInitialize(Node value) const { return IsGivenBy(value, "initialize_system"); }

  bool IsShutdown(Node value) const {
    return HasPart(value.text(), "npu_shutdown") || IsGivenBy(value, "shutdown_system");
  }

  bool IsGivenBy(Node value, std::string_view function) const {
    return std::ranges::any_of(file_.values().Of(value), [&](const ValueSource& source) {
      return source.node.Is(NodeKind::kCall) && InjectFile::LastName(source.node) == function;
    });
  }

  /// True of `sess` in `sess.run(npu_init)`, `register(sess.run, npu_shutdown)` and `sess.close`.
  bool OnlyInitializes(Node session) const {
    const Node method = session.parent();
    if (!method || !method.Is(NodeKind::kAttribute)) return false;
    const std::string_view name = method.Child(Field::kAttribute).text();
    if (name == "close") return true;
    if (name != "run" || !method.parent()) return false;
    const Node call =
        method.parent().Is(NodeKind::kCall) ? method.parent() : method.parent().parent();
    if (!call || !call.Is(NodeKind::kCall)) return false;
    std::vector<Argument> arguments = ArgumentsOf(call);
    if (call.Child(Field::kFunction) != method) {  // whoever takes it runs what comes behind
      const auto at = std::ranges::find(arguments, method, &Argument::value);
      if (at == arguments.end()) return false;
      arguments.erase(arguments.begin(), at + 1);
    }
    return arguments.size() == 1 &&
           (IsInitialize(arguments[0].value) || IsShutdown(arguments[0].value));
  }

  /// The session of that name may do more than to run initialize_system: it trains, too.
  bool MayTrain(Node session) const {
    const auto is_target = [this](Node name) {
      for (const Binding* binding : file_.names().BindingsOf(name)) {
        if (binding->node == name) return true;
      }
      return false;
    };
    return std::ranges::any_of(file_.NodesOf(NodeKind::kIdentifier), [&](Node name) {
      return name.text() == session.text() &&
             file_.names().BindingsOf(name) == file_.names().BindingsOf(session) &&
             !is_target(name) && !OnlyInitializes(name);
    });
  }

  /// The session that runs initialize_system and nothing else: what is put into it must be among
  /// its options.
  void MarkInitializing() {
    for (Node run : initializing_) {
      sites_.initializes = true;
      const Node session = run.Child(Field::kFunction).Child(Field::kObject);
      if (!session.Is(NodeKind::kIdentifier) || MayTrain(session)) continue;
      for (const Binding* binding : file_.names().BindingsOf(session)) {
        // The call that `as sess` or `sess =` names.
        const Node made = binding->value ? binding->value : EnclosingStatement(binding->node);
        for (ConfigSlot& slot : sites_.slots) {
          const bool holds = made == slot.call || made.IsAncestorOf(slot.call);
          const bool in_body = !binding->value && !IsInHead(made, slot.call);
          if (holds && !in_body) slot.initialize = true;
        }
      }
    }
  }

  static bool IsInHead(Node statement, Node node) {
    const Node body = statement.Child(Field::kBody);
    return !body || !body.IsAncestorOf(node);
  }

  const InjectFile& file_;
  const bool on_npu_;
  TensorflowSites sites_;
  std::vector<Node> initializing_;
};

}  // namespace

namespace {

/// `""`, which holds no content that could be asked for.
bool IsEmptyText(Node string) {
  return IsText(string) && string.first_child().next_sibling().Is(NodeKind::kStringEnd);
}

}  // namespace

bool IsText(Node value) {
  const Node start = value.Is(NodeKind::kString) ? value.first_child() : Node();
  return start.Is(NodeKind::kStringStart) &&
         start.text().find_first_of("bB") == std::string_view::npos;
}

Text IdleRunSpoilsDump() {
  return Say(
      "this run computes nothing that training needs; such runs can spoil the data of a dump: take "
      "it out while you dump",
      "此处的运行不参与训练计算, 可能导致 dump 异常: 采集期间请去掉");
}

TensorflowSites FindTensorflowSites(const InjectFile& file) { return SiteFinder(file).Find(); }

Node FirstPlace(const TensorflowSites& sites) {
  std::vector<Node> places;
  for (const ConfigSlot& slot : sites.slots) places.push_back(slot.call);
  for (const NpuOptimizer& optimizer : sites.optimizers) places.push_back(optimizer.statement);
  for (const auto* calls : {&sites.run_configs, &sites.devices, &sites.keras_trainings}) {
    places.insert(places.end(), calls->begin(), calls->end());
  }
  const auto first =
      std::ranges::min_element(places, {}, [](Node place) { return place.range().start; });
  return first == places.end() ? Node() : *first;
}

bool UsesNpuBridge(const InjectFile& file) {
  return file.ImportsPackage("npu_bridge") || file.ImportsPackage("npu_device.compat");
}

Handed FindArgument(const std::vector<Argument>& arguments, std::string_view keyword,
                    int position) {
  Handed handed;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_splat) {
      handed.is_hidden = true;
    } else if (arguments[i].keyword == keyword ||
               (arguments[i].keyword.empty() && !handed.is_hidden &&
                static_cast<int>(i) == position)) {
      handed.argument = &arguments[i];
      handed.is_hidden = false;
      return handed;
    }
  }
  return handed;
}

std::optional<std::string> LiteralValue(Node value) {
  if (value.Is(NodeKind::kTrue)) return "true";
  if (value.Is(NodeKind::kFalse)) return "false";
  if (value.Is(NodeKind::kInteger)) return std::string(value.text());
  if (value.Is(NodeKind::kCall)) {
    const std::string_view name = InjectFile::LastName(value);
    const std::vector<Argument> arguments = ArgumentsOf(value);
    if (name != "as_bytes" || arguments.size() != 1) return std::nullopt;
    value = arguments[0].value;
  }
  if (!value.Is(NodeKind::kString)) return std::nullopt;
  if (IsEmptyText(value)) return std::string();
  const Node content = PlainStringContent(value);
  if (!content) return std::nullopt;
  return std::string(content.text());
}

bool IsTensorflowCall(const InjectFile& file, Node call, std::string_view name) {
  return file.Calls(call, name, {"tensorflow", "tf", "npu_bridge", "npu_device"});
}

bool IsConfigProto(const InjectFile& file, Node node) {
  return node.Is(NodeKind::kCall) && IsTensorflowCall(file, node, "ConfigProto");
}

bool IsNpuCall(const InjectFile& file, Node call, std::string_view name) {
  return file.Calls(call, name, {"npu_bridge", "npu_device"});
}

}  // namespace transplt
