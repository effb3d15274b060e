// SPDX-License-Identifier: Apache-2.0
// What mindspore.Model is made with, above all its metrics.
#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/inject/mindspore_injector.h"
#include "transplt/inject/option_grammar.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

/// Model(network, loss_fn, optimizer, metrics, eval_network, eval_indexes)
constexpr int kLossPosition = 1;
constexpr int kMetricsPosition = 3;
constexpr int kEvalNetworkPosition = 4;
constexpr int kEvalIndexesPosition = 5;

/// True if a call gives the argument a value that is not None.
bool Gives(const ValueSources& sources, const ValueSource& call, std::string_view keyword,
           int position) {
  const std::vector<Argument> arguments = ArgumentsOf(call.node);
  const Handed handed = FindArgument(arguments, keyword, position);
  if (handed.argument == nullptr) return false;
  const std::vector<ValueSource> made = sources.Of(call.At(handed.argument->value));
  return std::ranges::none_of(
      made, [](const ValueSource& source) { return source.node.Is(NodeKind::kNone); });
}

/// The name of the class of `call`: "Accuracy" of `nn.Accuracy()`.
std::string ClassOf(const ValueSource& call) {
  if (!call.node.Is(NodeKind::kCall)) return {};
  for (const QualifiedName& name : call.names->Resolve(call.node.Child(Field::kFunction))) {
    if (!name.local && name.name.starts_with("mindspore.")) {
      return name.name.substr(name.name.rfind('.') + 1);
    }
  }
  return {};
}

/// True if a call of eval() or fit() hands over data, as those of a model want.
bool IsGivenData(Node call) {
  return std::ranges::any_of(ArgumentsOf(call), [](const Argument& argument) {
    return argument.keyword.empty() || argument.keyword.ends_with("_dataset");
  });
}

}  // namespace

bool MindsporeInjector::IsModelCall(const ValueSource& call) const {
  return CallsMember(call, "mindspore", "Model");
}

std::vector<ValueSource> MindsporeInjector::ModelsOf(const ValueSource& receiver, int depth) const {
  constexpr int kMaxDepth = 3;
  std::vector<ValueSource> models;
  for (ValueSource& source : sources_.Of(receiver)) {
    if (IsModelCall(source)) {
      models.push_back(std::move(source));
      continue;
    }
    // What makes another model of a model gives one with the same metrics.
    const bool converts = source.node.Is(NodeKind::kCall) && depth < kMaxDepth &&
                          Words("model-converters").Has(InjectFile::LastName(source.node));
    const std::vector<Argument> arguments =
        converts ? ArgumentsOf(source.node) : std::vector<Argument>();
    const Handed model = FindArgument(arguments, "model", 0);
    if (model.argument == nullptr) continue;
    for (ValueSource& before : ModelsOf(source.At(model.argument->value), depth + 1)) {
      models.push_back(std::move(before));
    }
  }
  return models;
}

MindsporeInjector::Evaluations MindsporeInjector::AllEvaluations() const {
  Evaluations all;
  const auto add = [&](const ValueSource& file) {
    for (const Node node : NodesIn(file.names->tree())) {
      if (!node.Is(NodeKind::kCall) || !IsGivenData(node)) continue;
      const Node callee = node.Child(Field::kFunction);
      const std::string_view name = InjectFile::LastName(node);
      if (!callee.Is(NodeKind::kAttribute) || (name != "eval" && name != "fit")) continue;
      const ValueSource receiver = file.At(callee.Child(Field::kObject));
      const std::vector<ValueSource> models = ModelsOf(receiver, 0);
      all.models.insert(all.models.end(), models.begin(), models.end());
      all.has_unknown =
          all.has_unknown || std::ranges::any_of(sources_.Of(receiver), [](const auto& source) {
            return !source.node.Is(NodeKind::kCall) && !source.node.Is(NodeKind::kNone);
          });
    }
  };
  add({{}, &file_.names()});
  if (file_.project() == nullptr) return all;
  std::set<std::string> paths;
  for (const std::string_view word : {"eval", "fit"}) {
    for (const std::string& path : file_.project()->FilesSpelling(word)) paths.insert(path);
  }
  paths.erase(file_.source().path());
  for (const std::string& path : paths) {
    const auto opened = file_.project()->Open(path);
    if (opened != nullptr) add({{}, &opened->names(), opened});
  }
  return all;
}

/// False for an object that is kept in a variable of which only methods are called.
bool MindsporeInjector::IsPassedOn(Node call) const {
  const Node variable = call.parent().Child(Field::kLeft);
  if (!call.parent().Is(NodeKind::kAssignment) || !variable.Is(NodeKind::kIdentifier)) return true;
  const uint32_t scope = file_.names().ScopeOf(variable);
  const bool may_be_imported = scope == 0 && file_.project() != nullptr &&
                               file_.project()->FilesSpelling(variable.text()).size() > 1 &&
                               !file_.Importers().empty();
  if (may_be_imported) return true;
  return std::ranges::any_of(NodesIn(file_.names().ScopeNode(scope)), [&](Node node) {
    if (!node.Is(NodeKind::kIdentifier) || node.text() != variable.text()) return false;
    const Node parent = node.parent();
    const bool is_name_only =
        node.field() == Field::kAttribute ||
        (node.field() == Field::kName && parent.Is(NodeKind::kKeywordArgument)) ||
        (node.field() == Field::kLeft && parent.Is(NodeKind::kAssignment));
    const bool is_receiver = parent.Is(NodeKind::kAttribute) && parent.field() == Field::kFunction;
    return !is_name_only && !is_receiver;
  });
}

bool MindsporeInjector::MayBeEvaluated(Node call) {
  if (!evaluations_) evaluations_ = AllEvaluations();
  // A file may be open as two texts, one without what was injected before.
  return (evaluations_->has_unknown && IsPassedOn(call)) ||
         std::ranges::any_of(evaluations_->models, [&](const ValueSource& model) {
           return model.path() == file_.source().path() &&
                  (model.node == call || model.node.text() == call.text());
         });
}

std::optional<std::string> MindsporeInjector::BestKeyOf(const ValueSource& model) const {
  const std::vector<Argument> arguments = ArgumentsOf(model.node);
  const Handed handed = FindArgument(arguments, "metrics", kMetricsPosition);
  if (handed.argument == nullptr) return std::nullopt;
  const std::vector<ValueSource> made = sources_.Of(model.At(handed.argument->value));
  if (made.size() != 1) return std::nullopt;
  const ValueSource& metrics = made.front();
  const WordList& best = Words("metrics-to-maximize");
  for (const Node member : NamedChildren(metrics.node)) {
    if (metrics.node.Is(NodeKind::kSet)) {
      const std::optional<std::string> name = LiteralValue(member);
      if (name && best.Has(*name)) return name;
    }
    if (!metrics.node.Is(NodeKind::kDictionary) || !member.Is(NodeKind::kPair)) continue;
    const std::optional<std::string> key = LiteralValue(member.Child(Field::kKey));
    if (!key) continue;
    for (const ValueSource& value : sources_.Of(metrics.At(member.Child(Field::kValue)))) {
      if (best.Has(ClassOf(value))) return key;
    }
  }
  return std::nullopt;
}

void MindsporeInjector::InjectMetrics() {
  for (Node call : file_.NodesOf(NodeKind::kCall)) {
    if (!IsModelCall({call, &file_.names()})) continue;
    AddMetrics(call);
  }
  if (makes_metrics_) plan_.Import("import mindspore.nn");
  if (!uses_custom_) return;
  for (std::string_view line :
       {"class CustomMetric(mindspore.nn.Metric):", "    def __init__(self):",
        "        super(CustomMetric, self).__init__()", "        self.clear()",
        "    def clear(self):", "        self.total = 0", "        self.count = 0",
        "    def update(self, *inputs):", "        self.count += 1",
        "    def eval(self):", "        return self.total / max(self.count, 1)"}) {
    plan_.Define(std::string(line));
  }
}

/// Why MindSpore would refuse metrics for this model, or could not compute these.
std::optional<transplt::Text> MindsporeInjector::WhyNoMetrics(Node call) const {
  const ValueSource model{call, &file_.names()};
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (FindArgument(arguments, "metrics", kMetricsPosition).is_hidden) {
    return Say("* and ** hide what the model is made with", "* 与 ** 隐藏了 Model 的参数");
  }
  if (Gives(sources_, model, "eval_network", kEvalNetworkPosition)) {
    if (Gives(sources_, model, "eval_indexes", kEvalIndexesPosition)) return std::nullopt;
    return Say(
        "eval_network without eval_indexes hands all that it gives to every metric, which "
        "these do not take: give eval_indexes=[loss, prediction, label]",
        "eval_network 未配 eval_indexes 时会把全部输出传给每个 metric, 这些 metric "
        "不接受: 请给出 eval_indexes=[loss, prediction, label]");
  }
  if (Gives(sources_, model, "loss_fn", kLossPosition)) return std::nullopt;
  return Say(
      "the model has neither loss_fn nor eval_network, and MindSpore refuses metrics "
      "without them: give it loss_fn, or metrics a model that is made for evaluation",
      "该 model 既无 loss_fn 也无 eval_network, MindSpore 会拒绝 metrics: 请给出 loss_fn, "
      "或为评估另建带 metrics 的 model");
}

/// What was asked for: "accuracy,loss", or the metric of one's own.
std::string MindsporeInjector::NamesOfMetrics() const {
  std::string names = Text("metrics");
  if (IsOn("custom_metric")) names += names.empty() ? "CustomMetric" : ",CustomMetric";
  return names;
}

void MindsporeInjector::AddMetrics(Node call) {
  if (std::optional<transplt::Text> why = WhyNoMetrics(call)) {
    Note(call, "nothing: MindSpore would refuse metrics here");
    Leave(call, *std::move(why), request_.options);
    return;
  }
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Handed handed = FindArgument(arguments, "metrics", kMetricsPosition);
  const Node value = handed.argument == nullptr ? Node() : handed.argument->value;
  if (value && !value.Is(NodeKind::kNone)) {
    const std::vector<ValueSource> made = sources_.Of(value);
    if (made.size() == 1) return ExtendMetrics(call, made.front());
    TellUnevaluated(call);
    Leave(call,
          Say("the metrics come from several places: add {} where they are made",
              "metrics 来自多处: 请在其创建处添加 {}", NamesOfMetrics()),
          request_.options);
    return;
  }
  const bool of_classes = ScoresClasses(call, {});
  std::string added;
  std::string names;
  for (const auto& [key, metric] : WantedMetrics({}, false, of_classes)) {
    added += fmt::format("{}{}: {}", added.empty() ? "" : ", ", plan_.Quoted(key), metric);
    names += (names.empty() ? "" : ", ") + key;
  }
  if (!of_classes) LeaveMetricsOfClasses(call);
  if (added.empty()) return;
  Note(call, names, MetricsFor(of_classes));
  TellUnevaluated(call);
  makes_metrics_ = true;
  uses_custom_ = uses_custom_ || IsOn("custom_metric");
  const EditReason reason = Reason(call, names);
  value ? plan_.Replace(value.range(), "{" + added + "}", reason)
        : AddKeyword(call, "metrics={" + added + "}", reason);
}

std::optional<bool> MindsporeInjector::ComparesClasses(const ValueSource& loss) const {
  if (!loss.node.Is(NodeKind::kCall)) return std::nullopt;
  const WordList& losses = Words("losses-of-classes");
  const ValueSource callee = loss.At(loss.node.Child(Field::kFunction));
  const std::optional<ValueSource> own = sources_.DefinitionOf(callee);
  if (own && own->node.Is(NodeKind::kClassDefinition)) {
    return std::ranges::any_of(NodesIn(own->node), [&](Node node) {
      return node.Is(NodeKind::kCall) && losses.Has(InjectFile::LastName(node));
    });
  }
  const std::string type = ClassOf(loss);
  if (type.empty()) return std::nullopt;
  return losses.Has(type);
}

bool MindsporeInjector::ScoresClasses(Node call, const ValueSource& metrics) const {
  const WordList& of_classes = Words("metrics-of-classes");
  bool has_others = false;
  if (metrics.names != nullptr) {
    for (const Node member : NamedChildren(metrics.node)) {
      const bool is_pair = member.Is(NodeKind::kPair);
      if (!is_pair && !member.Is(NodeKind::kString)) continue;
      const std::string name = is_pair ? ClassOf(metrics.At(member.Child(Field::kValue)))
                                       : LiteralValue(member).value_or("");
      if (of_classes.Has(name)) return true;
      has_others = has_others || (name != "Loss" && name != "loss");
    }
  }
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Handed loss = FindArgument(arguments, "loss_fn", kLossPosition);
  bool is_other = false;
  if (loss.argument != nullptr) {
    for (const ValueSource& source : sources_.Of(loss.argument->value)) {
      const std::optional<bool> compares = ComparesClasses(source);
      if (compares == true) return true;
      is_other = is_other || compares == false;
    }
  }
  return !is_other && !has_others;
}

/// Metrics that are set where they have no effect yet.
void MindsporeInjector::TellUnevaluated(Node call) {
  if (MayBeEvaluated(call)) return;
  Tell(call,
       Say("nothing that was given was seen to evaluate this model, and its metrics have an effect "
           "in eval() and fit() alone: add model.eval(DATA), or inject best_checkpoint with --tool "
           "callbacks, which evaluates it",
           "所给代码中未见对该 model 的评估, 而 metrics 仅在 eval() 与 fit() 中生效: 请添加 "
           "model.eval(DATA), 或用 --tool callbacks 注入会进行评估的 best_checkpoint"));
}

std::vector<OptionValue> MindsporeInjector::MetricsFor(bool of_classes) const {
  std::vector<OptionValue> options = request_.options;
  for (OptionValue& option : options) {
    if (option.spec->name != "metrics" || of_classes) continue;
    std::string taken;
    for (const std::string_view key : PartsOf(option.value, ',')) {
      if (Words("metrics-of-classes").Has(Words("metrics").MeaningOf(key))) continue;
      taken += (taken.empty() ? "" : ",") + std::string(key);
    }
    option.value = taken;
  }
  std::erase_if(options, [](const OptionValue& option) { return option.value.empty(); });
  return options;
}

/// Tells which of the metrics that are asked for would raise.
void MindsporeInjector::LeaveMetricsOfClasses(Node call) {
  std::string left;
  std::string shown;
  const std::string asked = Text("metrics");
  for (const std::string_view key : PartsOf(asked, ',')) {
    if (!Words("metrics-of-classes").Has(Words("metrics").MeaningOf(key))) continue;
    left += (left.empty() ? "" : ",") + std::string(key);
    shown += (shown.empty() ? "" : ", ") + std::string(key);
  }
  if (left.empty()) return;
  Leave(
      call,
      Say("{}: they compare scores of classes with labels, which neither the loss nor the metrics "
          "of this model do: if it gives such scores all the same, add them by hand",
          "{}: 这些 metric 比较类别得分与标签, 而该 model 的损失函数与 metrics 均非如此: "
          "若其输出确为类别得分, 请手工添加",
          shown),
      {OptionValue{request_.Find("metrics")->spec, left}});
}

/// Adds to the literal that the author has written, once, whoever uses it.
void MindsporeInjector::ExtendMetrics(Node call, const ValueSource& metrics) {
  const bool is_set = metrics.node.Is(NodeKind::kSet);
  const bool is_literal = is_set || metrics.node.Is(NodeKind::kDictionary);
  if (metrics.node.Is(NodeKind::kList)) {
    Leave(call,
          Say("MindSpore refuses a list of metrics: make it a set or a dictionary",
              "MindSpore 不接受列表形式的 metrics: 请改为集合或字典"),
          request_.options);
    return;
  }
  if (!is_literal || metrics.path() != file_.source().path() || metrics.file != nullptr) {
    TellUnevaluated(call);
    Leave(call,
          Say("the metrics come from elsewhere ({}): add {} where they are made",
              "metrics 来自别处 ({}): 请在其创建处添加 {}", metrics.path(), NamesOfMetrics()),
          request_.options);
    return;
  }
  const bool of_classes = ScoresClasses(call, metrics);
  std::vector<OptionValue> options = MetricsFor(of_classes);
  const bool leaves_own = is_set && IsOn("custom_metric");
  if (leaves_own) {
    std::erase_if(options, [](const OptionValue& o) { return o.spec->name == "custom_metric"; });
  }
  std::string added;
  std::string names;
  for (const auto& [key, metric] : WantedMetrics(metrics.node, is_set, of_classes)) {
    added += added.empty() ? "" : ", ";
    added += is_set ? plan_.Quoted(key) : fmt::format("{}: {}", plan_.Quoted(key), metric);
    names += (names.empty() ? "" : ", ") + key;
  }
  if (!of_classes) LeaveMetricsOfClasses(call);
  if (!options.empty()) Note(call, names.empty() ? "nothing: there already" : names, options);
  if (!options.empty() || leaves_own) TellUnevaluated(call);
  if (leaves_own) {
    Leave(call,
          Say("a set holds names of MindSpore's own metrics only: make it a dictionary for "
              "custom_metric",
              "集合只能包含 MindSpore 自带的 metric 名: 使用 custom_metric 请改为字典"),
          {*request_.Find("custom_metric")});
  }
  if (added.empty() || !extended_.insert(metrics.node.id()).second) return;
  makes_metrics_ = makes_metrics_ || !is_set;
  uses_custom_ = uses_custom_ || (!is_set && HasPart(added, "CustomMetric()"));
  const Node last = LastNamedChild(metrics.node);
  const uint32_t end = last ? last.range().end : metrics.node.range().start + 1;
  plan_.Replace({end, end}, (last ? ", " : "") + added, Reason(call, names));
}

/// What is wanted and not among the `known`: the key, and what makes the metric.
std::vector<std::pair<std::string, std::string>> MindsporeInjector::WantedMetrics(
    Node known, bool is_set, bool of_classes) const {
  std::set<std::string> keys;
  std::set<std::string> classes;
  for (const Node member : NamedChildren(known)) {
    const Node key = member.Is(NodeKind::kPair) ? member.Child(Field::kKey) : member;
    keys.insert(LiteralValue(key).value_or(""));
    if (member.Is(NodeKind::kPair)) {
      classes.insert(ClassOf({member.Child(Field::kValue), &file_.names()}));
    } else if (const auto name = LiteralValue(key)) {
      classes.insert(std::string(Words("metric-names").MeaningOf(*name)));
    }
  }
  std::vector<std::pair<std::string, std::string>> wanted;
  const std::string asked = Text("metrics");
  const WordList& metrics = Words("metrics");
  const WordList& by_name = Words("metric-names");
  for (const std::string& key : metrics.words()) {
    const std::string type(metrics.MeaningOf(key));
    if (!HasWord(asked, ',', key) || keys.contains(key) || classes.contains(type)) continue;
    if (!of_classes && Words("metrics-of-classes").Has(type)) continue;
    if (!is_set) {
      wanted.emplace_back(key, "mindspore.nn." + type + "()");
      continue;
    }
    const auto name = std::ranges::find_if(
        by_name.words(), [&](const std::string& word) { return by_name.MeaningOf(word) == type; });
    if (name != by_name.words().end()) wanted.emplace_back(*name, "");
  }
  if (!is_set && IsOn("custom_metric") && !keys.contains("custom")) {
    wanted.emplace_back("custom", "CustomMetric()");
  }
  return wanted;
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

}  // namespace transplt
