// SPDX-License-Identifier: Apache-2.0
// NPURunConfig, DumpConfig and ProfilingConfig of a manual migration. What NPURunConfig says
// overrides the parameters of its session_config, so nothing of it goes there.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transplt/base/one_of.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

/// True if `made` stands in a block below that of `use`: whether it runs, the author decides.
bool IsGuarded(Node made, Node use) {
  const Node block = BlockOf(EnclosingStatement(use));
  return block.IsAncestorOf(BlockOf(EnclosingStatement(made)));
}

/// True if a condition of the author decides whether `node` runs.
bool IsUnderCondition(Node node) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kFunctionDefinition)) return false;
    if (up.Is(NodeKind::kIfStatement) && !HasPart(up.Child(Field::kCondition).text(), "__name__")) {
      return true;
    }
  }
  return false;
}

std::vector<OptionValue> OptionsWith(const std::vector<OptionValue>& options,
                                     const std::string OptionSpec::*keyword) {
  std::vector<OptionValue> with;
  for (const OptionValue& option : options) {
    if (!(option.spec->*keyword).empty()) with.push_back(option);
  }
  return with;
}

}  // namespace

void TensorflowInjector::HandleNpuRunConfig(Node call) {
  const std::vector<OptionValue> options = WithPointsInside(request_.options);
  const std::vector<OptionValue> dump = OptionsWith(options, &OptionSpec::dump_config);
  const std::vector<OptionValue> profiling = OptionsWith(options, &OptionSpec::profiling_config);
  const std::vector<OptionValue> own = OptionsWith(options, &OptionSpec::run_config);
  bool done = SetConfigObject(call, {"dump_config", "DumpConfig", &OptionSpec::dump_config}, dump);
  const bool profiles = SetConfigObject(
      call, {"profiling_config", "ProfilingConfig", &OptionSpec::profiling_config}, profiling);
  done &= profiles;
  if (profiles) result_.Set(Points());
  done &= UpdateKeywords(call, &OptionSpec::run_config, own, call);
  std::vector<OptionValue> rest = options;
  std::erase_if(rest, [](const OptionValue& option) {
    const OptionSpec& spec = *option.spec;
    return !spec.dump_config.empty() || !spec.profiling_config.empty() || !spec.run_config.empty();
  });
  if (!rest.empty()) {
    const int position = Words("run-config-parameters").PositionOf("session_config");
    HandleConfig({{call, "NPURunConfig", "session_config", position, "session_config"}, rest});
  }
  if (rest.size() < options.size()) {
    Note(call, "NPURunConfig",
         done ? Say("sets {}", "设置 {}", NamesOf(request_.options))
              : Say("left, at least in part: see what is reported", "未完全设置: 见报告"));
  }
}

/// `dump_config=DumpConfig(...)` of a NPURunConfig: made, or updated where it is made.
bool TensorflowInjector::SetConfigObject(Node call, const ConfigClass& config,
                                         const std::vector<OptionValue>& options) {
  if (options.empty()) return true;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Handed handed = FindArgument(arguments, config.keyword,
                                     Words("run-config-parameters").PositionOf(config.keyword));
  if (handed.argument == nullptr && handed.is_hidden) {
    Leave(call,
          Say("NPURunConfig: * and ** hide whether {} is handed over",
              "NPURunConfig: * 与 ** 使得无法判断是否传入了 {}", config.keyword),
          options);
    return false;
  }
  const Node value = handed.argument == nullptr ? Node() : handed.argument->value;
  if (value && !value.Is(NodeKind::kNone)) {
    return UpdateConfigObject(call, value, config, options);
  }
  MakeConfigObject(call, value, config, options);
  return true;
}

bool TensorflowInjector::UpdateConfigObject(Node call, Node value, const ConfigClass& config,
                                            const std::vector<OptionValue>& options) {
  std::vector<Node> made;
  if (value.Is(NodeKind::kIdentifier)) {
    const std::vector<const Binding*> bindings = file_.names().BindingsOf(value);
    if (IsChosenByAuthor(call, bindings)) {
      return UpdateChosenObject(call, value, config, options);
    }
    for (const Binding* binding : bindings) made.push_back(binding->value);
  } else {
    made.push_back(value);
  }
  const bool known = !made.empty() && std::ranges::all_of(made, [&](Node node) {
    return node.Is(NodeKind::kCall) && InjectFile::LastName(node) == config.name;
  });
  if (!known) {
    Leave(value,
          Say("{} comes from elsewhere: set {} where it is made",
              "{} 来自别处: 请在其创建处设置 {}", config.keyword, NamesOf(options)),
          options);
    return false;
  }
  bool done = true;
  for (Node node : made) {
    if (IsOneOf(node.id(), handled_calls_)) {
      continue;
    }
    handled_calls_.push_back(node.id());
    done &= UpdateKeywords(node, config.option, options, call);
  }
  return done;
}

/// True if conditions of the author decide which object the variable holds, or whether any.
bool TensorflowInjector::IsChosenByAuthor(Node call,
                                          const std::vector<const Binding*>& bindings) const {
  const uint32_t scope = file_.names().ScopeOf(call);
  const bool is_local = std::ranges::all_of(bindings, [&](const Binding* binding) {
    return binding->scope == scope && binding->kind == BindingKind::kAssignment;
  });
  return is_local && std::ranges::any_of(bindings, [&](const Binding* binding) {
           return binding->value.Is(NodeKind::kNone) || IsGuarded(binding->node, call);
         });
}

/// What is made under conditions is the author's, and stays; behind it, the options are set in any
/// case.
bool TensorflowInjector::UpdateChosenObject(Node call, Node value, const ConfigClass& config,
                                            const std::vector<OptionValue>& options) {
  Node last;
  uint32_t last_guarded = 0;
  for (const Binding* binding : file_.names().BindingsOf(value)) {
    if (!IsGuarded(binding->node, call)) {
      last = binding->value;
      continue;
    }
    last_guarded = binding->node.range().start;
    Leave(EnclosingStatement(binding->node),
          Say("{} is made under a condition here, which stays; the one that is made behind takes "
              "its place",
              "此处有条件地创建 {}, 保持原样; 其后创建的对象会取代它", value.text()));
  }
  const bool is_last = last.Is(NodeKind::kCall) && InjectFile::LastName(last) == config.name &&
                       last.range().start > last_guarded;
  if (is_last) return UpdateKeywords(last, config.option, options, call);
  const Node statement = EnclosingStatement(call);
  if (IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(statement)) {
    Leave(call,
          Say("NPURunConfig: no line can be put in front of this place",
              "NPURunConfig: 此处之前无法插入语句"),
          options);
    return false;
  }
  plan_.InsertBefore(statement, ConfigObjectLines(call, std::string(value.text()), config, options),
                     RunConfigReason(call, options));
  result_.Set(options);
  return true;
}

EditReason TensorflowInjector::RunConfigReason(Node call, const std::vector<OptionValue>& options) {
  return {call.range(), std::string(kTensorflowRule),
          Say("NPURunConfig: sets {}", "NPURunConfig: 设置 {}", NamesOf(options))};
}

std::string TensorflowInjector::ConfigObject(Node call, const ConfigClass& config,
                                             const std::vector<OptionValue>& options,
                                             const std::string& flag) {
  std::string text = spelling_.NpuClass(config.name, call) + "(";
  for (size_t i = 0; i < options.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", options[i].spec->*config.option,
                        spelling_.PlainValue(options[i], flag));
  }
  return text + ")";
}

/// `name = DumpConfig(...)`, with what that needs in front.
std::vector<std::string> TensorflowInjector::ConfigObjectLines(
    Node call, const std::string& name, const ConfigClass& config,
    const std::vector<OptionValue>& options) {
  std::vector<std::string> lines;
  std::string flag;
  if (spelling_.IsGated(options)) {
    flag = file_.FreshName("dump_flag", call);
    lines = spelling_.GateLines(flag, call);
  }
  for (std::string& line : spelling_.FolderLines(options)) lines.push_back(std::move(line));
  if (file_.MayBeUnbound(config.name, call)) {
    lines.push_back(fmt::format("from npu_bridge.estimator.npu.npu_config import {}", config.name));
  }
  lines.push_back(name + " = " + ConfigObject(call, config, options, flag));
  return lines;
}

void TensorflowInjector::MakeConfigObject(Node call, Node none, const ConfigClass& config,
                                          const std::vector<OptionValue>& options) {
  const EditReason reason = RunConfigReason(call, options);
  const Node statement = EnclosingStatement(call);
  std::string argument;
  if (IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(statement)) {
    const bool gated = spelling_.IsGated(options);
    argument = ConfigObject(call, config, options, gated ? spelling_.RankCondition() : "");
  } else {
    argument = file_.FreshName(config.keyword, call);
    plan_.InsertBefore(statement, ConfigObjectLines(call, argument, config, options), reason);
  }
  if (none) {
    plan_.Replace(none.range(), argument, reason);
  } else {
    AddArgument(call, fmt::format("{}={}", config.keyword, argument), reason);
  }
  result_.Set(options);
}

/// Sets arguments of a call that makes a configuration.
bool TensorflowInjector::UpdateKeywords(Node call, const std::string OptionSpec::*keyword,
                                        const std::vector<OptionValue>& options, Node at) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const std::string flag =
      spelling_.IsGated(options) ? file_.FreshName("dump_flag", at) : std::string();
  const EditReason reason{
      call.range(), std::string(kTensorflowRule),
      Say("{}: sets {}", "{}: 设置 {}", InjectFile::LastName(call), NamesOf(options))};
  for (const Argument& argument : arguments) {
    const std::string name(argument.keyword);
    const bool is_authors = !request_.replace_opposite && IsUnderCondition(call);
    if (is_authors ? ReportOpposite(argument.node, argument.value, name, options)
                   : RefuseOpposite(argument.value, name, options)) {
      return false;
    }
  }
  bool has_gate = false;
  bool done = true;
  for (const OptionValue& option : options) {
    const std::string& name = option.spec->*keyword;
    int position = Words("run-config-parameters").PositionOf(name);
    if (keyword == &OptionSpec::dump_config)
      position = Words("dump-config-parameters").PositionOf(name);
    if (keyword == &OptionSpec::profiling_config) {
      position = Words("profiling-config-parameters").PositionOf(name);
    }
    const Handed handed = FindArgument(arguments, name, position);
    if (handed.argument == nullptr && handed.is_hidden) {
      Leave(call,
            Say("{}: * and ** hide whether {} is handed over",
                "{}: * 与 ** 使得无法判断是否传入了 {}", InjectFile::LastName(call), name),
            {option});
      done = false;
      continue;
    }
    result_.Set({option});
    const std::string wanted = spelling_.PlainValue(option, flag);
    if (handed.argument != nullptr) {
      const Node value = handed.argument->value;
      const Node content = value.Is(NodeKind::kString) ? PlainStringContent(value) : Node();
      const bool same =
          value.text() == wanted ||
          (content && option.spec->type == OptionType::kString && content.text() == option.value);
      if (wanted == flag && !flag.empty()) {
        bool changed = false;
        if (same) UpdateGate(EnclosingStatement(call), flag, reason, changed);
        has_gate |= same;
      }
      if (same) continue;
      plan_.Replace(value.range(), wanted, reason);
    } else {
      AddArgument(call, fmt::format("{}={}", name, wanted), reason);
    }
    if (wanted == flag && !flag.empty() && !has_gate) {
      has_gate = true;
      const Node statement = EnclosingStatement(call);
      if (EditPlan::CanInsertBefore(statement) && !IsEvaluatedElsewhere(call)) {
        plan_.InsertBefore(statement, spelling_.GateLines(flag, call), reason);
      } else {
        Leave(call, Say("{} is set here, but the ranks cannot be put in front of it",
                        "此处设置了 {}, 但无法在其前插入 rank 判断", name));
      }
    }
  }
  return done;
}

}  // namespace transplt
