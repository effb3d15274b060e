// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/tensorflow_injector.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/tool_constraints.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// True if a way through `function` gives no value, or None.
bool ReturnsNone(Node function) {
  const auto is_nothing = [](Node value) {
    return !value || std::ranges::any_of(NodesIn(value), [](Node node) {
      return node.Is(NodeKind::kNone) && (node.parent().Is(NodeKind::kReturnStatement) ||
                                          node.parent().Is(NodeKind::kConditionalExpression));
    });
  };
  return std::ranges::any_of(NodesIn(function), [&](Node node) {
    return node.Is(NodeKind::kReturnStatement) && is_nothing(node.first_named_child());
  });
}

/// The block in which the names of a scope are bound.
Node BodyOf(const NameTable& names, uint32_t scope) {
  const Node node = names.ScopeNode(scope);
  const Node body = node.Child(Field::kBody);
  return body ? body : node;
}

}  // namespace

FileInjection InjectTensorflow(const InjectFile& file, const InjectRequest& request) {
  std::vector<OptionValue> unread = WithoutSwitch(request.options);
  std::erase_if(unread, [&](const OptionValue& option) {
    return ProgramHasWord(file, option.spec->goes_with);
  });
  if (unread.empty()) return TensorflowInjector(file, request).Inject();
  InjectRequest read = request;
  std::erase_if(read.options, [&](const OptionValue& option) {
    return std::ranges::any_of(unread,
                               [&](const OptionValue& other) { return other.spec == option.spec; });
  });
  FileInjection result;
  const bool injects = !read.options.empty() || read.initialize_system;
  if (injects) result = TensorflowInjector(file, read).Inject();
  const Node place = FirstPlace(FindTensorflowSites(file));
  if (!place) return result;
  for (const OptionValue& option : unread) {
    const Text why = NothingSwitchesOn(*option.spec);
    result.Leave({option}, place.range(), why);
    result.findings.push_back(RowAt(place.range(), kTensorflowRule, why));
    if (!injects) result.sites.push_back({place.range(), "tensorflow", why});
  }
  return result;
}

FileInjection TensorflowInjector::Inject() {
  sites_ = FindTensorflowSites(file_);
  HandleOptimizers();
  for (const ConfigSlot& slot : sites_.slots) {
    if (!slot.is_plain) HandleSlot(slot);
  }
  for (const ConfigSlot& slot : sites_.slots) {
    if (slot.is_plain) HandlePlainSlot(slot);
  }
  for (const Group& group : groups_) HandleGroup(group);
  for (Node call : sites_.run_configs) HandleNpuRunConfig(call);
  for (Node call : sites_.devices) HandleDevice(call);
  HandleKeras();
  if (request_.initialize_system) InsertInitializeSystem();
  ReportIdleRuns();
  FlushArguments();
  for (Finding& finding : plan_.Findings()) result_.findings.push_back(std::move(finding));
  std::ranges::sort(result_.sites, [](const InjectionSite& a, const InjectionSite& b) {
    return a.range.start < b.range.start;
  });
  return std::move(result_);
}

std::vector<OptionValue> TensorflowInjector::Fitting(bool initialize) const {
  std::vector<OptionValue> options = request_.options;
  if (initialize) {
    std::erase_if(options, [](const OptionValue& option) { return !option.spec->initialize; });
  }
  return options;
}

std::vector<OptionValue> TensorflowInjector::Points() const {
  std::vector<OptionValue> points = request_.options;
  std::erase_if(points, [](const OptionValue& option) {
    return option.spec->name != "fp_point" && option.spec->name != "bp_point";
  });
  return points;
}

void TensorflowInjector::HandleSlot(const ConfigSlot& slot) {
  const Place place{slot, Fitting(slot.initialize)};
  if (place.options.empty()) {
    Note(slot.call, slot.what,
         Say("left: initialize_system reads none of the options",
             "不处理: initialize_system 不读取这些选项"));
    return;
  }
  if (slot.run_config) {
    HandleRunConfigSlot(place);
  } else {
    HandleConfig(place);
  }
}

/// The configuration that the call takes, a null node where it takes none; nothing, and a report,
/// where that cannot be seen.
std::optional<Node> TensorflowInjector::HandedOver(const Place& place) {
  const std::vector<Argument> arguments = ArgumentsOf(place.slot.call);
  const Handed handed = FindArgument(arguments, place.slot.keyword, place.slot.position);
  if (handed.argument != nullptr) return handed.argument->value;
  if (!handed.is_hidden) return Node();
  Leave(place.slot.call,
        Say("{}: * and ** hide whether a configuration is handed over",
            "{}: * 与 ** 使得无法判断是否传入了配置", place.slot.what),
        place.options);
  return std::nullopt;
}

void TensorflowInjector::HandleConfig(const Place& place) {
  const Node call = place.slot.call;
  const std::optional<Node> handed = HandedOver(place);
  if (!handed) return;
  const Node value = *handed;
  const Node inner = WithoutParentheses(value);
  const bool misplaced =
      IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(EnclosingStatement(call));
  if (!inner || inner.Is(NodeKind::kNone)) {
    misplaced ? Wrap(place, value) : NewConfig(place, value);
    return;
  }
  if (place.slot.creator) return;  // what makes it is a site of its own
  if (inner.Is(NodeKind::kIdentifier)) {
    HandleVariable(place, inner);
    return;
  }
  if (inner.Is(NodeKind::kCall)) {
    const std::string_view name = InjectFile::LastName(inner);
    const bool is_wrapped = name == "npu_config_proto" && IsNpuCall(file_, inner, name);
    const std::string made = file_.FunctionText(inner);
    if (is_wrapped) return;  // a site of its own
    if (HasPart(made, "custom_optimizers") || HasPart(made, "npu_config_proto(")) {
      Note(call, place.slot.what, Say("set in {}()", "在 {}() 中设置", name));
      return;
    }
  }
  const bool is_chain = inner.Is(NodeKind::kAttribute) || inner.Is(NodeKind::kSubscript);
  if (is_chain && OptimizerOf(inner) != nullptr) return;
  if (misplaced || !IsAlwaysEvaluated(call)) {
    Wrap(place, value);
  } else {
    Hoist(place, value, IsConfigProto(file_, inner));
  }
}

void TensorflowInjector::HandleVariable(const Place& place, Node variable) {
  const std::vector<const Binding*> bindings = file_.names().BindingsOf(variable);
  const bool is_wrapped = !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* b) {
    return b->value.Is(NodeKind::kCall) && InjectFile::LastName(b->value) == "npu_config_proto" &&
           IsNpuCall(file_, b->value, "npu_config_proto");
  });
  if (is_wrapped) return;  // a site of its own
  const NpuOptimizer* optimizer = OptimizerOf(variable);
  if (optimizer != nullptr || IsConfiguredElsewhere(variable)) {
    Note(place.slot.call, place.slot.what,
         optimizer == nullptr ? Say("set by the function that {} is handed to",
                                    "由接收 {} 的函数设置", variable.text())
                              : Say("set on {} at line {}", "在第 {1} 行对 {0} 设置",
                                    variable.text(), file_.LineOf(optimizer->statement)));
    return;
  }
  if (IsEvaluatedElsewhere(place.slot.call)) {
    Wrap(place, variable);
    return;
  }
  const uint32_t scope = file_.names().ScopeOf(variable);
  for (Group& group : groups_) {
    const bool same_name = group.places.front().slot.call && group.bindings == bindings &&
                           group.scope == scope && !bindings.empty();
    if (same_name) {
      group.places.push_back(place);
      return;
    }
  }
  groups_.push_back({bindings, scope, {place}});
}

/// True if what `value` gives may be None, for which npu_config_proto takes a new configuration.
bool TensorflowInjector::MayGiveNone(Node value) const {
  if (!value.Is(NodeKind::kCall)) return value.Is(NodeKind::kNone);
  const auto function = file_.FunctionOf(value);
  return function && ReturnsNone(function->node);
}

/// Makes a configuration where the variable may hold none: nobody says what a parameter gets.
std::vector<std::string> TensorflowInjector::NoneLines(const std::string& config,
                                                       const std::vector<const Binding*>& bindings,
                                                       Node at) {
  const bool may_be_none = std::ranges::any_of(bindings, [&](const Binding* binding) {
    const bool is_open = binding->kind == BindingKind::kParameter && !binding->value;
    return is_open || (binding->value && MayGiveNone(binding->value));
  });
  if (!may_be_none) return {};
  return {"if " + config + " is None:", "    " + config + " = " + spelling_.NewConfigProto(at)};
}

/// Sets the options once, before the first use, where every use runs afterwards.
void TensorflowInjector::HandleGroup(const Group& group) {
  const Place& first = group.places.front();
  const Handed handed = [&] {
    static thread_local std::vector<Argument> arguments;
    arguments = ArgumentsOf(first.slot.call);
    return FindArgument(arguments, first.slot.keyword, first.slot.position);
  }();
  const std::string config(WithoutParentheses(handed.argument->value).text());
  const NameTable& names = file_.names();
  bool is_local = !group.bindings.empty();
  bool is_new = is_local;
  Node block = BodyOf(names, group.scope);
  Node common = BlockOf(EnclosingStatement(first.slot.call));
  for (const Binding* binding : group.bindings) {
    if (binding->scope != group.scope) is_local = false;
    if (!IsConfigProto(file_, binding->value)) is_new = false;
    if (binding->kind == BindingKind::kParameter) {
      common = block;
    } else if (common) {
      common = CommonBlock(common, binding->node);
    }
  }
  if (is_local && common) block = common;
  Node anchor = StatementIn(block, first.slot.call);
  bool fits = EditPlan::CanInsertBefore(anchor) && block.IsAncestorOf(first.slot.call);
  for (const Binding* binding : group.bindings) {
    if (binding->scope == group.scope && binding->kind != BindingKind::kParameter &&
        (anchor.IsAncestorOf(binding->node) ||
         binding->node.range().start > anchor.range().start)) {
      fits = false;
    }
  }
  bool all_initialize = true;
  for (const Place& place : group.places) all_initialize &= place.slot.initialize;
  const std::vector<OptionValue> options = Fitting(all_initialize);
  const size_t count = fits ? 1 : group.places.size();
  for (size_t i = 0; i < count; ++i) {
    const Place& place = group.places[i];
    const Node statement = fits ? anchor : EnclosingStatement(place.slot.call);
    if (!EditPlan::CanInsertBefore(statement)) {
      const std::vector<Argument> arguments = ArgumentsOf(place.slot.call);
      const Handed value = FindArgument(arguments, place.slot.keyword, place.slot.position);
      Wrap(place, value.argument->value);
      continue;
    }
    std::vector<std::string> lines;
    if (is_local) lines = NoneLines(config, group.bindings, statement);
    for (std::string& line :
         spelling_.OptimizerLines(config, is_new && is_local && fits, options, place.slot.call)) {
      lines.push_back(std::move(line));
    }
    plan_.InsertBefore(statement, lines, Reason(place.slot, options));
  }
  // An object counts once, however many calls take it.
  if (fits) result_.Set(options);
  for (const Place& place : group.places) {
    Note(place.slot.call, place.slot.what,
         Say("sets {} on {}", "对 {1} 设置 {0}", NamesOf(place.options), config),
         fits ? std::vector<OptionValue>() : place.options);
  }
}

void TensorflowInjector::ReportIdleRuns() {
  for (Node call : sites_.idle_runs) {
    Leave(call, IdleRunSpoilsDump());
  }
}

void TensorflowInjector::Leave(Node node, Text why, const std::vector<OptionValue>& left) {
  result_.Leave(left, node.range(), why);
  result_.findings.push_back(RowAt(node.range(), kTensorflowRule, std::move(why)));
}

void TensorflowInjector::Note(Node node, std::string_view kind, Text state,
                              const std::vector<OptionValue>& set) {
  result_.Set(set);
  result_.sites.push_back({node.range(), std::string(kind), std::move(state)});
}

EditReason TensorflowInjector::Reason(const ConfigSlot& slot,
                                      const std::vector<OptionValue>& options) const {
  return {slot.call.range(), std::string(kTensorflowRule),
          Say("{}: sets {}", "{}: 设置 {}", slot.what, NamesOf(options))};
}

}  // namespace transplt
