// SPDX-License-Identifier: Apache-2.0
// Optimizers that are there: their parameters are updated in place.
#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/callee.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

bool Contains(std::string_view text, std::string_view part) { return HasPart(text, part); }

}  // namespace

void TensorflowInjector::HandleOptimizers() {
  for (const NpuOptimizer& optimizer : sites_.optimizers) {
    if (!optimizer.name.empty() && optimizer.name != "NpuOptimizer") {
      if (Contains(Lower(optimizer.name), "npuoptimizer")) {
        Leave(optimizer.name_value,
              Say("the NPU ignores an optimizer that is called {}: it must be NpuOptimizer",
                  "NPU 会忽略名为 {} 的优化器: 名称必须是 NpuOptimizer", optimizer.name),
              request_.options);
      }
      continue;
    }
    if (MayBeOverridden(optimizer)) {
      Leave(optimizer.statement,
            Say("a second NpuOptimizer is added to the same configuration below; what it sets "
                "wins, so the options go there",
                "下方对同一配置又添加了一个 NpuOptimizer, 以后者为准, 选项设置在后者上"));
      continue;
    }
    const std::vector<OptionValue> options = OptionsFor(optimizer);
    if (options.empty()) {
      Note(optimizer.statement, "custom_optimizers",
           Say("left: what reads this configuration takes none of the options from it",
               "不处理: 使用该配置的接口不从中读取这些选项"));
    } else {
      const Node like = optimizer.parameters.empty() ? optimizer.name_value
                                                     : optimizer.parameters.back().key_node;
      plan_.QuoteLike(like);
      UpdateOptimizer(optimizer, options);
      plan_.QuoteLike({});
    }
  }
}

/// A later optimizer of the same object in the same block overrides this one key by key.
bool TensorflowInjector::MayBeOverridden(const NpuOptimizer& optimizer) const {
  if (!optimizer.object) return false;
  return std::ranges::any_of(sites_.optimizers, [&](const NpuOptimizer& other) {
    return other.object && other.object.text() == optimizer.object.text() &&
           (other.name.empty() || other.name == "NpuOptimizer") &&
           BlockOf(other.statement) == BlockOf(optimizer.statement) &&
           other.statement.range().start > optimizer.statement.range().start &&
           (!other.object.Is(NodeKind::kIdentifier) ||
            file_.names().BindingsOf(other.object) == file_.names().BindingsOf(optimizer.object));
  });
}

/// Only the options of initialize_system, where nothing else reads this configuration.
std::vector<OptionValue> TensorflowInjector::OptionsFor(const NpuOptimizer& optimizer) const {
  bool initializes = false;
  for (const ConfigSlot& slot : sites_.slots) {
    const std::vector<Argument> arguments = ArgumentsOf(slot.call);
    const Handed handed = FindArgument(arguments, slot.keyword, slot.position);
    if (handed.argument == nullptr || slot.run_config) continue;
    if (OptimizerOf(handed.argument->value) != &optimizer) continue;
    if (!slot.initialize) return request_.options;
    initializes = true;
  }
  for (Node call : sites_.run_configs) {
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const Handed handed = FindArgument(arguments, "session_config", 7);
    if (handed.argument == nullptr || OptimizerOf(handed.argument->value) != &optimizer) continue;
    // What NPURunConfig has a parameter for is set there: it overrides this.
    std::vector<OptionValue> rest = WithPointsInside(request_.options);
    std::erase_if(rest, [](const OptionValue& option) {
      const OptionSpec& spec = *option.spec;
      return !spec.dump_config.empty() || !spec.profiling_config.empty() ||
             !spec.run_config.empty();
    });
    return rest;
  }
  return Fitting(initializes);
}

const NpuOptimizer* TensorflowInjector::OptimizerOf(Node object) const {
  while (object.Is(NodeKind::kParenthesizedExpression)) object = object.first_named_child();
  const NameTable& names = file_.names();
  const NpuOptimizer* found = nullptr;
  for (const NpuOptimizer& optimizer : sites_.optimizers) {
    if (!optimizer.object || optimizer.object.text() != object.text()) continue;
    if (!optimizer.name.empty() && optimizer.name != "NpuOptimizer") continue;
    if (object.Is(NodeKind::kIdentifier)) {
      const std::vector<const Binding*> own = names.BindingsOf(optimizer.object);
      const std::vector<const Binding*> used = names.BindingsOf(object);
      const bool shares =
          std::ranges::any_of(own, [&](const Binding* binding) { return IsOneOf(binding, used); });
      if (!shares && !(own.empty() && used.empty())) continue;
    } else if (!object.text().starts_with("self.") &&
               names.ScopeOf(object) != names.ScopeOf(optimizer.object)) {
      continue;
    }
    found = &optimizer;
  }
  return found;
}

/// True if `variable` is handed to a function of the project that adds an optimizer to it.
bool TensorflowInjector::IsConfiguredElsewhere(Node variable) const {
  const std::vector<const Binding*> bindings = file_.names().BindingsOf(variable);
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    if (call.range().start > variable.range().start) break;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (!argument.value.Is(NodeKind::kIdentifier) || argument.value.text() != variable.text()) {
        continue;
      }
      if (argument.value == variable || file_.names().BindingsOf(argument.value) != bindings) {
        continue;
      }
      if (Contains(file_.FunctionText(call), "custom_optimizers")) return true;
    }
  }
  // What a function of the project returns may have one already.
  return std::ranges::any_of(bindings, [&](const Binding* binding) {
    return binding->value.Is(NodeKind::kCall) &&
           Contains(file_.FunctionText(binding->value), "custom_optimizers");
  });
}

/// A switch under a condition that excludes a wanted one is the author's: it stays, but both must
/// not be on. True if it is one.
bool TensorflowInjector::ReportOpposite(Node statement, Node value, const std::string& name,
                                        const std::vector<OptionValue>& options) {
  if (value.Is(NodeKind::kFalse)) return false;
  for (const OptionValue& option : options) {
    const auto& excludes = option.spec->excludes;
    if (!option.IsTrue() || !IsOneOf(name, excludes)) {
      continue;
    }
    Leave(statement,
          Say("{} is set under a condition here and excludes {}: see that it stays off",
              "此处有条件地设置 {}, 与 {} 互斥: 请确保其不被打开", name, option.spec->name));
    return true;
  }
  return false;
}

void TensorflowInjector::ReportGuarded(const NpuOptimizer& optimizer,
                                       const std::vector<OptionValue>& wanted) {
  for (const NpuOptimizer::Parameter& parameter : optimizer.parameters) {
    if (parameter.is_guarded) {
      ReportOpposite(parameter.statement, parameter.value, parameter.key, wanted);
    } else if (parameter.key == "use_off_line" && parameter.value.Is(NodeKind::kFalse)) {
      Leave(parameter.statement,
            Say("use_off_line is False: nothing runs on the NPU, and nothing is collected",
                "use_off_line 为 False: 计算不在 NPU 上执行, 不会采集到数据"));
    }
  }
}

void TensorflowInjector::UpdateOptimizer(const NpuOptimizer& optimizer,
                                         const std::vector<OptionValue>& wanted) {
  for (const NpuOptimizer::Parameter& parameter : optimizer.parameters) {
    if (parameter.is_guarded) continue;
    if (RefuseOpposite(parameter.value, parameter.key, wanted)) return;
  }
  ReportGuarded(optimizer, wanted);
  const EditReason reason{
      optimizer.statement.range(), std::string(kTensorflowRule),
      Say("custom_optimizers: sets {}", "custom_optimizers: 设置 {}", NamesOf(wanted))};
  HandleEarlyReturns(optimizer, wanted, reason);
  const std::string flag =
      spelling_.IsGated(wanted) ? file_.FreshName("dump_flag", optimizer.statement) : std::string();
  Node last = optimizer.last;
  bool changed = false;
  bool has_gate = false;
  std::vector<OptionValue> missing;
  for (const OptionValue& option : wanted) {
    const NpuOptimizer::Parameter* own = nullptr;
    const NpuOptimizer::Parameter* guarded = nullptr;
    for (const NpuOptimizer::Parameter& parameter : optimizer.parameters) {
      if (parameter.key == option.spec->name) (parameter.is_guarded ? guarded : own) = &parameter;
    }
    if (guarded != nullptr) {
      Leave(guarded->statement, Say("{} is set under a condition here, which is left as it is",
                                    "此处有条件地设置 {}, 保持原样", option.spec->name));
      const Node outer = StatementIn(BlockOf(last), guarded->statement);
      if (BlockOf(last).IsAncestorOf(guarded->statement) &&
          outer.range().start > last.range().start) {
        last = outer;
      }
    }
    const bool comes_last =
        own != nullptr && (guarded == nullptr || file_.IsInjected(own->statement) ||
                           own->statement.range().start > guarded->statement.range().start);
    if (comes_last) {
      if (own->value.text() == flag && !flag.empty()) {
        has_gate = true;
        UpdateGate(own->statement, flag, reason, changed);
      }
      SetParameter(*own, option, flag, reason, changed);
    } else {
      missing.push_back(option);
    }
  }
  if (!missing.empty()) {
    if (!EditPlan::CanInsertBefore(last)) {
      Leave(last,
            Say("no line can be put behind this statement, which shares its line",
                "该语句与其他语句同行, 其后无法插入语句"),
            missing);
      return;
    }
    plan_.InsertAfter(last, ParameterLines(optimizer, missing, has_gate ? "" : flag, flag), reason);
    changed = true;
  }
  Note(optimizer.statement, "custom_optimizers",
       changed ? Say("sets {}", "设置 {}", NamesOf(wanted)) : Say("set already", "已设置"), wanted);
}

/// A function that makes the optimizer and gives the configuration back: on a way that leaves it
/// before, the configuration gets the options, too.
void TensorflowInjector::HandleEarlyReturns(const NpuOptimizer& optimizer,
                                            const std::vector<OptionValue>& wanted,
                                            const EditReason& reason) {
  if (!optimizer.object.Is(NodeKind::kIdentifier)) return;
  const Node function = file_.names().ScopeNode(file_.names().ScopeOf(optimizer.statement));
  if (!function.Is(NodeKind::kFunctionDefinition)) return;
  const auto bindings = file_.names().BindingsOf(optimizer.object);
  const auto gives = [&](Node statement) {
    const Node value = statement.first_named_child();
    return value.Is(NodeKind::kIdentifier) && value.text() == optimizer.object.text() &&
           file_.names().ScopeNode(file_.names().ScopeOf(statement)) == function;
  };
  std::vector<Node> early;
  bool gives_later = false;
  for (Node statement : file_.NodesOf(NodeKind::kReturnStatement)) {
    if (!function.IsAncestorOf(statement) || !gives(statement)) continue;
    const bool is_early = statement.range().start < optimizer.statement.range().start;
    const bool is_served = std::ranges::any_of(sites_.optimizers, [&](const NpuOptimizer& other) {
      return other.object && other.object.text() == optimizer.object.text() &&
             other.statement.range().start < statement.range().start &&
             BlockOf(statement).IsAncestorOf(other.statement);
    });
    if (is_early && !is_served) early.push_back(statement);
    gives_later = gives_later || !is_early;
  }
  if (!gives_later) return;
  const bool is_new = std::ranges::all_of(bindings, [&](const Binding* binding) {
    return binding->value && IsConfigProto(file_, binding->value);
  });
  for (const Node statement : early) {
    if (!EditPlan::CanInsertBefore(statement)) {
      Leave(statement,
            Say("this way leaves before the options are set, and no line can be put in "
                "front of it",
                "此路径在设置选项之前返回, 且其前无法插入语句"),
            wanted);
      continue;
    }
    const std::string config(optimizer.object.text());
    plan_.InsertBefore(statement, spelling_.OptimizerLines(config, is_new, wanted, statement),
                       reason);
  }
}

/// Sets what the optimizer does not have yet; `gate` is the switch that has to be made first.
std::vector<std::string> TensorflowInjector::ParameterLines(const NpuOptimizer& optimizer,
                                                            const std::vector<OptionValue>& options,
                                                            const std::string& gate,
                                                            const std::string& flag) {
  std::vector<std::string> lines;
  if (spelling_.IsGated(options) && !gate.empty()) {
    lines = spelling_.GateLines(gate, optimizer.statement);
  }
  for (std::string& line : spelling_.FolderLines(options)) lines.push_back(std::move(line));
  for (const OptionValue& option : options) {
    lines.push_back(fmt::format("{}.parameter_map[{}].{} = {}", optimizer.variable.text(),
                                plan_.Quoted(option.spec->name), FieldOf(option),
                                spelling_.ParameterValue(option, flag)));
  }
  return lines;
}

/// A switch that excludes a wanted one: left and reported, or set to False on request. True if the
/// place must be left.
bool TensorflowInjector::RefuseOpposite(Node switch_value, const std::string& name,
                                        const std::vector<OptionValue>& options) {
  if (!switch_value.Is(NodeKind::kTrue)) return false;
  for (const OptionValue& option : options) {
    const auto& excludes = option.spec->excludes;
    const bool is_opposite = option.IsTrue() && IsOneOf(name, excludes);
    if (!is_opposite) continue;
    if (!request_.replace_opposite) {
      Note(switch_value, name,
           Say("{} is True here and excludes {}: nothing was changed; --replace sets it to False",
               "此处 {} 为 True, 与 {} 互斥: 未作修改; 使用 --replace 将其置为 False", name,
               option.spec->name));
      result_.sites.back().is_refused = true;
      return true;
    }
    plan_.Replace(switch_value.range(), "False",
                  {switch_value.range(), std::string(kTensorflowRule),
                   Say("{} excludes {}", "{} 与 {} 互斥", option.spec->name, name)});
    return false;
  }
  return false;
}

void TensorflowInjector::SetParameter(const NpuOptimizer::Parameter& parameter,
                                      const OptionValue& option, const std::string& flag,
                                      const EditReason& reason, bool& changed) {
  const std::string_view field = FieldOf(option);
  const std::string wanted = spelling_.ParameterValue(option, flag);
  const bool same =
      parameter.field == field && (parameter.value.text() == wanted ||
                                   (wanted != flag && !(field == "s" && IsText(parameter.value)) &&
                                    LiteralValue(parameter.value) == option.value));
  if (same) return;
  changed = true;
  if (wanted == flag && !flag.empty()) {
    plan_.InsertBefore(parameter.statement, spelling_.GateLines(flag, parameter.statement), reason);
  }
  if (parameter.field == field) {
    plan_.Replace(parameter.value.range(), wanted, reason);
  } else {
    plan_.Replace({parameter.field_node.range().start, parameter.value.range().end},
                  fmt::format("{} = {}", field, wanted), reason);
  }
}

/// The ranks of an earlier injection become those that are wanted now.
void TensorflowInjector::UpdateGate(Node statement, const std::string& flag,
                                    const EditReason& reason, bool& changed) {
  Node gate;
  for (Node node : file_.NodesOf(NodeKind::kIfStatement)) {
    if (node.range().start > statement.range().start) break;
    const Node body = node.Child(Field::kConsequence);
    if (body && body.text() == flag + " = True" && file_.IsInjected(node)) gate = node;
  }
  if (!gate) return;
  const Node condition = gate.Child(Field::kCondition);
  const std::string wanted = spelling_.RankCondition(true);  // what is there has imported os
  const auto same = [](char a, char b) {
    return a == b || (a == '\'' && b == '"') || (a == '"' && b == '\'');
  };
  const std::string_view text = condition.text();
  if (std::equal(text.begin(), text.end(), wanted.begin(), wanted.end(), same)) return;
  plan_.Replace(condition.range(), wanted, reason);
  changed = true;
}

}  // namespace transplt
