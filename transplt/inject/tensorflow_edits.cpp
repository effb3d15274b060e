// SPDX-License-Identifier: Apache-2.0
// The edits around one place where a configuration is handed over.
#include <fmt/format.h>

#include <algorithm>

#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

constexpr std::string_view kHelper = "_npu_dump_config";

bool MentionsNone(Node expression) {
  const SyntaxTree& tree = expression.tree();
  for (uint32_t id = expression.id(); id < expression.end_id(); ++id) {
    if (tree.node(id).Is(NodeKind::kNone)) return true;
  }
  return false;
}

bool IsChoice(Node expression) {
  return expression.Is(NodeKind::kConditionalExpression) ||
         expression.Is(NodeKind::kBooleanOperator);
}

}  // namespace

/// `npu_config_proto()` gets a configuration of its own.
void TensorflowInjector::NewConfig(const Place& place, Node none) {
  const Node call = place.slot.call;
  const std::string config = file_.FreshName(place.slot.variable, call);
  std::vector<std::string> lines = {config + " = " + spelling_.NewConfigProto(call)};
  for (std::string& line : spelling_.OptimizerLines(config, true, place.options, call)) {
    lines.push_back(std::move(line));
  }
  const EditReason reason = Reason(place.slot, place.options);
  plan_.InsertBefore(EnclosingStatement(call), lines, reason);
  const std::string given = Given(place.slot, config);
  if (none) {
    plan_.Replace(none.range(), given, reason);
  } else {
    AddArgument(call, fmt::format("{}={}", place.slot.keyword, given), reason);
  }
  Note(call, place.slot.what,
       Say("sets {} on a new {}", "新建 {1} 并设置 {0}", NamesOf(place.options), config),
       place.options);
}

/// What is handed over for a configuration: itself, or the ChiefSessionCreator that
/// MonitoredSession would make on its own, with it.
std::string TensorflowInjector::Given(const ConfigSlot& slot, const std::string& config) {
  if (!slot.creator) return config;
  return fmt::format("{}(config={})", spelling_.SessionCreator(slot.call), config);
}

/// The expression that is handed over moves into a variable.
void TensorflowInjector::Hoist(const Place& place, Node value, bool is_new) {
  const Node call = place.slot.call;
  const std::string config = file_.FreshName(place.slot.variable, call);
  std::string expression(value.text());
  const bool is_member = value.Is(NodeKind::kAttribute) || value.Is(NodeKind::kSubscript);
  if ((MentionsNone(value) && IsChoice(value)) || is_member || MayGiveNone(value)) {
    if (is_member || value.Is(NodeKind::kCall)) {
      expression = fmt::format("{} or {}", expression, spelling_.NewConfigProto(call));
    } else {
      expression = fmt::format("({}) or {}", expression, spelling_.NewConfigProto(call));
    }
  }
  std::vector<std::string> lines = {config + " = " + expression};
  for (std::string& line : spelling_.OptimizerLines(config, is_new, place.options, call)) {
    lines.push_back(std::move(line));
  }
  const EditReason reason = Reason(place.slot, place.options);
  plan_.InsertBefore(EnclosingStatement(call), lines, reason);
  plan_.Replace(value.range(), config, reason);
  Note(call, place.slot.what,
       Say("sets {} on {}", "对 {1} 设置 {0}", NamesOf(place.options), config), place.options);
}

/// Where no line can stand in front, a function makes the configuration.
void TensorflowInjector::Wrap(const Place& place, Node value) {
  const Node call = place.slot.call;
  if (place.slot.initialize) {
    Leave(call,
          Say("{}: no line can be put in front of this place", "{}: 此处之前无法插入语句",
              place.slot.what),
          place.options);
    return;
  }
  if (!has_helper_) {
    std::vector<std::string> lines = {
        fmt::format("def {}(config_proto=None):", kHelper), "    if config_proto is None:",
        "        config_proto = " + spelling_.NewConfigProto(file_.tree().root())};
    for (const std::string& line :
         spelling_.OptimizerLines("config_proto", false, place.options, file_.tree().root())) {
      lines.push_back("    " + line);
    }
    lines.emplace_back("    return config_proto");
    for (const std::string& line : lines) plan_.Define(line);
    has_helper_ = true;
  }
  const EditReason reason = Reason(place.slot, place.options);
  if (value) {
    const std::string argument = value.Is(NodeKind::kNone) ? "" : std::string(value.text());
    const std::string made = fmt::format("{}({})", kHelper, argument);
    plan_.Replace(value.range(), Given(place.slot, made), reason);
  } else {
    const std::string made = fmt::format("{}()", kHelper);
    AddArgument(call, fmt::format("{}={}", place.slot.keyword, Given(place.slot, made)), reason);
  }
  Note(call, place.slot.what,
       Say("sets {} in {}()", "在 {1}() 中设置 {0}", NamesOf(place.options), kHelper),
       place.options);
}

/// `npu_run_config_init()` gets a RunConfig of its own.
void TensorflowInjector::NewRunConfig(const Place& place, Node none) {
  const Node call = place.slot.call;
  const std::string config = file_.FreshName("session_config", call);
  const std::string run_config = file_.FreshName(place.slot.variable, call);
  std::vector<std::string> lines = {config + " = " + spelling_.NewConfigProto(call)};
  for (std::string& line : spelling_.OptimizerLines(config, true, place.options, call)) {
    lines.push_back(std::move(line));
  }
  lines.push_back(
      fmt::format("{} = {}(session_config={})", run_config, spelling_.RunConfig(call), config));
  const EditReason reason = Reason(place.slot, place.options);
  plan_.InsertBefore(EnclosingStatement(call), lines, reason);
  if (none) {
    plan_.Replace(none.range(), run_config, reason);
  } else {
    AddArgument(call, fmt::format("{}={}", place.slot.keyword, run_config), reason);
  }
  Note(call, place.slot.what,
       Say("sets {} on a new {}", "新建 {1} 并设置 {0}", NamesOf(place.options), run_config),
       place.options);
}

/// A RunConfig that comes from elsewhere: what it holds is taken over, and set in a copy.
void TensorflowInjector::ReplaceRunConfig(const Place& place, Node value) {
  const Node call = place.slot.call;
  const Node statement = EnclosingStatement(call);
  if (IsEvaluatedElsewhere(call) || !EditPlan::CanInsertBefore(statement)) {
    Leave(call,
          Say("{}: no line can be put in front of this place; make the RunConfig in a "
              "variable before it",
              "{}: 此处之前无法插入语句; 请先将 RunConfig 放入变量", place.slot.what),
          place.options);
    return;
  }
  const std::string config = file_.FreshName("session_config", call);
  std::string run_config(value.text());
  std::vector<std::string> lines;
  bool is_own = false;
  if (value.Is(NodeKind::kIdentifier)) {
    const std::vector<const Binding*> bindings = file_.names().BindingsOf(value);
    const uint32_t scope = file_.names().ScopeOf(value);
    is_own = !bindings.empty() && std::ranges::all_of(bindings, [&](const Binding* binding) {
      return binding->scope == scope;
    });
    const bool may_be_none = std::ranges::any_of(
        bindings, [](const Binding* binding) { return binding->value.Is(NodeKind::kNone); });
    if (is_own && may_be_none) {
      lines.push_back("if " + run_config + " is None:");
      lines.push_back("    " + run_config + " = " + spelling_.RunConfig(call) + "()");
    }
  }
  if (!is_own) {
    run_config = file_.FreshName(place.slot.variable, call);
    lines.push_back(run_config + " = " + std::string(value.text()));
  }
  lines.push_back(fmt::format("{} = {}.session_config or {}", config, run_config,
                              spelling_.NewConfigProto(call)));
  for (std::string& line : spelling_.OptimizerLines(config, false, place.options, call)) {
    lines.push_back(std::move(line));
  }
  lines.push_back(
      fmt::format("{} = {}.replace(session_config={})", run_config, run_config, config));
  const EditReason reason = Reason(place.slot, place.options);
  plan_.InsertBefore(statement, lines, reason);
  if (!is_own) plan_.Replace(value.range(), run_config, reason);
  Note(call, place.slot.what,
       Say("sets {} on a copy of {}", "对 {1} 的副本设置 {0}", NamesOf(place.options), run_config),
       place.options);
}

void TensorflowInjector::AddArgument(Node call, const std::string& argument,
                                     const EditReason& reason) {
  auto& pending =
      arguments_.try_emplace(call.id(), reason, std::vector<std::string>()).first->second;
  pending.second.push_back(argument);
}

/// All new arguments of a call go to one place: behind its last one.
void TensorflowInjector::FlushArguments() {
  const SourceFile& source = file_.source();
  for (const auto& [id, pending] : arguments_) {
    const Node call = file_.tree().node(id);
    const Node list = call.Child(Field::kArguments);
    const std::vector<Argument> arguments = ArgumentsOf(call);
    std::string text;
    if (arguments.empty()) {
      for (const std::string& one : pending.second) text += (text.empty() ? "" : ", ") + one;
      const uint32_t inside = list.range().start + 1;
      plan_.Replace({inside, inside}, text, pending.first);
      continue;
    }
    const TextRange last = arguments.back().range;
    const LineColumn place = source.Locate(last.start);
    const bool own_line =
        arguments.size() > 1
            ? source.Locate(arguments[arguments.size() - 2].range.start).line != place.line
            : source.Locate(list.range().start).line != place.line;
    const TextRange line{source.LineRange(place.line).start, last.start};
    const std::string_view before = line.In(source.bytes());
    const bool starts_line = before.find_first_not_of(" \t\f") == std::string_view::npos;
    for (const std::string& one : pending.second) {
      text += own_line && starts_line ? ",\n" + std::string(before) + one : ", " + one;
    }
    plan_.Replace({last.end, last.end}, text, pending.first);
  }
}

}  // namespace transplt
