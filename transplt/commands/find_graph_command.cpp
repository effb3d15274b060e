// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "transplt/commands/commands.h"
#include "transplt/commands/terminal.h"
#include "transplt/dump/find_graph.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

struct FindGraphArguments {
  FindGraphOptions find;
  bool json = false;
};

/// Where a training leaves its graphs if nobody says otherwise.
std::string DefaultGraphs() {
  if (const char* path = std::getenv("DUMP_GRAPH_PATH"); path != nullptr && *path != '\0') {
    return path;
  }
  if (const char* path = std::getenv("NPU_COLLECT_PATH"); path != nullptr && *path != '\0') {
    return std::string(path) + "/extra-info/graph";
  }
  return ".";
}

Json DumpJson(const ModelDump& dump) {
  Json ids = Json::object();
  for (const auto& [id, steps] : dump.steps) ids[id] = steps;
  return {{"folder", dump.folder},     {"time", dump.time},
          {"device", dump.device},     {"steps", ids},
          {"files", dump.files},       {"bytes", dump.bytes},
          {"overflow", dump.overflow}, {"renamed", dump.renamed},
          {"unknown", dump.unknown}};
}

void PrintGraphsJson(const FoundGraphs& found) {
  const std::vector<const GraphCandidate*> best = found.Best();
  Json graphs = Json::array();
  for (const GraphCandidate& graph : found.graphs) {
    const bool is_best = std::find(best.begin(), best.end(), &graph) != best.end();
    Json dumps = Json::array();
    for (const size_t dump : graph.dumps) dumps.push_back(DumpJson(found.dumps[dump]));
    graphs.push_back({{"file", graph.file},
                      {"graph", graph.name},
                      {"process", graph.process},
                      {"device", graph.device},
                      {"best", is_best},
                      {"tie", is_best && found.HasRival(graph)},
                      {"ops", graph.ops},
                      {"iterators", graph.iterators},
                      {"has_op", !graph.op_names.empty()},
                      {"op_names", graph.op_names},
                      {"dumped", graph.dumped},
                      {"expected_without_file", graph.expected},
                      {"missing", graph.missing},
                      {"missing_names", graph.missing_names},
                      {"other_devices", graph.other_devices},
                      {"dumps", dumps}});
  }
  const Json json = {{"graphs", graphs}, {"unread", found.unread}};
  PrintOut(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void PrintDump(const ModelDump& dump, Language language) {
  PrintOut(Say("  dump: {}\n", "  dump 数据：{}\n", dump.folder).In(language));
  PrintOut(Say("    time {}, device {}, files {}\n", "    时间 {}，设备 {}，文件数 {}\n", dump.time,
               dump.device, dump.files)
               .In(language));
  for (const auto& [id, steps] : dump.steps) {
    const std::string list = fmt::format("{}", fmt::join(steps, ", "));
    PrintOut(
        Say("    model_id {}: steps {}\n", "    model_id {}：step {}\n", id, list).In(language));
  }
  if (dump.renamed > 0) {
    PrintOut(Say("    {} files renamed, as mapping.csv says\n",
                 "    {} 个文件已改名（见 mapping.csv）\n", dump.renamed)
                 .In(language));
  }
  if (dump.overflow > 0) {
    PrintOut(Say("    {} files tell of overflows (Opdebug)\n", "    {} 个溢出检测文件（Opdebug）\n",
                 dump.overflow)
                 .In(language));
  }
  if (dump.unknown > 0) {
    PrintOut(Say("    {} files are no dump of an operator\n", "    {} 个文件不是算子 dump 数据\n",
                 dump.unknown)
                 .In(language));
  }
}

void PrintGraph(const FoundGraphs& found, const GraphCandidate& graph, Language language) {
  PrintOut(Say("graph: {}\n  file: {}\n", "计算图：{}\n  文件：{}\n", graph.name, graph.file)
               .In(language));
  if (!graph.process.empty()) {
    PrintOut(Say("  process {}, device {}\n", "  进程 {}，设备 {}\n", graph.process, graph.device)
                 .In(language));
  }
  PrintOut(Say("  operators {}, of them iterators {}\n", "  算子 {} 个，其中迭代器 {} 个\n",
               graph.ops, graph.iterators)
               .In(language));
  for (const std::string& name : graph.op_names) {
    PrintOut(Say("    holds: {}\n", "    包含：{}\n", name).In(language));
  }
  for (const size_t dump : graph.dumps) PrintDump(found.dumps[dump], language);
  if (!graph.other_devices.empty()) {
    const std::string devices = fmt::format("{}", fmt::join(graph.other_devices, ", "));
    PrintOut(Say("  no dump of this device; there is one of this name for device {}\n",
                 "  该设备没有 dump 数据；设备 {} 有同名的 dump 数据\n", devices)
                 .In(language));
  }
  if (graph.dumps.empty()) return;
  PrintOut(Say("  operators with a file {}, without one as expected {}, missing {}\n",
               "  有数据的算子 {} 个，按规则无数据 {} 个，缺失 {} 个\n", graph.dumped,
               graph.expected, graph.missing)
               .In(language));
  for (const std::string& name : graph.missing_names) {
    PrintOut(Say("    missing: {}\n", "    缺失：{}\n", name).In(language));
  }
  if (graph.missing > 0) {
    PrintOut(Say("    (operators of a branch that was not taken leave no file, either)\n",
                 "    （未走到的执行分支上的算子也没有数据）\n")
                 .In(language));
  }
}

/// Prints the best of each process and says what is doubtful about it.
int PrintGraphs(const FoundGraphs& found, bool has_dump, Language language) {
  bool is_doubtful = false;
  bool has_joined = false;
  for (const GraphCandidate* graph : found.Best()) {
    PrintGraph(found, *graph, language);
    has_joined = has_joined || !graph->dumps.empty();
    if (!found.HasRival(*graph)) continue;
    is_doubtful = true;
    PrintErr(Say("transplt: {}: another graph of this process fits as well; see --json, or give "
                 "--op\n",
                 "transplt: {}：同一进程中还有匹配程度相同的计算图；请用 --json 查看或给出 --op\n",
                 graph->name)
                 .In(language));
  }
  if (found.graphs.empty() && found.left_out > 0) {
    PrintErr(Say("transplt: none of the {} graphs holds an operator whose name has the part that "
                 "--op gives\n",
                 "transplt: {} 个计算图中均没有名称含 --op 所给内容的算子\n", found.left_out)
                 .In(language));
  } else if (found.graphs.empty()) {
    PrintErr(Say("transplt: no graph found: no *_Build.txt in the folders of --graphs\n",
                 "transplt: 未找到计算图：--graphs 目录中没有 *_Build.txt\n")
                 .In(language));
  } else if (has_dump && !has_joined) {
    PrintErr(Say("transplt: none of the {} graphs has a folder in the dump, which has {}\n",
                 "transplt: {} 个计算图在 dump 目录中均无对应目录（共 {} 个目录）\n",
                 found.graphs.size(), found.dumps.size())
                 .In(language));
  }
  return found.graphs.empty() || is_doubtful || (has_dump && !has_joined) ? kExitNeedsPerson
                                                                          : kExitDone;
}

int RunFindGraph(FindGraphArguments arguments, Language language) {
  if (arguments.find.graphs.empty()) arguments.find.graphs = {DefaultGraphs()};
  const Result<FoundGraphs> found = FindGraph(arguments.find);
  if (!found) return Complain(found.error(), language);
  for (const std::string& path : found->unread) {
    PrintErr(Say("transplt: {}: cannot be read\n", "transplt: {}：无法读取\n", path).In(language));
  }
  if (arguments.json) PrintGraphsJson(*found);
  const bool has_dump = !arguments.find.dump.empty();
  int code = kExitDone;
  if (!arguments.json) {
    code = PrintGraphs(*found, has_dump, language);
  } else if (found->graphs.empty()) {
    code = kExitNeedsPerson;
  }
  return found->unread.empty() ? code : static_cast<int>(kExitNeedsPerson);
}

}  // namespace

void AddFindGraphCommand(CommandLine line) {
  auto arguments = std::make_shared<FindGraphArguments>();
  CLI::App* app = line.app.add_subcommand(
      "find-graph", "the graph that a TensorFlow training computes, and the folder of its dump");
  app->add_option("--graphs", arguments->find.graphs,
                  "a folder with *_Build.txt in or below it; may be repeated (DUMP_GRAPH_PATH, "
                  "NPU_COLLECT_PATH or the working directory)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app->add_option("--dump", arguments->find.dump, "the dump_path of the training")
      ->type_name("DIR");
  app->add_option("--op", arguments->find.op,
                  "a part of the name of an operator: only graphs that hold such an operator")
      ->type_name("TEXT");
  app->add_flag("--json", arguments->json, "all graphs, as JSON");
  app->callback([line, arguments] {
    line.run = [line, arguments] {
      return RunFindGraph(*arguments, ChooseLanguage(line.language));
    };
  });
}

}  // namespace transplt
