// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/multi_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "transplt/base/similar_name.h"
#include "transplt/base/text_parts.h"
#include "transplt/distributed/batch_share.h"
#include "transplt/distributed/multi_card_calls.h"
#include "transplt/distributed/multi_card_edits.h"
#include "transplt/distributed/program_text.h"
#include "transplt/distributed/training_text.h"
#include "transplt/facts/training_apis.h"
#include "transplt/programs/entry_points.h"
#include "transplt/programs/program_graph.h"
#include "transplt/python/arguments.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

Error Refused(std::string where, Text what) {
  return Error{Error::Code::kUsage, std::move(where), std::move(what)};
}

std::string Listed(std::vector<std::string> names) {
  constexpr size_t kShown = 5;
  if (names.size() > kShown) names.resize(kShown);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The file `main` as a program, though nothing in it says that it is one.
EntryPoint MadeProgram(const ProjectPrograms& project, const std::string& main) {
  EntryPoint entry;
  entry.path = main;
  std::vector<size_t> roots;
  for (const std::string_view unit : {std::string_view(), kMainBlock}) {
    const size_t root = project.graph.Find(main, unit);
    if (root != ProgramGraph::kNone) roots.push_back(root);
  }
  for (const ProgramGraph::Reached& reached : project.graph.ReachFrom(roots, true).units) {
    entry.runs.push_back(
        {static_cast<uint32_t>(reached.unit), reached.guessed, reached.forgiven, reached.settings});
  }
  return entry;
}

/// The program `main`; an Error says why it is none.
Result<EntryPoint> FindMain(const ProjectPrograms& project, const ProjectIndex& index,
                            const std::string& main) {
  if (main.ends_with(".ipynb")) {
    return Refused(main,
                   Say("a notebook is one process: give the script that torchrun can start "
                       "once per card",
                       "notebook 只有一个进程: 请给出可由 torchrun 在每张卡上启动一次的脚本"));
  }
  const auto entry = std::ranges::find(project.entries.candidates, main, &EntryPoint::path);
  if (entry != project.entries.candidates.end()) return *entry;
  std::vector<std::string_view> known;
  for (const EntryPoint& candidate : project.entries.candidates) known.push_back(candidate.path);
  const std::vector<std::string> paths = index.paths();
  const bool is_file = std::ranges::find(paths, main) != paths.end();
  if (is_file) return MadeProgram(project, main);
  const Text remedy = SuggestName(main, known, {"the programs are", "程序有"});
  return Refused(main, Say("there is no such Python file in the project{0}",
                           "项目中没有该 Python 文件{1}", remedy.en, remedy.zh));
}

/// What makes a program that starts several processes already, or null.
std::optional<Error> RefuseSeveral(const EntryPoint& entry, const ProgramText& text,
                                   const MultiCardCalls& known) {
  for (const Node root : text.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall) || !text.Runs(node)) continue;
      for (const std::string& name : text.LibraryNames(node.Child(Field::kFunction))) {
        if (!known.several.Match(name)) continue;
        return Refused(text.PlaceOf(node),
                       Say("{} is distributed already: it calls {}. Leave `distributed` out: "
                           "migrate adapts it as it is, and `generate launch` starts it",
                           "{} 已支持分布式: 调用了 {}。请去掉 distributed: migrate 会按原样适配, "
                           "并用 generate launch 启动",
                           entry.path, name));
      }
    }
  }
  if (entry.start == StartStyle::kSingle || entry.evidence.empty()) return std::nullopt;
  return Refused(entry.path,
                 Say("is started as several processes already ({}). Leave `distributed` out: "
                     "migrate adapts it as it is, and `generate launch` starts it",
                     "已以多进程方式启动 ({})。请去掉 distributed: migrate 会按原样适配, "
                     "并用 generate launch 启动",
                     NameOf(entry.start)));
}

std::optional<Error> RefuseUnread(const ProgramText& text) {
  for (const Node root : text.Roots()) {
    if (root.tree().unparsed().empty()) continue;
    const SourceFile& source = root.tree().source();
    const uint32_t line = source.Locate(root.tree().unparsed().front().start).line;
    return Refused(fmt::format("{}:{}", source.path(), line),
                   Say("a syntax error: what the program does there cannot be told",
                       "语法错误: 无法得知程序在此处的行为"));
  }
  return std::nullopt;
}

/// A dataset without indices cannot be divided from outside.
std::optional<Error> RefuseStreams(const ProgramText& text, const TrainingText& training,
                                   const MultiCardCalls& known) {
  for (const Node root : text.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kCall) || !text.Runs(node) || !training.IsLoader(node)) continue;
      const std::vector<Argument> arguments = ArgumentsOf(node);
      const Argument* dataset = FindKeyword(arguments, "dataset");
      if (dataset == nullptr && !arguments.empty()) dataset = &arguments.front();
      const auto slot = dataset == nullptr ? std::nullopt : text.SlotOf(dataset->value);
      if (!slot) continue;
      for (const Origin& type : text.ClassesOf(*slot)) {
        if (!text.IsOfLibraryClass(type, known.streams)) continue;
        return Refused(text.PlaceOf(node),
                       Say("{} is an IterableDataset, which has no indices to divide: let it give "
                           "each process its share (by RANK and WORLD_SIZE) first",
                           "{} 是 IterableDataset, 没有可划分的索引: 请先让其按 RANK 与 WORLD_SIZE "
                           "给每个进程各自的部分",
                           type.name));
      }
    }
  }
  return std::nullopt;
}

std::optional<Error> RefuseUntrained(const EntryPoint& entry, const ProgramText& text,
                                     const TrainingText& training) {
  if (training.backwards().empty()) {
    return Refused(entry.path, Say("trains nothing: no backward() is reached from it",
                                   "未进行训练: 从该程序出发没有到达任何 backward()"));
  }
  if (training.optimizers().empty()) {
    return Refused(text.PlaceOf(training.backwards().front().first),
                   Say("no optimizer of PyTorch is made on the way to this backward(): what is "
                       "trained cannot be told",
                       "到达该 backward() 的途中没有创建 PyTorch 优化器: 无法得知训练的对象"));
  }
  if (training.loops().empty()) {
    std::vector<std::string> places;
    for (const Node loop : training.other_loops()) places.push_back(text.PlaceOf(loop));
    const std::string where =
        places.empty() ? text.PlaceOf(training.backwards().front().first) : places.front();
    return Refused(where,
                   Say("no torch.utils.data.DataLoader is found behind the training (loops: {}): "
                       "only its batches can be divided among processes",
                       "训练循环 ({}) 背后没有找到 torch.utils.data.DataLoader: "
                       "只有它的批次才能在进程间划分",
                       places.empty() ? "-" : Listed(places)));
  }
  if (training.models().empty()) {
    return Refused(
        text.PlaceOf(training.backwards().front().first),
        Say("the model is out of sight: no call of what the optimizer trains ({}) leads to this "
            "loss",
            "看不到模型: 优化器所训练的对象 ({}) 没有任何调用产生该 loss",
            Listed({training.names().begin(), training.names().end()})));
  }
  return std::nullopt;
}

/// True if the program puts something on a card, or asks for one.
bool UsesCard(const ProgramText& text) {
  for (const Node root : text.Roots()) {
    for (const Node node : NodesIn(root)) {
      if (!node.Is(NodeKind::kStringContent) && !node.Is(NodeKind::kAttribute)) continue;
      if (!text.Runs(node)) continue;
      if (node.Is(NodeKind::kStringContent)) {
        if (node.text().starts_with("cuda") || node.text().starts_with("npu")) return true;
        continue;
      }
      const std::string_view name = node.Child(Field::kAttribute).text();
      if (name == "cuda" || name == "npu" || name == "accelerator") return true;
    }
  }
  return false;
}

std::optional<Error> RefuseWithoutCard(const ProgramText& text, const TrainingText& training) {
  if (UsesCard(text)) return std::nullopt;
  return Refused(
      text.PlaceOf(training.backwards().front().first),
      Say("the program trains on the CPU: nothing in it asks for a card; put the model and "
          "the batches on one first",
          "程序在 CPU 上训练: 其中没有使用任何卡; 请先将模型与批次放到卡上"));
}

/// The model that the user names has to be one that is trained.
std::optional<Error> RefuseModel(const TrainingText& training, const std::string& main,
                                 const std::string& model) {
  if (model.empty()) return std::nullopt;
  std::set<std::string, std::less<>> names;
  for (const std::string& name : training.names()) names.insert(name);
  for (const Node callee : training.models()) names.emplace(callee.text());
  const auto is_it = [&](std::string_view name) {
    return name == model || (name.size() > model.size() && name.ends_with(model) &&
                             name[name.size() - model.size() - 1] == '.');
  };
  if (std::ranges::any_of(names, is_it)) return std::nullopt;
  const std::vector<std::string_view> known(names.begin(), names.end());
  const Text remedy = SuggestName(model, known, {"it trains", "所训练的有"});
  return Refused(main, Say("-t {0}: the program trains no model of this name{1}",
                           "-t {0}: 程序没有训练该名称的模型{2}", model, remedy.en, remedy.zh));
}

}  // namespace

Result<MultiCardPlan> PlanMultiCard(const ProgramSources& sources,
                                    const MultiCardRequest& request) {
  Result<MultiCardCalls> known = MultiCardCalls::Load();
  if (!known) return known.error();
  Result<TrainingApis> apis = TrainingApis::Load();
  if (!apis) return apis.error();
  const ProjectPrograms project(sources, *std::move(apis));
  const Result<EntryPoint> entry = FindMain(project, sources.index, request.main);
  if (!entry) return entry.error();
  const EntryPoint& main = *entry;
  MultiCardPlan plan;
  const ProgramText text(sources.index, project.code, project.graph, main, *known);
  if (CallsDistributedModule(text)) return plan;
  if (main.framework.value_or(Framework::kPytorch) != Framework::kPytorch) {
    return Refused(main.path,
                   Say("trains with {}: only PyTorch programs can be given several cards",
                       "使用 {} 训练: 只有 PyTorch 程序可以改为多卡", NameOf(*main.framework)));
  }
  if (auto error = RefuseUnread(text)) return *error;
  if (auto error = RefuseSeveral(main, text, *known)) return *error;
  const TrainingText training(text, *known);
  if (auto error = RefuseStreams(text, training, *known)) return *error;
  if (auto error = RefuseUntrained(main, text, training)) return *error;
  if (auto error = RefuseWithoutCard(text, training)) return *error;
  if (auto error = RefuseModel(training, main.path, request.model)) return *error;
  MultiCardEdits edits(text, *known, training);
  if (auto error = edits.Make(main.path)) return *error;
  plan.findings = edits.Findings();
  const std::string folder =
      main.module.empty() ? std::string(PathBeforeName(main.path)) : main.working_folder;
  plan.module_path = folder + std::string(kDistributedModule) + ".py";
  return plan;
}

}  // namespace transplt
