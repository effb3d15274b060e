// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/entry_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/programs/entry_start.h"

namespace transplt {
namespace {

using Kind = CodeFact::Kind;

/// " through main, Trainer.train": the functions on the way, the last few of them.
std::string WayTo(const ProgramGraph& graph, const ProgramGraph::Program& program, size_t reached) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (size_t at = reached; at != ProgramGraph::kNone && names.size() < kShown;
       at = program.units[at].from) {
    const std::string& name = graph.UnitAt(program.units[at].unit).name;
    if (!name.empty() && name != kMainBlock) names.push_back(name);
  }
  std::reverse(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// False if all optimizers get single tensors: an image, a code.
bool UpdatesModel(const ProgramFacts& facts) {
  bool has_tensors = false;
  for (const ProgramFacts::Fact& fact : facts.all) {
    if (fact.fact->kind != Kind::kOptimizer) continue;
    if (fact.fact->text.empty()) return true;
    has_tensors = true;
  }
  return !has_tensors;
}

/// Looks for what trains; what is certain comes before what had to be guessed.
class TrainingFinder {
 public:
  TrainingFinder(const ProgramGraph& graph, const ProgramGraph::Program& program,
                 const ProgramFacts& facts, EntryPoint& entry)
      : graph_(graph), program_(program), facts_(facts), entry_(entry) {}

  void Run() {
    for (const bool guessed_too : {false, true}) {
      if (HasBackward(guessed_too) || HasTrainer(guessed_too) || HasCall(guessed_too)) return;
    }
    const auto* backward = facts_.First(Kind::kBackward);
    entry_.evidence.push_back(
        backward == nullptr
            ? Evidence{OneLine(entry_.path),
                       Say("trains nothing: no backward pass and no trainer is reached",
                           "不训练: 未到达反向传播或训练器")}
            : Evidence{backward->place,
                       Say("trains nothing: a backward pass, but the weights are never changed",
                           "不训练: 有反向传播, 但从不更新权重")});
  }

 private:
  bool HasBackward(bool guessed_too) {
    const auto* backward = facts_.First(Kind::kBackward, guessed_too);
    if (backward == nullptr || facts_.First(Kind::kUpdate, guessed_too) == nullptr) return false;
    entry_.updates_model = UpdatesModel(facts_);
    return Found(backward->place, "backward()", backward->reached, Framework::kPytorch,
                 guessed_too);
  }

  bool HasTrainer(bool guessed_too) {
    for (const ProgramGraph::LibraryCall& call : program_.library_calls) {
      if (!Trains(*call.api) || (!guessed_too && program_.units[call.reached].guessed)) continue;
      return Found(PlaceOf(graph_, program_, call.reached, call.line), call.text, call.reached,
                   call.api->framework, guessed_too);
    }
    return false;
  }

  bool HasCall(bool guessed_too) {
    for (const ProgramFacts::Fact& fact : facts_.all) {
      const bool counts = fact.fact->kind == Kind::kApi && Trains(*fact.fact->api) &&
                          (guessed_too || !fact.is_guessed);
      if (!counts) continue;
      return Found(fact.place, fact.fact->text, fact.reached, fact.fact->api->framework,
                   guessed_too);
    }
    return false;
  }

  bool Found(const std::string& place, const std::string& what, size_t reached,
             std::optional<Framework> framework, bool guessed) {
    entry_.trains = true;
    entry_.is_certain = !guessed;
    entry_.framework = framework;
    const std::string way = WayTo(graph_, program_, reached);
    Text reason = way.empty() ? Say("trains: {}", "进行训练: {}", what)
                              : Say("trains: {}, through {}", "进行训练: {}, 经由 {}", what, way);
    if (guessed) {
      reason.en += "; on the way a method was found by its name alone";
      reason.zh += "; 途中有方法仅按名称匹配";
    }
    entry_.evidence.push_back({place, std::move(reason)});
    return true;
  }

  const ProgramGraph& graph_;
  const ProgramGraph::Program& program_;
  const ProgramFacts& facts_;
  EntryPoint& entry_;
};

/// A trainer of a library also says how processes are started.
void TakeStartOfTrainer(const ProgramGraph::Program& program, const ProgramFacts& facts,
                        EntryPoint& entry) {
  const auto take = [&](const TrainingApi* api) {
    const bool says = api != nullptr && api->start && Trains(*api);
    if (says && entry.start == StartStyle::kSingle) entry.start = *api->start;
  };
  for (const ProgramGraph::LibraryCall& call : program.library_calls) take(call.api);
  for (const ProgramFacts::Fact& fact : facts.all) take(fact.fact->api);
}

}  // namespace

std::optional<std::string> FolderOfModule(const std::string& path, std::string_view module) {
  std::string as_path(module);
  std::ranges::replace(as_path, '.', '/');
  const size_t at = path.rfind(as_path);
  if (at == std::string::npos || (at > 0 && path[at - 1] != '/')) return std::nullopt;
  return at == 0 ? "" : path.substr(0, at - 1);
}

void EntryProgram::Describe(const ProgramGraph::Program& program, EntryPoint& entry) const {
  const ProgramFacts facts(graph_, program);
  TrainingFinder(graph_, program, facts, entry).Run();
  options_.Describe(facts, entry);
  TakeStartOfTrainer(program, facts, entry);
  FindStart(graph_, facts, entry);
  FindPythonPath(program, facts, entry);
}

/// A script that changes sys.path itself sees to what it imports.
void EntryProgram::FindPythonPath(const ProgramGraph::Program& program, const ProgramFacts& facts,
                                  EntryPoint& entry) const {
  const bool sees_to_it = std::ranges::any_of(facts.all, [&](const ProgramFacts::Fact& fact) {
    return fact.fact->kind == Kind::kAddsToPath && *fact.file == entry.path;
  });
  if (sees_to_it) return;
  const std::string own =
      entry.module.empty() ? std::string(FolderOf(entry.path)) : entry.working_folder;
  for (const ProgramGraph::Reached& reached : program.units) {
    const CodeUnit& unit = graph_.UnitAt(reached.unit);
    for (const FileImport& import : unit.imports) {
      if (import.module.empty()) continue;
      const std::string found = index_.FileOfModule(entry.path, import.module);
      const std::optional<std::string> folder = FolderOfModule(found, import.module);
      if (!folder || *folder == own) continue;
      std::vector<std::string>& paths = entry.python_path;
      if (IsOneOf(*folder, paths)) continue;
      paths.push_back(*folder);
      const std::string shown = folder->empty() ? "." : *folder;
      entry.evidence.push_back(
          {fmt::format("{}:{}", OneLine(graph_.FileOf(reached.unit)), import.line),
           Say("imports {}, which lies in {}: PYTHONPATH must hold that folder, or the project be "
               "installed",
               "导入 {}, 其位于 {}: 须将该目录加入 PYTHONPATH 或安装该项目", import.module,
               shown)});
    }
  }
}

}  // namespace transplt
