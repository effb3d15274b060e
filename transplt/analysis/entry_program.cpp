// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/entry_program.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <map>

#include "transplt/base/one_of.h"
#include "transplt/report/plain_text.h"

namespace transplt {
namespace {

using Kind = CodeFact::Kind;

std::string FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

bool Trains(const TrainingApi& api) {
  return api.kind == TrainingApi::Kind::kObject || api.kind == TrainingApi::Kind::kFunction ||
         api.kind == TrainingApi::Kind::kMethod;
}

void AddEvidence(EntryPoint& entry, std::string place, Text reason) {
  entry.evidence.push_back({std::move(place), std::move(reason)});
}

/// "local_rank" and "local-rank": what torch.distributed.launch calls its option.
bool IsLocalRank(const EntryArgument& argument) { return argument.dest == "local_rank"; }

const EntryArgument* FindRole(const EntryPoint& entry, ArgumentRole role) {
  for (const EntryArgument& argument : entry.arguments) {
    if (argument.role == role) return &argument;
  }
  return nullptr;
}

/// The keys of a configuration whose value Hydra asks for: "???".
void AddMissingKeys(const YAML::Node& node, const std::string& prefix, const std::string& path,
                    int depth, std::vector<EntryArgument>& arguments) {
  constexpr int kMaxDepth = 8;
  if (!node.IsMap() || depth > kMaxDepth) return;
  for (const auto& item : node) {
    if (!item.first.IsScalar()) continue;
    const std::string key = prefix + item.first.Scalar();
    if (item.second.IsScalar() && item.second.Scalar() == "???") {
      EntryArgument argument;
      argument.name = key + "=";
      argument.dest = key;
      argument.required = true;
      argument.place = fmt::format("{}:{}", OneLine(path), item.second.Mark().line + 1);
      arguments.push_back(std::move(argument));
    }
    AddMissingKeys(item.second, key + ".", path, depth + 1, arguments);
  }
}

}  // namespace

/// What the units of a program hold, in the order in which they are reached.
struct EntryProgram::Facts {
  struct Fact {
    const CodeFact* fact;
    size_t reached;
    std::string place;
  };
  std::vector<Fact> all;
  std::vector<const CodeUnit*> units;

  const Fact* First(Kind kind, bool guessed_too, const ProgramGraph::Program& program) const {
    for (const Fact& fact : all) {
      const bool guessed = program.units[fact.reached].guessed;
      if (fact.fact->kind == kind && (guessed_too || !guessed)) return &fact;
    }
    return nullptr;
  }
  const Fact* First(Kind kind) const {
    for (const Fact& fact : all) {
      if (fact.fact->kind == kind) return &fact;
    }
    return nullptr;
  }
};

std::string EntryProgram::PlaceOf(const ProgramGraph::Program& program, size_t reached,
                                  uint32_t line) const {
  return fmt::format("{}:{}", OneLine(graph_.FileOf(program.units[reached].unit)), line);
}

/// " through main, Trainer.train": the functions on the way, the last few of them.
std::string EntryProgram::WayTo(const ProgramGraph::Program& program, size_t reached) const {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (size_t at = reached; at != ProgramGraph::kNone && names.size() < kShown;
       at = program.units[at].from) {
    const std::string& name = graph_.UnitAt(program.units[at].unit).name;
    if (!name.empty() && name != kMainBlock) names.push_back(name);
  }
  std::reverse(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

EntryProgram::Facts EntryProgram::Collect(const ProgramGraph::Program& program) const {
  Facts facts;
  for (size_t at = 0; at < program.units.size(); ++at) {
    const CodeUnit& unit = graph_.UnitAt(program.units[at].unit);
    facts.units.push_back(&unit);
    for (const CodeFact& fact : unit.facts) {
      facts.all.push_back({&fact, at, PlaceOf(program, at, fact.line)});
    }
  }
  return facts;
}

void EntryProgram::Describe(const ProgramGraph::Program& program, EntryPoint& entry) const {
  const Facts facts = Collect(program);
  JudgeTraining(program, facts, entry);
  AddArguments(facts, entry);
  GiveRoles(facts, entry);
  for (const ProgramGraph::LibraryCall& call : program.library_calls) {
    if (call.api->start && entry.start == StartStyle::kSingle && Trains(*call.api)) {
      entry.start = *call.api->start;  // unless the code says more
    }
  }
  for (const Facts::Fact& fact : facts.all) {
    const bool says = fact.fact->kind == Kind::kApi && fact.fact->api->start &&
                      Trains(*fact.fact->api) && entry.start == StartStyle::kSingle;
    if (says) entry.start = *fact.fact->api->start;
  }
  FindStart(facts, entry);
  FindPythonPath(program, facts, entry);
}

/// False if all optimizers get single tensors: an image, a code.
bool EntryProgram::UpdatesModel(const Facts& facts) {
  bool has_tensors = false;
  for (const Facts::Fact& fact : facts.all) {
    if (fact.fact->kind != Kind::kOptimizer) continue;
    if (fact.fact->text.empty()) return true;
    has_tensors = true;
  }
  return !has_tensors;
}

void EntryProgram::JudgeTraining(const ProgramGraph::Program& program, const Facts& facts,
                                 EntryPoint& entry) const {
  const auto found = [&](std::string place, const std::string& what, const std::string& way,
                         std::optional<Framework> framework, bool certain) {
    entry.trains = true;
    entry.is_certain = certain;
    entry.framework = framework;
    AddEvidence(entry, std::move(place),
                way.empty() ? Say("trains: {}", "进行训练: {}", what)
                            : Say("trains: {}, through {}", "进行训练: {}, 经由 {}", what, way));
    if (certain) return;
    entry.evidence.back().reason.en += "; on the way a method was matched by its name";
    entry.evidence.back().reason.zh += "; 途中有方法按名称匹配";
  };
  for (const bool guessed_too : {false, true}) {
    const auto* backward = facts.First(Kind::kBackward, guessed_too, program);
    if (backward != nullptr && facts.First(Kind::kUpdate, guessed_too, program) != nullptr) {
      found(backward->place, "backward pass", WayTo(program, backward->reached),
            Framework::kPytorch, !guessed_too);
      entry.updates_model = UpdatesModel(facts);
      return;
    }
    for (const ProgramGraph::LibraryCall& call : program.library_calls) {
      if (!Trains(*call.api) || (!guessed_too && program.units[call.reached].guessed)) continue;
      found(PlaceOf(program, call.reached, call.line), call.text, WayTo(program, call.reached),
            call.api->framework, !guessed_too);
      return;
    }
    for (const Facts::Fact& fact : facts.all) {
      const bool counts = fact.fact->kind == Kind::kApi && Trains(*fact.fact->api) &&
                          (guessed_too || !program.units[fact.reached].guessed);
      if (!counts) continue;
      found(fact.place, fact.fact->text, WayTo(program, fact.reached), fact.fact->api->framework,
            !guessed_too);
      return;
    }
  }
  const auto* backward = facts.First(Kind::kBackward);
  AddEvidence(entry, backward == nullptr ? OneLine(entry.path) : backward->place,
              backward == nullptr
                  ? Say("trains nothing: no backward pass and no trainer is reached",
                        "不训练: 未到达反向传播或训练器")
                  : Say("trains nothing: a backward pass, but the weights are never changed",
                        "不训练: 有反向传播, 但从不更新权重"));
}

void EntryProgram::AddArguments(const Facts& facts, EntryPoint& entry) const {
  std::vector<EntryArgument>& all = entry.arguments;
  const auto add = [&](const EntryArgument& argument) {
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const EntryArgument& known) {
      return known.name == argument.name;
    });
    if (!is_known) all.push_back(argument);
  };
  for (const CodeUnit* unit : facts.units) {
    for (const EntryArgument& argument : unit->arguments) add(argument);
  }
  for (const Facts::Fact& fact : facts.all) {
    const Origin subject{fact.fact->file, fact.fact->text};
    if (fact.fact->kind == Kind::kFire) {
      size_t unit = graph_.Find(subject.file, subject.name);
      if (graph_.FindClass(subject) != nullptr) {
        unit = graph_.Find(subject.file, subject.name + ".__init__");
      }
      if (unit == ProgramGraph::kNone) continue;
      for (const EntryArgument& argument : graph_.UnitAt(unit).parameters) add(argument);
    } else if (fact.fact->kind == Kind::kDataclassParser) {
      AddDataclass(subject, 0, entry);
    } else if (fact.fact->kind == Kind::kReadsArgv) {
      EntryArgument argument;
      argument.name = fmt::format("argv[{}]", fact.fact->text);
      argument.dest = argument.name;
      argument.positional = true;
      argument.required = !fact.fact->in_branch;
      argument.place = fact.place;
      add(argument);
    } else if (fact.fact->kind == Kind::kOtherParser) {
      entry.has_unlisted_options = true;
      AddEvidence(entry, fact.place,
                  Say("its options are read by {}", "选项由 {} 读取", fact.fact->text));
    }
  }
  AddHydra(facts, entry);
}

/// The fields of a class and of its bases; those of libraries, where they have to be given.
void EntryProgram::AddDataclass(const Origin& origin, int depth, EntryPoint& entry) const {
  constexpr int kMaxDepth = 8;
  const auto add = [&](EntryArgument argument) {
    const bool is_known =
        std::any_of(entry.arguments.begin(), entry.arguments.end(),
                    [&](const EntryArgument& known) { return known.name == argument.name; });
    if (!is_known) entry.arguments.push_back(std::move(argument));
  };
  if (origin.file.empty()) {
    entry.has_unlisted_options = true;
    for (const RequiredFields& fields : apis_.required_fields()) {
      const bool is_it =
          origin.name.ends_with("." + fields.name) &&
          std::any_of(fields.packages.begin(), fields.packages.end(),
                      [&](const std::string& p) { return origin.name.starts_with(p + "."); });
      if (!is_it) continue;
      if (fields.start) entry.start = *fields.start;
      for (const std::string& option : fields.options) {
        EntryArgument argument;
        argument.name = "--" + option;
        argument.dest = option;
        argument.required = true;
        argument.place = origin.name;
        add(std::move(argument));
      }
    }
    return;
  }
  const ClassUnit* unit = graph_.FindClass(origin);
  if (unit == nullptr || depth > kMaxDepth) return;
  for (const EntryArgument& field : unit->fields) add(field);
  for (const Origin& base : unit->bases) AddDataclass(base, depth + 1, entry);
}

void EntryProgram::AddHydra(const Facts& facts, EntryPoint& entry) const {
  for (const Facts::Fact& fact : facts.all) {
    if (fact.fact->kind != Kind::kHydra) continue;
    entry.takes_overrides = true;
    AddEvidence(
        entry, fact.place,
        Say("is configured by Hydra: options are key=value", "由 Hydra 配置: 选项形如 key=value"));
    std::string path = FolderOf(graph_.FileOf(graph_.Find(entry.path, "")));
    path = (path.empty() ? "" : path + "/") + fact.fact->text;
    // "../configs" is beside the folder of the script.
    for (size_t up = path.find("/../"); up != std::string::npos; up = path.find("/../")) {
      const size_t before = up == 0 ? std::string::npos : path.rfind('/', up - 1);
      path.erase(before == std::string::npos ? 0 : before + 1,
                 up + 4 - (before == std::string::npos ? 0 : before + 1));
    }
    if (path.starts_with("./")) path.erase(0, 2);
    if (!path.ends_with(".yaml")) path += ".yaml";
    for (const ProjectEntry& file : files_.entries) {
      if (file.path != path) continue;
      const Result<std::string> text = ReadProjectFile(files_, file);
      if (!text) continue;
      try {
        AddMissingKeys(YAML::Load(*text), "", path, 0, entry.arguments);
      } catch (const YAML::Exception&) {
        entry.has_unlisted_options = true;  // a template: its keys cannot be listed
      }
    }
    return;
  }
}

void EntryProgram::GiveRoles(const Facts& facts, EntryPoint& entry) const {
  std::map<std::string, ArgumentRole> roles;
  for (const CodeUnit* unit : facts.units) {
    for (const OptionUse& use : unit->uses) {
      // A rank is also what the device is counted from.
      const auto [place, is_new] = roles.emplace(use.option, use.role);
      if (!is_new && place->second == ArgumentRole::kDevice) place->second = use.role;
    }
  }
  for (EntryArgument& argument : entry.arguments) {
    const auto found = roles.find(argument.dest);
    if (found != roles.end()) argument.role = found->second;
    if (IsLocalRank(argument)) argument.role = ArgumentRole::kLocalRank;
  }
  if (FindRole(entry, ArgumentRole::kData) != nullptr) return;
  for (EntryArgument& argument : entry.arguments) {
    constexpr std::array<std::string_view, 4> kPlaces = {"path", "dir", "root", "folder"};
    const std::string_view dest = argument.dest;
    const bool is_place = std::any_of(kPlaces.begin(), kPlaces.end(), [&](std::string_view place) {
      return dest.ends_with(place);
    });
    const bool is_data =
        dest.ends_with("data") || (dest.find("data") != std::string_view::npos && is_place);
    if (argument.role != ArgumentRole::kOther || !argument.takes_value || !is_data ||
        !argument.choices.empty()) {
      continue;
    }
    argument.role = ArgumentRole::kData;
    AddEvidence(entry, argument.place,
                Say("{} is taken for the data: by its name alone",
                    "{} 被视为数据路径: 仅依据其名称", argument.name));
    return;
  }
}

/// Processes are also started for other things, such as copying checkpoints.
bool EntryProgram::JoinsGroup(const CodeFact& process) const {
  const size_t target = graph_.Find(process.file, process.text);
  if (target == ProgramGraph::kNone) return false;
  const ProgramGraph::Program program = graph_.ReachFrom({target}, false);
  return Collect(program).First(Kind::kInitProcessGroup) != nullptr;
}

void EntryProgram::FindStart(const Facts& facts, EntryPoint& entry) const {
  const auto decide = [&](StartStyle style, const std::string& place, const Text& reason,
                          std::string option = "") {
    entry.start = style;
    entry.start_option = std::move(option);
    AddEvidence(entry, place, reason);
  };
  // How a library starts processes; what stands in a branch is a choice of the user.
  const Facts::Fact* library = nullptr;
  const Facts::Fact* optional = nullptr;
  const Facts::Fact* spawn = nullptr;
  for (const Facts::Fact& fact : facts.all) {
    if (fact.fact->kind != Kind::kApi || !fact.fact->api->start || Trains(*fact.fact->api))
      continue;
    if (*fact.fact->api->start == StartStyle::kSpawns) {
      if (spawn == nullptr) spawn = &fact;
    } else if (fact.fact->in_branch) {
      if (optional == nullptr) optional = &fact;
    } else if (library == nullptr) {
      library = &fact;
    }
  }
  const auto of_library = [&](const Facts::Fact& fact) {
    decide(*fact.fact->api->start, fact.place,
           Say("its processes are those of {}", "其进程由 {} 管理", fact.fact->text));
  };
  if (library != nullptr) return of_library(*library);
  if (entry.start != StartStyle::kSingle && entry.start != StartStyle::kSpawns) return;
  const auto reads = [&](std::string_view variable) -> const Facts::Fact* {
    for (const Facts::Fact& fact : facts.all) {
      if (fact.fact->kind == Kind::kReadsRank &&
          (variable.empty() || fact.fact->text == variable)) {
        return &fact;
      }
    }
    return nullptr;
  };
  if (const auto* fact = reads("LOCAL_RANK")) {
    return decide(StartStyle::kEnvironment, fact->place,
                  Say("reads LOCAL_RANK from the environment", "从环境变量读取 LOCAL_RANK"));
  }
  if (const EntryArgument* option = FindRole(entry, ArgumentRole::kLocalRank)) {
    return decide(StartStyle::kLocalRank, option->place,
                  Say("takes its rank as {}", "以 {} 接收 rank", option->name), option->name);
  }
  const auto* init = facts.First(Kind::kInitProcessGroup);
  for (const Facts::Fact& fact : facts.all) {
    if (spawn == nullptr && fact.fact->kind == Kind::kStartsProcess && JoinsGroup(*fact.fact)) {
      spawn = &fact;
    }
  }
  if (spawn != nullptr) {
    std::string option;
    for (EntryArgument& argument : entry.arguments) {
      const auto& read = spawn->fact->conditions;
      if (std::find(read.begin(), read.end(), argument.dest) == read.end()) continue;
      if (argument.role == ArgumentRole::kOther) argument.role = ArgumentRole::kMultiprocessing;
      if (option.empty()) option = argument.name;
    }
    return decide(StartStyle::kSpawns, spawn->place,
                  option.empty() ? Say("starts its processes itself", "自行启动各进程")
                                 : Say("starts its processes itself, with {}",
                                       "自行启动各进程, 由 {} 开启", option),
                  option);
  }
  if (entry.start == StartStyle::kSpawns) return;
  if (const auto* fact = reads("")) {
    return decide(StartStyle::kEnvironment, fact->place,
                  Say("reads {} from the environment", "从环境变量读取 {}", fact->fact->text));
  }
  if (const auto* fact = facts.First(Kind::kReadsScheduler)) {
    return decide(StartStyle::kMpi, fact->place,
                  Say("reads {}, which srun or mpirun sets", "读取由 srun 或 mpirun 设置的 {}",
                      fact->fact->text));
  }
  if (init != nullptr) {
    const EntryArgument* rank = FindRole(entry, ArgumentRole::kRank);
    if (rank != nullptr) {
      return decide(StartStyle::kDevice, rank->place,
                    Say("takes its rank as {}", "以 {} 接收 rank", rank->name), rank->name);
    }
    return decide(StartStyle::kEnvironment, init->place,
                  Say("joins the process group that the environment describes",
                      "加入环境变量所描述的进程组"));
  }
  if (optional != nullptr) return of_library(*optional);
  if (const EntryArgument* device = FindRole(entry, ArgumentRole::kDevice)) {
    entry.start_option = device->name;
    AddEvidence(entry, device->place, Say("{} names the device", "{} 指定设备", device->name));
  }
}

/// Python looks for modules in the folder of the script (with -m: in the working folder).
void EntryProgram::FindPythonPath(const ProgramGraph::Program& program, const Facts& facts,
                                  EntryPoint& entry) const {
  std::string own = FolderOf(entry.path);
  if (!entry.module.empty()) {
    std::string path = entry.module;
    std::replace(path.begin(), path.end(), '.', '/');
    const size_t at = entry.path.find(path);
    own = at == std::string::npos || at == 0 ? "" : entry.path.substr(0, at - 1);
  }
  const bool sees_to_it =
      std::any_of(facts.all.begin(), facts.all.end(), [&](const Facts::Fact& fact) {
        return fact.fact->kind == Kind::kAddsToPath &&
               graph_.FileOf(program.units[fact.reached].unit) == entry.path;
      });
  for (const ProgramGraph::Reached& reached : program.units) {
    for (const Origin& module : graph_.UnitAt(reached.unit).modules) {
      if (module.name.empty()) continue;
      const std::string found = index_.FileOfModule(entry.path, module.name);
      std::string as_path = module.name;
      std::replace(as_path.begin(), as_path.end(), '.', '/');
      const size_t at = found.rfind(as_path);
      if (found.empty() || at == std::string::npos) continue;
      const std::string folder = at == 0 ? "" : found.substr(0, at - 1);
      auto& paths = entry.python_path;
      const bool is_new = std::find(paths.begin(), paths.end(), folder) == paths.end();
      if (folder == own || !is_new) continue;
      if (sees_to_it) continue;
      paths.push_back(folder);
      AddEvidence(entry,
                  fmt::format("{}:{}", OneLine(graph_.FileOf(reached.unit)),
                              graph_.UnitAt(reached.unit).line),
                  Say("imports {}, which lies in {}: PYTHONPATH must hold that folder, or the "
                      "project be installed",
                      "导入 {}, 其位于 {}: 须加入 PYTHONPATH 或安装该项目", module.name,
                      folder.empty() ? "the root" : folder));
    }
  }
}

}  // namespace transplt
