// SPDX-License-Identifier: Apache-2.0
// What mindspore.Model is given: metrics when it is made, callbacks when it trains or evaluates.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/mindspore_injector.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr int kMetricsPosition = 3;  // Model(network, loss_fn, optimizer, metrics)
constexpr int kTrainCallbacks = 2;   // train(epoch, train_dataset, callbacks)
constexpr int kEvalCallbacks = 1;    // eval(valid_dataset, callbacks)

}  // namespace

bool MindsporeInjector::IsModel(Node receiver) const {
  if (receiver.Is(NodeKind::kCall)) {
    return InjectFile::LastName(receiver) == "Model" &&
           file_.Calls(receiver, "Model", {"mindspore"});
  }
  if (receiver.Is(NodeKind::kIdentifier)) {
    return std::ranges::any_of(file_.names().BindingsOf(receiver), [&](const Binding* binding) {
      return binding->value && binding->value.Is(NodeKind::kCall) && IsModel(binding->value);
    });
  }
  if (!receiver.Is(NodeKind::kAttribute)) return false;
  for (Node assignment : file_.NodesOf(NodeKind::kAssignment)) {
    const Node value = assignment.Child(Field::kRight);
    if (assignment.Child(Field::kLeft).text() == receiver.text() && value.Is(NodeKind::kCall) &&
        IsModel(value)) {
      return true;
    }
  }
  return false;
}

void MindsporeInjector::InjectCallbacks() {
  bool done = false;
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    const std::string_view name = InjectFile::LastName(call);
    const Node callee = call.Child(Field::kFunction);
    if ((name != "train" && name != "eval") || !callee.Is(NodeKind::kAttribute)) continue;
    const Node receiver = callee.Child(Field::kObject);
    if (!IsModel(receiver)) continue;
    const std::vector<std::string> callbacks = CallbacksFor(receiver.text(), name == "train");
    if (callbacks.empty()) continue;
    AppendCallbacks(call, callbacks, name == "train" ? kTrainCallbacks : kEvalCallbacks);
    done = true;
  }
  if (done) DefineCallbacks();
}

/// The callbacks that are wanted, in the order in which MindSpore shall call them.
std::vector<std::string> MindsporeInjector::CallbacksFor(std::string_view model, bool training) {
  std::vector<std::string> callbacks;
  if (training && IsOn("loss_monitor")) callbacks.emplace_back("LossMonitor()");
  if (training && IsOn("model_checkpoint")) callbacks.emplace_back("ModelCheckpoint()");
  if (training && request_.Find("summary_dir") != nullptr) {
    callbacks.push_back("SummaryCollector(summary_dir=" + Quoted("summary_dir") + ")");
  }
  if (training && request_.Find("best_checkpoint") != nullptr) {
    callbacks.push_back(fmt::format("SaveBestCheckpoint({}, {})", model, Text("best_checkpoint")));
  }
  if (request_.Find("stop_at_time") != nullptr) {
    callbacks.push_back("StopAtTime(" + Text("stop_at_time") + ")");
  }
  return callbacks;
}

/// Behind those that are there.
void MindsporeInjector::AppendCallbacks(Node call, const std::vector<std::string>& callbacks,
                                        int position) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Handed handed = FindArgument(arguments, "callbacks", position);
  const std::string_view name = InjectFile::LastName(call);
  if (handed.argument == nullptr && handed.is_hidden) {
    Leave(call, Say("{}: * and ** hide the callbacks", "{}: * 与 ** 隐藏了 callbacks", name));
    return;
  }
  const Node value = handed.argument == nullptr ? Node() : handed.argument->value;
  std::string added;
  std::string names;
  for (const std::string& callback : callbacks) {
    const std::string type = callback.substr(0, callback.find('('));
    if (HasPart(value.text(), type + "(")) continue;  // there already
    added += (added.empty() ? "" : ", ") + callback;
    names += (names.empty() ? "" : ", ") + type;
  }
  Note(call, names.empty() ? "nothing: there already" : names);
  if (added.empty()) return;
  const EditReason reason = Reason(call, names);
  if (!value) {
    AddKeyword(call, "callbacks=[" + added + "]", reason);
  } else if (value.Is(NodeKind::kNone)) {
    plan_.Replace(value.range(), "[" + added + "]", reason);
  } else if (value.Is(NodeKind::kList)) {
    const Node last = LastNamedChild(value);
    const uint32_t end = last ? last.range().end : value.range().start + 1;
    plan_.Replace({end, end}, (last ? ", " : "") + added, reason);
  } else {
    const std::string text(value.text());
    const bool is_call = value.Is(NodeKind::kCall);
    const std::string all =
        is_call ? "[" + text + ", " + added + "]"
                : fmt::format("({0} if isinstance({0}, list) else [{0}]) + [{1}]", text, added);
    plan_.Replace(value.range(), all, reason);
  }
}

void MindsporeInjector::AddKeyword(Node call, const std::string& argument,
                                   const EditReason& reason) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (arguments.empty()) {
    const uint32_t inside = call.Child(Field::kArguments).range().start + 1;
    plan_.Replace({inside, inside}, argument, reason);
  } else {
    const uint32_t end = arguments.back().range.end;
    plan_.Replace({end, end}, ", " + argument, reason);
  }
}

void MindsporeInjector::DefineCallbacks() {
  std::string imports;
  const auto import = [&](bool wanted, std::string_view name) {
    if (wanted && !file_.Binds(name)) imports += (imports.empty() ? "" : ", ") + std::string(name);
  };
  const bool best = request_.Find("best_checkpoint") != nullptr;
  const bool stop = request_.Find("stop_at_time") != nullptr;
  import(best || stop, "Callback");
  import(IsOn("loss_monitor"), "LossMonitor");
  import(IsOn("model_checkpoint"), "ModelCheckpoint");
  import(request_.Find("summary_dir") != nullptr, "SummaryCollector");
  if (!imports.empty()) plan_.Import("from mindspore.train.callback import " + imports);
  if (stop) {
    plan_.Import("import time");
    for (std::string_view line :
         {"class StopAtTime(Callback):", "    def __init__(self, minutes):",
          "        super(StopAtTime, self).__init__()", "        self.seconds = minutes * 60",
          "    def begin(self, run_context):", "        self.started = time.time()",
          "    def step_end(self, run_context):",
          "        if time.time() - self.started > self.seconds:",
          "            run_context.request_stop()"}) {
      plan_.Define(std::string(line));
    }
  }
  if (!best) return;
  plan_.Import("from mindspore import save_checkpoint");
  for (std::string_view line :
       {"class SaveBestCheckpoint(Callback):", "    def __init__(self, model, dataset):",
        "        super(SaveBestCheckpoint, self).__init__()", "        self.model = model",
        "        self.dataset = dataset", "        self.best = 0",
        "    def epoch_end(self, run_context):",
        "        accuracy = self.model.eval(self.dataset)[\"accuracy\"]",
        "        if accuracy > self.best:", "            self.best = accuracy",
        "            network = run_context.original_args().train_network",
        "            save_checkpoint(network, str(accuracy) + \".ckpt\")"}) {
    plan_.Define(std::string(line));
  }
}

void MindsporeInjector::InjectMetrics() {
  bool done = false;
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    if (InjectFile::LastName(call) != "Model" || !file_.Calls(call, "Model", {"mindspore"})) {
      continue;
    }
    AddMetrics(call);
    done = true;
  }
  if (!done) return;
  plan_.Import("import mindspore.nn");
  if (!IsOn("custom_metric")) return;
  for (std::string_view line :
       {"class CustomMetric(mindspore.nn.Metric):", "    def __init__(self):",
        "        super(CustomMetric, self).__init__()", "        self.clear()",
        "    def clear(self):", "        self.total = 0", "        self.count = 0",
        "    def update(self, *inputs):", "        self.count += 1",
        "    def eval(self):", "        return self.total / max(self.count, 1)"}) {
    plan_.Define(std::string(line));
  }
}

void MindsporeInjector::AddMetrics(Node call) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Handed handed = FindArgument(arguments, "metrics", kMetricsPosition);
  const Node value = handed.argument == nullptr ? Node() : handed.argument->value;
  const bool is_dictionary = value.Is(NodeKind::kDictionary);
  if ((value && !is_dictionary && !value.Is(NodeKind::kNone)) ||
      (handed.argument == nullptr && handed.is_hidden)) {
    Leave(call, Say("the metrics come from elsewhere: add {} where they are made",
                    "metrics 来自别处: 请在其创建处添加 {}", Text("metrics")));
    return;
  }
  std::string added;
  std::string names;
  const auto add = [&](std::string_view key, const std::string& metric) {
    const bool there = is_dictionary && (HasPart(value.text(), plan_.Quoted(key)) ||
                                         HasPart(value.text(), fmt::format("'{}'", key)));
    if (there) return;
    added += fmt::format("{}{}: {}", added.empty() ? "" : ", ", plan_.Quoted(key), metric);
    names += (names.empty() ? "" : ", ") + std::string(key);
  };
  const std::string wanted = "," + Text("metrics") + ",";
  const WordList& metrics = Words("metrics");
  for (const std::string& key : metrics.words()) {
    if (HasPart(wanted, fmt::format(",{},", key))) {
      add(key, fmt::format("mindspore.nn.{}()", metrics.MeaningOf(key)));
    }
  }
  if (IsOn("custom_metric")) add("custom", "CustomMetric()");
  Note(call, names.empty() ? "nothing: there already" : names);
  if (added.empty()) return;
  const EditReason reason = Reason(call, names);
  if (!value) {
    AddKeyword(call, "metrics={" + added + "}", reason);
  } else if (!is_dictionary) {
    plan_.Replace(value.range(), "{" + added + "}", reason);
  } else {
    const Node last = LastNamedChild(value);
    const uint32_t end = last ? last.range().end : value.range().start + 1;
    plan_.Replace({end, end}, (last ? ", " : "") + added, reason);
  }
}

}  // namespace transplt
