// SPDX-License-Identifier: Apache-2.0
// RunConfig and Estimator of TensorFlow, with npu_run_config_init around them or without.
#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {}  // namespace

/// RunConfig and Estimator without any function of npu_bridge around them: their sessions are of
/// the NPU all the same, unless NPURunConfig is what the NPU has.
void TensorflowInjector::HandlePlainSlot(const ConfigSlot& slot) {
  if (!sites_.run_configs.empty()) return;
  if (!slot.run_config) {
    if (!ReachesEstimator(slot.call)) return;
    const Place place{slot, Fitting(false)};
    HandleRunConfigValue(place, slot.call);
    return;
  }
  const std::vector<Argument> arguments = ArgumentsOf(slot.call);
  const Handed handed = FindArgument(arguments, slot.keyword, slot.position);
  const bool is_given =
      handed.argument != nullptr ? !handed.argument->value.Is(NodeKind::kNone) : handed.is_hidden;
  if (!is_given) HandleSlot(slot);
}

/// True if `call` makes an estimator of TensorFlow.
bool TensorflowInjector::IsEstimator(Node call) const {
  const std::string_view name = file_.CalledName(call);
  const bool may_be =
      name.ends_with("Estimator") || name.ends_with("Classifier") || name.ends_with("Regressor");
  return may_be && name != "NPUEstimator" && IsTensorflowCall(file_, call, name);
}

/// True if an estimator of this file gets the RunConfig `made` as it is. What is handed on to other
/// files is dealt with there.
bool TensorflowInjector::ReachesEstimator(Node made) const {
  const Node variable = made.parent().Child(Field::kLeft);
  const auto is_it = [&](Node use) {
    if (use == made) return true;
    if (!use.Is(NodeKind::kIdentifier) || use.text() != variable.text()) return false;
    return std::ranges::any_of(file_.names().BindingsOf(use),
                               [&](const Binding* binding) { return binding->node == variable; });
  };
  bool reaches = false;
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const std::string_view name = InjectFile::LastName(call);
    const bool replaces = name == "replace" && variable &&
                          is_it(call.Child(Field::kFunction).Child(Field::kObject)) &&
                          FindKeyword(arguments, "session_config") != nullptr;
    const bool has_it = std::ranges::any_of(arguments, [&](const Argument& argument) {
      return is_it(WithoutParentheses(argument.value));
    });
    if (replaces || (has_it && name == "npu_run_config_init")) return false;
    reaches |= has_it && IsEstimator(call);
  }
  return reaches;
}

void TensorflowInjector::HandleRunConfigSlot(const Place& place) {
  const Node call = place.slot.call;
  const std::optional<Node> handed = HandedOver(place);
  if (!handed) return;
  const Node value = WithoutParentheses(*handed);
  const bool misplaced =
      IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(EnclosingStatement(call));
  if (value.Is(NodeKind::kCall)) {
    HandleRunConfigValue(place, value);
  } else if (value.Is(NodeKind::kIdentifier)) {
    HandleRunConfigVariable(place, value);
  } else if (misplaced) {
    Leave(call,
          Say("{}: no line can be put in front of this place; make the RunConfig in a "
              "variable before it",
              "{}: 此处之前无法插入语句; 请先将 RunConfig 放入变量", place.slot.what),
          place.options);
  } else if (!value || value.Is(NodeKind::kNone)) {
    NewRunConfig(place, value);
  } else {
    ReplaceRunConfig(place, value);
  }
}

void TensorflowInjector::HandleRunConfigVariable(const Place& place, Node value) {
  const std::vector<const Binding*> bindings = file_.names().BindingsOf(value);
  const auto is_made = [&](const Binding* binding) {
    if (!binding->value.Is(NodeKind::kCall)) return false;
    const std::string_view name = InjectFile::LastName(binding->value);
    if (name == "replace") {
      const std::vector<Argument> arguments = ArgumentsOf(binding->value);
      return FindKeyword(arguments, "session_config") != nullptr;
    }
    return name == "RunConfig";
  };
  const bool is_npu = std::ranges::any_of(bindings, [](const Binding* binding) {
    return binding->value.Is(NodeKind::kCall) &&
           InjectFile::LastName(binding->value) == "NPURunConfig";
  });
  if (is_npu) {
    Note(place.slot.call, place.slot.what,
         Say("set on the NPURunConfig that it is given", "在传入的 NPURunConfig 上设置"));
    return;
  }
  if (bindings.empty() || !std::ranges::all_of(bindings, is_made)) {
    ReplaceRunConfig(place, value);
    return;
  }
  for (const Binding* binding : bindings) HandleRunConfigValue(place, binding->value);
}

/// A RunConfig that is made here: its session_config is what counts.
void TensorflowInjector::HandleRunConfigValue(const Place& place, Node value) {
  const std::string_view name = file_.CalledName(value);
  const bool is_replace =
      name == "replace" && FindKeyword(ArgumentsOf(value), "session_config") != nullptr;
  if (name != "RunConfig" && !is_replace) {
    ReplaceRunConfig(place, value);
    return;
  }
  if (IsOneOf(value.id(), handled_calls_)) {
    return;
  }
  handled_calls_.push_back(value.id());
  const std::string_view callee = value.Child(Field::kFunction).text();
  const bool by_keyword = is_replace || HasPart(callee, "tpu") || HasPart(callee, "learn");
  Place inner = place;
  inner.slot = {value, is_replace ? "RunConfig.replace" : "RunConfig", "session_config",
                by_keyword ? -1 : 5, "session_config"};
  HandleConfig(inner);
}

}  // namespace transplt
