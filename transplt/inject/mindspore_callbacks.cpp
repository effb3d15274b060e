// SPDX-License-Identifier: Apache-2.0
// The callbacks that mindspore.Model gets when it trains or evaluates.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/imported_library.h"
#include "transplt/inject/mindspore_injector.h"
#include "transplt/inject/option_grammar.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/python/parameters.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// The position of `callbacks` in train(), fit(), eval() of a model; nothing for another method.
std::optional<int> CallbacksPosition(std::string_view method) {
  const WordList& calls = Words("callback-calls");
  if (!calls.Has(method)) return std::nullopt;
  return calls.MeaningOf(method)[0] - '0';
}

/// True for a condition about the rank alone: what one process does for all.
bool AsksRankAlone(Node condition) {
  bool asks_rank = false;
  for (const Node node : NodesIn(condition)) {
    const bool is_object =
        node.parent().Is(NodeKind::kAttribute) && node.field() != Field::kAttribute;
    if (!node.Is(NodeKind::kIdentifier) || is_object) continue;
    if (!HasPart(Lower(node.text()), std::string_view("rank"))) return false;
    asks_rank = true;
  }
  return asks_rank;
}

/// True if `node` runs whenever `call` does, where it is null whenever the function does, but for
/// what one rank does for all.
bool IsOnEveryWay(Node node, Node call) {
  for (Node up = node.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kFunctionDefinition) || (call && up.IsAncestorOf(call))) return true;
    if (up.Is(NodeKind::kElseClause) || up.Is(NodeKind::kElifClause)) return false;
    if (up.Is(NodeKind::kIfStatement) && !AsksRankAlone(up.Child(Field::kCondition))) return false;
  }
  return true;
}

}  // namespace

void MindsporeInjector::InjectCallbacks() {
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    const Node callee = call.Child(Field::kFunction);
    const bool is_method =
        CallbacksPosition(InjectFile::LastName(call)) && callee.Is(NodeKind::kAttribute);
    if (!is_method || ModelsOf(callee.Child(Field::kObject)).empty()) continue;
    const std::vector<Callback> callbacks = CallbacksFor(call);
    if (callbacks.empty()) continue;
    AppendCallbacks(call, callbacks);
  }
  if (!added_.empty()) DefineCallbacks();
}

/// The key by which SaveBestCheckpoint compares, if it can be added: it evaluates the model, so
/// that this needs metrics, and data that are there.
std::optional<std::string> MindsporeInjector::KeyOfBest(Node call,
                                                        const std::vector<ValueSource>& models) {
  if (request_.Find("best_checkpoint") == nullptr) return std::nullopt;
  const std::string data = Text("best_checkpoint");
  const Node receiver = call.Child(Field::kFunction).Child(Field::kObject);
  const auto refuse = [&](transplt::Text why) {
    Note(call, "nothing: best_checkpoint is left");
    Leave(call, std::move(why), {*request_.Find("best_checkpoint")});
    return std::nullopt;
  };
  if (receiver.Is(NodeKind::kCall)) {
    return refuse(Say("best_checkpoint: put the model into a variable, which is evaluated too",
                      "best_checkpoint: 请先将 model 存入变量, 以便同时用于评估"));
  }
  const std::string variable = data.substr(0, data.find('.'));
  const bool is_member = variable.size() < data.size();
  if (!file_.BindsAt(variable, call) ||
      (is_member && !HasPart(file_.source().bytes(), std::string_view(data)))) {
    return refuse(
        Say("best_checkpoint: {} has no value here: name the variable that holds the "
            "data to evaluate",
            "best_checkpoint: {} 在此处未定义: 请给出评估数据集的变量名", data));
  }
  if (file_.MayBeUnbound(variable, call) || file_.MayBeNone(variable, call)) {
    return refuse(
        Say("best_checkpoint: {} may have no value here, or None: give it one on every "
            "way to this call",
            "best_checkpoint: {} 在此处可能未定义或为 None: 请保证到达此处前均已赋值", data));
  }
  std::set<std::string> keys;
  for (const ValueSource& model : models) keys.insert(BestKeyOf(model).value_or(""));
  if (keys.size() > 1) {
    return refuse(
        Say("best_checkpoint: the model is made in several ways, and eval() does not give one "
            "accuracy in all of them: give them the same metrics",
            "best_checkpoint: 该 model 有多种创建方式, 其 eval() 给出的精度指标不一致: "
            "请为其设置相同的 "
            "metrics"));
  }
  if (keys.begin()->empty()) {
    return refuse(
        Say("best_checkpoint: eval() of this model gives no accuracy that could be seen: "
            "give the model metrics first (--tool metrics)",
            "best_checkpoint: 未见该 model 的 eval() 给出精度指标: 请先为其设置 metrics "
            "(--tool metrics)"));
  }
  return *keys.begin();
}

/// The loop that calls `call` for one model again and again; null: each call has its own model.
Node MindsporeInjector::LoopAround(Node call, const std::vector<ValueSource>& models) const {
  for (Node up = call.parent(); up; up = up.parent()) {
    if (up.Is(NodeKind::kFunctionDefinition)) return {};
    if (!up.Is(NodeKind::kForStatement) && !up.Is(NodeKind::kWhileStatement)) continue;
    const bool makes_model = std::ranges::any_of(models, [&](const ValueSource& model) {
      return model.names == &file_.names() && up.range().Contains(model.node.range());
    });
    return makes_model ? Node() : up;
  }
  return {};
}

/// The callbacks that are wanted, in the order in which MindSpore shall call them.
std::vector<MindsporeInjector::Callback> MindsporeInjector::CallbacksFor(Node call) {
  const Node receiver = call.Child(Field::kFunction).Child(Field::kObject);
  std::vector<Callback> callbacks;
  const auto add = [&](std::string_view option, std::string_view type,
                       const std::string& arguments) {
    callbacks.push_back(
        {std::string(type), NameFor(type) + "(" + arguments + ")", *request_.Find(option)});
  };
  const std::string_view method = InjectFile::LastName(call);
  const bool trains = method != "eval";
  const auto add_own = [&] {
    for (const std::string_view word : {method, std::string_view(trains ? "train" : "eval")}) {
      if (!HasWord(Text("custom_callback"), ',', word)) continue;
      add("custom_callback", "CustomCallback", "");
      callbacks.back().option.value = word;
      return;
    }
  };
  if (!trains) {
    add_own();
    return callbacks;
  }
  if (IsOn("loss_monitor")) add("loss_monitor", "LossMonitor", "");
  const std::vector<ValueSource> models = ModelsOf(receiver);
  const Node loop = LoopAround(call, models);
  const auto refuse_in_loop = [&](std::string_view option) {
    if (!loop || request_.Find(option) == nullptr) return false;
    Leave(
        call,
        Say("{}: a loop calls {}() for one model again and again, and each call would get a new "
            "callback, which knows nothing of the calls before: make one callback before the loop",
            "{}: 循环对同一 model 反复调用 {}(), 每次调用都会得到新的 callback, "
            "无法延续之前的状态: "
            "请在循环之前创建该 callback",
            option, method),
        {*request_.Find(option)});
    return true;
  };
  if (IsOn("model_checkpoint") && !refuse_in_loop("model_checkpoint")) {
    add("model_checkpoint", "ModelCheckpoint", "");
  }
  if (request_.Find("summary_dir") != nullptr && !refuse_in_loop("summary_dir")) {
    add("summary_dir", "SummaryCollector", "summary_dir=" + Quoted("summary_dir"));
  }
  const std::optional<std::string> best =
      refuse_in_loop("best_checkpoint") ? std::nullopt : KeyOfBest(call, models);
  if (best) {
    add("best_checkpoint", "SaveBestCheckpoint",
        fmt::format("{}, {}, {}", receiver.text(), Text("best_checkpoint"), plan_.Quoted(*best)));
  }
  if (request_.Find("stop_at_time") != nullptr && !refuse_in_loop("stop_at_time")) {
    add("stop_at_time", "StopAtTime", Text("stop_at_time"));
  }
  add_own();
  return callbacks;
}

/// What makes `value`; of a list that grew by `x += [...]`, what made it before.
std::vector<ValueSource> MindsporeInjector::MadeBy(const ValueSource& value, int depth) const {
  constexpr int kMaxDepth = 3;
  std::vector<ValueSource> made;
  for (const ValueSource& source : sources_.Of(value)) {
    Node grown;
    for (const Binding* binding : source.names->BindingsOf(source.node)) {
      if (binding->node.parent().Is(NodeKind::kAugmentedAssignment)) grown = binding->node;
    }
    if (!grown || depth == kMaxDepth) {
      made.push_back(source);
      continue;
    }
    for (ValueSource& earlier : MadeBy(source.At(grown), depth + 1)) {
      made.push_back(std::move(earlier));
    }
  }
  return made;
}

void MindsporeInjector::AddClass(const ValueSource& made, Held& held) const {
  held[std::string(InjectFile::LastName(made.node))] = true;
  // A class that is derived from another does what that one does.
  const auto own = sources_.DefinitionOf(made.At(made.node.Child(Field::kFunction)));
  const Node bases = own ? own->node.Child(Field::kSuperclasses) : Node();
  for (const Node base : NamedChildren(bases)) {
    for (const QualifiedName& name : own->names->Resolve(base)) {
      held[name.name.substr(name.name.rfind('.') + 1)] = true;
    }
  }
}

/// The classes of the callbacks that `value` may be, or hold: in a list, or put into it later.
void MindsporeInjector::AddClassesIn(const ValueSource& value, const Way& way, Held& held) const {
  constexpr int kMaxDepth = 3;
  if (way.depth > kMaxDepth) return;
  const std::vector<ValueSource> sources = MadeBy(value);
  std::map<std::string, size_t> counts;
  for (const ValueSource& source : sources) {
    Held one;
    if (source.node.Is(NodeKind::kCall)) AddClass(source, one);
    if (source.node.Is(NodeKind::kList)) AddClassesOf(source, value, way, one);
    for (const auto& [type, is_sure] : one) {
      counts[type] += is_sure ? 1 : 0;
      held.try_emplace(type, false);
    }
  }
  for (const auto& [type, count] : counts) held[type] |= way.is_sure && count == sources.size();
  if (!value.node.Is(NodeKind::kIdentifier)) return;
  const uint32_t scope = value.names->ScopeOf(value.node);
  AddClassesPutInto(value.node.text(), value.At(value.names->ScopeNode(scope)), way, held);
}

/// Those in the literal `list`, and, if `value` came to it from another function, those that are
/// put into its variable there.
void MindsporeInjector::AddClassesOf(const ValueSource& list, const ValueSource& value,
                                     const Way& way, Held& held) const {
  for (const Node member : NamedChildren(list.node)) {
    if (!member.Is(NodeKind::kList)) AddClassesIn(list.At(member), way.Deeper(true), held);
  }
  const Node variable = list.node.parent().Child(Field::kLeft);
  if (!list.node.parent().Is(NodeKind::kAssignment) || !variable.Is(NodeKind::kIdentifier)) return;
  const uint32_t scope = list.names->ScopeOf(variable);
  const bool is_here = list.names == value.names && scope == value.names->ScopeOf(value.node);
  if (is_here) return;
  Way there = way.Deeper(true);
  there.call = {};
  AddClassesPutInto(variable.text(), list.At(list.names->ScopeNode(scope)), there, held);
}

/// Those that `code` puts into the list `name`, itself or through functions of the project.
void MindsporeInjector::AddClassesPutInto(std::string_view name, const ValueSource& code,
                                          const Way& way, Held& held) const {
  constexpr int kMaxDepth = 3;
  if (way.depth > kMaxDepth) return;
  for (const Node node : NodesIn(code.node)) {
    const bool grows =
        node.Is(NodeKind::kAugmentedAssignment) && node.Child(Field::kLeft).text() == name;
    if (!grows && !node.Is(NodeKind::kCall)) continue;
    const bool is_sure = way.is_sure && IsOnEveryWay(node, way.call);
    if (grows) {
      AddClassesIn(code.At(node.Child(Field::kRight)), way.Deeper(is_sure), held);
      continue;
    }
    const Node callee = node.Child(Field::kFunction);
    const bool is_own_method =
        callee.Is(NodeKind::kAttribute) && callee.Child(Field::kObject).text() == name;
    size_t position = 0;
    for (const Argument& argument : ArgumentsOf(node)) {
      if (is_own_method) {
        AddClassesIn(code.At(argument.value), way.Deeper(is_sure), held);
      } else if (argument.value.Is(NodeKind::kIdentifier) && argument.value.text() == name) {
        const auto function = sources_.DefinitionOf(code.At(callee));
        const Node parameter = function && function->node.Is(NodeKind::kFunctionDefinition)
                                   ? ParameterOf(function->node, position, argument.keyword)
                                   : Node();
        Way inside = way.Deeper(is_sure);
        inside.call = {};
        if (parameter) AddClassesPutInto(parameter.text(), *function, inside, held);
      }
      position += argument.keyword.empty() ? 1 : 0;
    }
  }
}

/// Behind those that are there.
void MindsporeInjector::AppendCallbacks(Node call, const std::vector<Callback>& callbacks) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Handed handed =
      FindArgument(arguments, "callbacks", *CallbacksPosition(InjectFile::LastName(call)));
  const std::string_view name = InjectFile::LastName(call);
  std::vector<OptionValue> options;
  for (const Callback& callback : callbacks) options.push_back(callback.option);
  if (handed.argument == nullptr && handed.is_hidden) {
    Leave(call, Say("{}: * and ** hide the callbacks", "{}: * 与 ** 隐藏了 callbacks", name),
          options);
    return;
  }
  const Node value = handed.argument == nullptr ? Node() : handed.argument->value;
  Held there;
  if (value) AddClassesIn({value, &file_.names()}, Way{call}, there);
  std::string added;
  std::string names;
  for (const auto& [type, callback, option] : callbacks) {
    const auto held = there.find(NameFor(type));
    if (held != there.end() && type == "SummaryCollector") {
      Tell(call, Say("{}: {} is among the callbacks already, and keeps its own folder",
                     "{}: callbacks 中已有 {}, 保留其自身目录", name, type));
    }
    if (held != there.end() && !held->second) {
      Tell(call,
           Say("{}: {} is among the callbacks on some of the ways to this call only, and "
               "stays so: see whether the others want it",
               "{}: 到达此调用的部分路径上 callbacks 已含 {}, 保持不变: 请确认其余路径是否需要",
               name, type));
    }
    if (there.contains(NameFor(type))) continue;  // a class of the author is another one
    added += (added.empty() ? "" : ", ") + callback;
    names += (names.empty() ? "" : ", ") + type;
  }
  if (added.empty()) return Note(call, "nothing: there already", options);
  const EditReason reason = Reason(call, names);
  if (!value) {
    AddKeyword(call, "callbacks=[" + added + "]", reason);
  } else if (value.Is(NodeKind::kNone)) {
    plan_.Replace(value.range(), "[" + added + "]", reason);
  } else if (value.Is(NodeKind::kList)) {
    const Node last = LastNamedChild(value);
    const uint32_t end = last ? last.range().end : value.range().start + 1;
    plan_.Replace({end, end}, (last ? ", " : "") + added, reason);
  } else if (const std::optional<std::string> all = WithCallbacks(value, added)) {
    plan_.Replace(value.range(), *all, reason);
  } else {
    Leave(call,
          Say("{}: it cannot be seen whether {} is a list: add {} where it is made",
              "{}: 无法判断 {} 是否为列表: 请在其创建处添加 {}", name, value.text(), names),
          options);
    return;
  }
  for (const Callback& callback : callbacks) {
    if (!there.contains(NameFor(callback.type))) added_.insert(callback.type);
  }
  Note(call, names, options);
}

/// `added` behind what `value` gives: a list, a callback, or None.
std::optional<std::string> MindsporeInjector::WithCallbacks(Node value,
                                                            const std::string& added) const {
  const std::string text(value.text());
  const bool is_call = value.Is(NodeKind::kCall);
  if (!is_call && !value.Is(NodeKind::kIdentifier) && !value.Is(NodeKind::kAttribute)) {
    return std::nullopt;
  }
  const std::vector<ValueSource> made = MadeBy({value, &file_.names()});
  const auto all_are = [&](auto is) { return !made.empty() && std::ranges::all_of(made, is); };
  const auto is_list = [](const ValueSource& source) {
    return source.node.Is(NodeKind::kList) || source.node.Is(NodeKind::kListComprehension);
  };
  const auto is_object = [&](const ValueSource& source) {
    if (!source.node.Is(NodeKind::kCall)) return false;
    const ValueSource callee = source.At(source.node.Child(Field::kFunction));
    const auto own = sources_.DefinitionOf(callee);
    if (own) return own->node.Is(NodeKind::kClassDefinition);
    const auto names = callee.names->Resolve(callee.node);
    return std::ranges::any_of(
        names, [](const QualifiedName& name) { return IsInside("mindspore", name.name); });
  };
  if (is_call && all_are(is_object)) return "[" + text + ", " + added + "]";
  if (all_are(is_list)) return text + " + [" + added + "]";
  if (is_call) return std::nullopt;
  const bool may_be_none =
      !all_are([&](const ValueSource& source) { return is_list(source) || is_object(source); });
  const std::string_view or_none = may_be_none ? " if {0} is not None else []" : "";
  const std::string pattern =
      "({0} if isinstance({0}, list) else [{0}]" + std::string(or_none) + ") + [{1}]";
  return fmt::format(fmt::runtime(pattern), text, added);
}

/// The classes of the callbacks that this file uses.
void MindsporeInjector::DefineCallbacks() {
  std::string imports;
  const auto import = [&](bool wanted, std::string_view name) {
    const std::string called = NameFor(name);
    if (!wanted || (called == name && file_.Binds(name))) return;
    imports += (imports.empty() ? "" : ", ") + std::string(name);
    if (called != name) imports += " as " + called;
  };
  const bool stop = added_.contains("StopAtTime");
  const bool best = added_.contains("SaveBestCheckpoint");
  const bool has_own = added_.contains("CustomCallback");
  import(best || stop || has_own, "Callback");
  for (std::string_view name : {"LossMonitor", "ModelCheckpoint", "SummaryCollector"}) {
    import(added_.contains(std::string(name)), name);
  }
  if (!imports.empty()) plan_.Import("from mindspore.train.callback import " + imports);
  if (stop) DefineStopAtTime();
  if (best) DefineSaveBest();
  if (has_own) DefineOwn();
}

void MindsporeInjector::DefineStopAtTime() {
  const std::string time = NameFor("time");
  const std::string name = NameFor("StopAtTime");
  plan_.Import(time == "time" ? "import time" : "import time as " + time);
  for (const std::string& line : std::initializer_list<std::string>{
           "class " + name + "(" + NameFor("Callback") + "):", "    def __init__(self, minutes):",
           "        super(" + name + ", self).__init__()", "        self.seconds = minutes * 60",
           "    def begin(self, run_context):", "        self.started = " + time + ".time()",
           "    def step_end(self, run_context):",
           "        if " + time + ".time() - self.started > self.seconds:",
           "            params = run_context.original_args()",
           "            print(" + plan_.Quoted("epoch:") + ", params.cur_epoch_num, " +
               plan_.Quoted("step:") + ", params.cur_step_num, " + plan_.Quoted("loss:") +
               ", params.net_outputs)",
           "            run_context.request_stop()"}) {
    plan_.Define(line);
  }
}

void MindsporeInjector::DefineSaveBest() {
  const std::string save = NameFor("save_checkpoint");
  const std::string name = NameFor("SaveBestCheckpoint");
  plan_.Import("from mindspore import save_checkpoint" +
               (save == "save_checkpoint" ? "" : " as " + save));
  for (const std::string& line : std::initializer_list<std::string>{
           "class " + name + "(" + NameFor("Callback") + "):",
           "    def __init__(self, model, dataset, key):",
           "        super(" + name + ", self).__init__()", "        self.model = model",
           "        self.dataset = dataset", "        self.key = key", "        self.best = None",
           "    def epoch_end(self, run_context):",
           "        value = self.model.eval(self.dataset)[self.key]",
           "        if self.best is None or value > self.best:", "            self.best = value",
           "            network = run_context.original_args().train_network",
           "            " + save + "(network, str(value) + \".ckpt\")",
           "            print(" + plan_.Quoted("saved the best checkpoint:") +
               ", self.key, value)"}) {
    plan_.Define(line);
  }
}

/// All methods of a callback, with the parameters that both trainings and evaluations have; those
/// of a training alone are asked for by get().
void MindsporeInjector::DefineOwn() {
  const std::string name = NameFor("CustomCallback");
  for (const std::string& line : std::initializer_list<std::string>{
           "class " + name + "(" + NameFor("Callback") + "):", "    def begin(self, run_context):",
           "        params = run_context.original_args()",
           "        print(params.mode, " + plan_.Quoted("steps of an epoch:") +
               ", params.batch_num)",
           "    def epoch_begin(self, run_context):", "        pass",
           "    def epoch_end(self, run_context):", "        pass",
           "    def step_begin(self, run_context):", "        pass",
           "    def step_end(self, run_context):", "        params = run_context.original_args()",
           "        print(" + plan_.Quoted("epoch:") + ", params.get(" +
               plan_.Quoted("cur_epoch_num") + "), " + plan_.Quoted("step:") +
               ", params.cur_step_num, " + plan_.Quoted("output:") + ", params.net_outputs)",
           "    def end(self, run_context):", "        pass"}) {
    plan_.Define(line);
  }
}

}  // namespace transplt
