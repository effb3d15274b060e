// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/entry_start.h"

#include <algorithm>
#include <string>
#include <utility>

#include "transplt/base/one_of.h"

namespace transplt {
namespace {

using Kind = CodeFact::Kind;
using Fact = ProgramFacts::Fact;

/// Asks one way after the other; the first that fits decides.
class StartFinder {
 public:
  StartFinder(const ProgramGraph& graph, const ProgramFacts& facts, EntryPoint& entry)
      : graph_(graph), facts_(facts), entry_(entry) {
    for (const Fact& fact : facts.all) Sort(fact);
  }

  void Run() {
    // What stands in a branch is a choice of the user, and comes last.
    if (library_ != nullptr) return DecideLibrary(*library_);
    const bool is_of_trainer =
        entry_.start != StartStyle::kSingle && entry_.start != StartStyle::kSpawns;
    if (is_of_trainer || SpawnsRanks() || ReadsRank("LOCAL_RANK") || TakesLocalRank() || Spawns() ||
        entry_.start == StartStyle::kSpawns || ReadsRank("") || ReadsScheduler() || JoinsGroup()) {
      return;
    }
    if (optional_ != nullptr) return DecideLibrary(*optional_);
    if (const EntryArgument* device = FindRole(ArgumentRole::kDevice)) {
      Decide(StartStyle::kSingle, device->place,
             Say("{} names the device", "{} 指定设备", device->name), device->name);
    }
  }

 private:
  void Sort(const Fact& fact) {
    const CodeFact& code = *fact.fact;
    if (code.kind == Kind::kStartsProcess && spawn_ == nullptr && RunsGroup(code)) spawn_ = &fact;
    if (code.kind != Kind::kApi || !code.api->start || Trains(*code.api)) return;
    const Fact*& place = *code.api->start == StartStyle::kSpawns ? spawn_
                         : code.in_branch                        ? optional_
                                                                 : library_;
    if (place == nullptr) place = &fact;
  }

  /// Processes are also started for other things, such as copying checkpoints.
  bool RunsGroup(const CodeFact& process) const {
    const size_t target = graph_.Find(process.file, process.text);
    if (target == ProgramGraph::kNone) return false;
    const ProgramFacts run(graph_, graph_.ReachFrom({target}, false));
    return run.First(Kind::kInitProcessGroup) != nullptr;
  }

  const EntryArgument* FindRole(ArgumentRole role) const {
    for (const EntryArgument& argument : entry_.arguments) {
      if (argument.role == role) return &argument;
    }
    return nullptr;
  }

  bool Decide(StartStyle style, const std::string& place, Text reason, std::string option = "") {
    entry_.start = style;
    entry_.start_option = std::move(option);
    entry_.evidence.push_back({place, std::move(reason)});
    return true;
  }

  void DecideLibrary(const Fact& fact) {
    Decide(*fact.fact->api->start, fact.place,
           Say("its processes are those of {}", "其进程由 {} 管理", fact.fact->text));
  }

  /// Any variable of the environment that holds a rank, if `variable` is empty.
  bool ReadsRank(std::string_view variable) {
    for (const Fact& fact : facts_.all) {
      const std::string& text = fact.fact->text;
      if (fact.fact->kind != Kind::kReadsRank || (!variable.empty() && text != variable)) continue;
      return Decide(StartStyle::kEnvironment, fact.place,
                    Say("reads {} from the environment", "从环境变量读取 {}", text));
    }
    return false;
  }

  bool TakesLocalRank() {
    const EntryArgument* option = FindRole(ArgumentRole::kLocalRank);
    // Many programs keep the option of a launcher that they were copied with, and join no group.
    const bool is_used = entry_.is_launched || facts_.First(Kind::kInitProcessGroup) != nullptr;
    if (option == nullptr || !is_used) return false;
    return Decide(StartStyle::kLocalRank, option->place,
                  Say("takes its rank as {}", "以 {} 接收 rank", option->name), option->name);
  }

  bool Spawns() {
    if (spawn_ == nullptr) return false;
    const std::vector<std::string>& read = spawn_->fact->conditions;
    std::string option;
    for (EntryArgument& argument : entry_.arguments) {
      if (!IsOneOf(argument.dest, read)) continue;
      if (argument.role == ArgumentRole::kOther) argument.role = ArgumentRole::kMultiprocessing;
      if (option.empty()) option = argument.name;
    }
    return Decide(StartStyle::kSpawns, spawn_->place,
                  option.empty() ? Say("starts its processes itself", "自行启动各进程")
                                 : Say("starts its processes itself, with {}",
                                       "自行启动各进程, 由 {} 开启", option),
                  option);
  }

  /// What starts processes and tells each its rank reads what it has set itself.
  bool SpawnsRanks() {
    const auto sets = [](const Fact& fact) {
      return fact.fact->kind == Kind::kSetsRank && HasPart(fact.fact->text, "RANK");
    };
    return std::ranges::any_of(facts_.all, sets) && Spawns();
  }

  bool ReadsScheduler() {
    const Fact* fact = facts_.First(Kind::kReadsScheduler);
    if (fact == nullptr) return false;
    return Decide(StartStyle::kMpi, fact->place,
                  Say("reads {}, which srun or mpirun sets", "读取由 srun 或 mpirun 设置的 {}",
                      fact->fact->text));
  }

  bool JoinsGroup() {
    const Fact* fact = facts_.First(Kind::kInitProcessGroup);
    if (fact == nullptr) return false;
    if (const EntryArgument* rank = FindRole(ArgumentRole::kRank)) {
      return Decide(StartStyle::kDevice, rank->place,
                    Say("takes its rank as {}", "以 {} 接收 rank", rank->name), rank->name);
    }
    if (const Fact* process = StartedBeside(*fact)) {
      return Decide(StartStyle::kSpawns, process->place,
                    Say("starts its processes itself", "自行启动各进程"));
    }
    return Decide(StartStyle::kEnvironment, fact->place,
                  fact->fact->text.empty()
                      ? Say("joins the process group that the environment describes",
                            "加入环境变量所描述的进程组")
                      : Say("joins a process group; the code does not say where its rank comes "
                            "from",
                            "加入进程组; 代码未说明 rank 的来源"));
  }

  /// A process that the code which joins the group starts, too, where it names an address of its
  /// own: the others of the group, even if what they run is not in the text.
  const Fact* StartedBeside(const Fact& group) const {
    if (group.fact->text.empty()) return nullptr;
    const auto found = std::ranges::find_if(facts_.all, [&](const Fact& fact) {
      return fact.fact->kind == Kind::kStartsProcess && fact.reached == group.reached;
    });
    return found == facts_.all.end() ? nullptr : &*found;
  }

  const ProgramGraph& graph_;
  const ProgramFacts& facts_;
  EntryPoint& entry_;
  const Fact* library_ = nullptr;
  const Fact* optional_ = nullptr;
  const Fact* spawn_ = nullptr;
};

}  // namespace

void FindStart(const ProgramGraph& graph, const ProgramFacts& facts, EntryPoint& entry) {
  StartFinder(graph, facts, entry).Run();
}

}  // namespace transplt
