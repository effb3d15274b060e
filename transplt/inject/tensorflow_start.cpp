// SPDX-License-Identifier: Apache-2.0
// Where a program starts, and what runs initialize_system there.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/facts/project.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/tensorflow_injector.h"
#include "transplt/python/callee.h"
#include "transplt/python/main_block.h"
#include "transplt/python/statement.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

std::vector<std::string> ImportedFiles(const NameTable& names, const ProjectIndex& project) {
  std::vector<std::string> files;
  for (const Node node : NodesIn(names.tree())) {
    if (!IsImport(node) || names.tree().IsUnparsed(node.range())) continue;
    for (std::string& path : FilesOfImport(node, names, project)) files.push_back(std::move(path));
  }
  return files;
}

bool HasAnyPart(std::string_view bytes, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return HasPart(bytes, word); });
}

/// Without reading the file as Python: it may run initialize_system, or ask for ranks.
bool MayInitialize(std::string_view bytes) {
  return HasAnyPart(bytes, {"initialize_system", "init_resource", "hccl", "rank"});
}

/// True if a query stands at module level: it runs as soon as the file is imported.
bool QueriesWhenLoaded(const InjectFile& file, const TensorflowSites& sites) {
  return std::ranges::any_of(sites.rank_queries, [&](Node query) {
    return !IsDefinition(StatementIn(file.tree().root(), query));
  });
}

/// `os.environ["X"] = ...` and the like.
bool SetsEnvironment(Node statement) {
  return std::ranges::any_of(NodesIn(statement), [](Node node) {
    return node.Is(NodeKind::kIdentifier) && (node.text() == "environ" || node.text() == "putenv");
  });
}

}  // namespace

/// What the files that this one imports, and those that they import, hold. The nearest come first:
/// once one has sites, only those are read that may initialize the system.
TensorflowInjector::Reached TensorflowInjector::ReachedFiles() const {
  Reached reached;
  if (file_.project() == nullptr) return reached;
  const ProjectIndex& project = *file_.project();
  const auto& words = FindInjectFramework("tensorflow")->words;
  std::set<std::string> seen = {file_.source().path()};
  std::deque<std::string> open;
  const auto add = [&](const NameTable& names) {
    for (std::string& path : ImportedFiles(names, project)) {
      if (seen.insert(path).second) open.push_back(std::move(path));
    }
  };
  for (add(file_.names()); !open.empty() && !reached.initializes; open.pop_front()) {
    const auto opened = project.Open(open.front());
    if (opened == nullptr) continue;
    add(opened->names());
    const std::string_view bytes = opened->tree().source().bytes();
    const bool may_initialize = MayInitialize(bytes);
    if (reached.has_sites ? !may_initialize : !may_initialize && !HasAnyPart(bytes, words))
      continue;
    const InjectFile file(opened->tree(), &project);
    const TensorflowSites sites = FindTensorflowSites(file);
    reached.has_sites |= UsesNpuBridge(file) && FirstPlace(sites);
    reached.has_sites |= !sites.rank_queries.empty();
    reached.is_compat |= file.ImportsPackage("npu_device.compat");
    // What asks for ranks as it is loaded gets initialize_system itself.
    reached.initializes |= sites.initializes || QueriesWhenLoaded(file, sites);
  }
  return reached;
}

/// True if the statement calls what the project defines.
bool TensorflowInjector::CallsProject(Node statement) const {
  return std::ranges::any_of(NodesIn(statement), [&](Node call) {
    if (!call.Is(NodeKind::kCall)) return false;
    return std::ranges::any_of(CalleesOf(call), [&](const Callee& callee) {
      return file_.values().DefinitionOf(callee.expression).has_value();
    });
  });
}

/// Where a file that has no main block starts to work: it is run if it calls what the project
/// defines and nobody imports it. Null otherwise.
Node TensorflowInjector::FirstCallOfProject() const {
  const std::string& path = file_.source().path();
  if (ProjectIndex::IsPackage(path) || IsTestFile(path)) return {};
  for (const Node statement : NamedChildren(file_.tree().root())) {
    if (IsDefinition(statement) || IsImport(statement) || !CallsProject(statement)) continue;
    return file_.Importers().empty() ? statement : Node();
  }
  return {};
}

/// Where a main block starts to work: behind its imports, and what it sets in the environment
/// first, which GE reads as it starts.
Node TensorflowInjector::StartOfBlock(Node block) const {
  Node place;
  bool is_behind = true;
  for (const Node statement : NamedChildren(block)) {
    if (is_behind) place = statement;
    is_behind = IsImport(statement) || SetsEnvironment(statement);
    const bool works = CallsProject(statement) || statement.IsAncestorOf(FirstPlace(sites_)) ||
                       std::ranges::any_of(sites_.rank_queries, [&](Node query) {
                         return statement.IsAncestorOf(query);
                       });
    if (works) break;
  }
  return place;
}

/// True if a program of the project imports this file, or a file that does: it runs
/// initialize_system before it calls anything here.
bool TensorflowInjector::IsOfAnotherProgram() const {
  std::set<std::string> seen = {file_.source().path()};
  std::vector<std::shared_ptr<const OpenedFile>> open = file_.Importers();
  while (!open.empty()) {
    const std::shared_ptr<const OpenedFile> importer = std::move(open.back());
    open.pop_back();
    if (!seen.insert(importer->tree().source().path()).second) continue;
    if (MainBlocksOf(importer->tree().root()).size() == 1) return true;
    for (auto& next : file_.ImportersOf(importer->source().path())) {
      open.push_back(std::move(next));
    }
  }
  return false;
}

/// Where the program starts that this file is. Null for a file that others import, and where it
/// is not seen.
Node TensorflowInjector::StartOfThisProgram() const {
  const std::vector<Node> blocks = MainBlocksOf(file_.tree().root());
  if (blocks.size() == 1) return StartOfBlock(blocks[0].Child(Field::kConsequence));
  return blocks.empty() ? FirstCallOfProject() : Node();
}

/// Where initialize_system has to run: where the program starts, or before what asks for ranks or
/// makes a session as the file is loaded. Null where nothing of the kind is seen.
Node TensorflowInjector::PlaceToInitialize(const Reached& reached) const {
  const Node module = file_.tree().root();
  const Node query = sites_.rank_queries.empty() ? Node() : sites_.rank_queries.front();
  const Node first = query ? query : FirstPlace(sites_);
  const bool is_in_definition = !first || IsDefinition(StatementIn(module, first));
  if (query && !is_in_definition) return query;
  if (!is_in_definition && MainBlocksOf(module).empty()) return StatementIn(module, first);
  // A function may be called often, or before the main block does anything else: initialize_system
  // runs once, and early enough, where the program starts.
  const Node start = first || reached.has_sites ? StartOfThisProgram() : Node();
  if (start) return start;
  return query && !IsOfAnotherProgram() ? query : Node();
}

/// initialize_system in a session of its own: get_rank_id() and the like need it before the first
/// run, and who measures a training leaves the start of GE out with it.
void TensorflowInjector::InsertInitializeSystem() {
  const Node first = FirstPlace(sites_);
  if (sites_.initializes) {
    if (first) Note(first, "initialize_system", Say("there already", "已存在"));
    return;
  }
  const bool has_own = (first && UsesNpuBridge(file_)) || !sites_.rank_queries.empty();
  const bool is_test = IsTestFile(file_.source().path());
  // npu_device starts the NPU itself, also for what the program imports.
  const bool opens_device = !sites_.devices.empty();
  if (!has_own && (opens_device || is_test || !StartOfThisProgram())) return;
  const Reached reached = ReachedFiles();
  if (reached.initializes || (!has_own && !reached.has_sites)) return;
  const Node place = PlaceToInitialize(reached);
  if (!place) return;
  const Node statement = EnclosingStatement(place);
  if (IsEvaluatedElsewhere(place) || !EditPlan::CanInsertBefore(statement)) {
    Leave(place,
          Say("initialize_system must run before this; no line can be put in front of it",
              "在此之前须执行 initialize_system; 此处之前无法插入语句"),
          Fitting(true));
    return;
  }
  const std::string config = file_.FreshName("init_config", place);
  const std::string init = file_.FreshName("npu_init", place);
  const std::string shutdown = file_.FreshName("npu_shutdown", place);
  const std::string session = file_.FreshName("init_sess", place);
  const std::string operators = spelling_.NpuOperators(place, reached.is_compat);
  std::vector<std::string> lines = {fmt::format("{} = {}.initialize_system()", init, operators),
                                    fmt::format("{} = {}.shutdown_system()", shutdown, operators),
                                    config + " = " + spelling_.NewConfigProto(place)};
  const std::vector<OptionValue> options = Fitting(true);
  for (std::string& line : spelling_.OptimizerLines(config, true, options, place)) {
    lines.push_back(std::move(line));
  }
  lines.push_back(config + ".graph_options.rewrite_options.remapping = RewriterConfig.OFF");
  lines.push_back(
      fmt::format("{} = {}(config={})", session, spelling_.SessionClass(place), config));
  lines.push_back(fmt::format("{}.run({})", session, init));
  // However the program ends; the last is called first.
  if (!file_.Binds("atexit")) plan_.Import("import atexit");
  lines.push_back(fmt::format("atexit.register({}.close)", session));
  lines.push_back(fmt::format("atexit.register({}.run, {})", session, shutdown));
  const EditReason reason{
      place.range(), std::string(kTensorflowRule),
      sites_.rank_queries.empty()
          ? Say("runs initialize_system before the training", "在训练之前执行 initialize_system")
          : Say("runs initialize_system before ranks are asked for",
                "在查询 rank 之前执行 initialize_system")};
  plan_.InsertBefore(statement, lines, reason);
  Note(place, "initialize_system", Say("inserted", "插入"), options);
}

}  // namespace transplt
