// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/launch_facts.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>

#include "generators/generator_kind.h"
#include "transplt/analysis/analyzed_project.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/commands/launch_arguments.h"
#include "transplt/programs/entry_points.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

std::string GivenValue(const GivenOptions& given, const std::string& option) {
  const auto found = given.find(option);
  return found == given.end() || found->second.empty() ? "" : found->second.front();
}

/// The names under which a user may give a program: "train.py" in the folder where it runs,
/// "tools/train.py" in the project.
bool IsNamed(const EntryPoint& entry, const std::string& script, const std::string& module) {
  if (!module.empty()) return entry.module == module;
  const fs::path path = fs::path(script).lexically_normal();
  return path == fs::path(entry.path) || fs::path(entry.working_folder) / path == entry.path;
}

std::string ListOfPrograms(const EntryPoints& found) {
  std::vector<std::string> names;
  for (const EntryPoint& entry : found.candidates) {
    if (entry.trains) names.push_back(entry.path);
  }
  if (names.empty()) {
    for (const EntryPoint& entry : found.candidates) names.push_back(entry.path);
  }
  constexpr size_t kShown = 10;
  const std::span<const std::string> shown(names.data(), std::min(names.size(), kShown));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShown ? " ..." : "");
}

/// The program that the user names, else the one that the project shows to be its training.
Result<const EntryPoint*> ChooseEntry(const EntryPoints& found, const GivenOptions& given) {
  const std::string script = GivenValue(given, "entry");
  const std::string module = GivenValue(given, "module");
  if (script.empty() && module.empty()) {
    if (found.chosen) return &found.candidates[*found.chosen];
    if (found.candidates.empty()) {
      return Error{Error::Code::kUsage,
                   "--entry",
                   {"must be given: " + found.why.en, "必须给出：" + found.why.zh}};
    }
    return Error{
        Error::Code::kUsage,
        "--entry",
        {fmt::format("must be given: {}; the programs are {}", found.why.en, ListOfPrograms(found)),
         fmt::format("必须给出：{}；程序有 {}", found.why.zh, ListOfPrograms(found))}};
  }
  for (const EntryPoint& entry : found.candidates) {
    if (IsNamed(entry, script, module)) return &entry;
  }
  return Error{Error::Code::kUsage, module.empty() ? "--entry" : "--module",
               Say("names {}, which is no program of the project; those are {}",
                   "指定了 {}，但它不是该项目的程序；可用的有 {}", module.empty() ? script : module,
                   ListOfPrograms(found))};
}

class LaunchFactsReader {
 public:
  LaunchFactsReader(const EntryPoint& entry, Framework framework, std::string project,
                    const std::string& script_folder)
      : entry_(entry),
        framework_(entry.framework.value_or(framework)),
        project_(std::move(project)),
        script_folder_(script_folder) {}

  Result<LaunchFacts> Read(const GivenOptions& given) {
    Set("framework", std::string(NameOf(framework_)));
    if (const auto done = AddStart(given); !done) return done.error();
    if (given.find("arguments") == given.end()) {
      if (const auto done = AddArguments(); !done) return done.error();
    }
    AddProgram(given);
    AddFolders();
    AddCards(given);
    return std::move(facts_);
  }

 private:
  void Set(const std::string& fact, std::string value) { facts_.values[fact] = {std::move(value)}; }

  void Note(Text text) { facts_.notes.push_back(std::move(text)); }

  Result<Done> AddStart(const GivenOptions& given) {
    StartStyle start = entry_.start;
    switch (start) {
      case StartStyle::kHorovod:
        if (given.contains("start")) break;
        return Error{Error::Code::kUsage, "--start",
                     Say("must be given: {} gets its ranks from Horovod, which PyTorch has no "
                         "counterpart of on NPUs; change it to torch.distributed first",
                         "必须给出：{} 由 Horovod 分配 rank，而 NPU 上的 PyTorch "
                         "没有对应实现；请先改为 torch.distributed",
                         entry_.path)};
      case StartStyle::kMpi:
        Set("launcher", "mpirun");
        start = StartStyle::kEnvironment;
        break;
      case StartStyle::kLightning:
        Note(
            Say("Lightning takes its ranks from the launcher: give its Trainer as many devices "
                "as there are cards",
                "Lightning 由启动脚本提供 rank：请使 Trainer 的 devices 与卡数一致"));
        start = StartStyle::kEnvironment;
        break;
      case StartStyle::kAccelerate:
      case StartStyle::kDeepspeed:
        Note(
            Say("{} takes its ranks from the launcher; what its own launcher would read from a "
                "configuration has to be given as arguments",
                "{} 由启动脚本提供 rank；其自身启动器从配置中读取的内容须以参数给出",
                NameOf(entry_.start)));
        start = StartStyle::kEnvironment;
        break;
      default:
        break;
    }
    if (framework_ == Framework::kMindspore && start != StartStyle::kSingle) {
      Set("launcher", "msrun");
    }
    Set("start", std::string(TakesRank() ? "rank-argument" : NameOf(start)));
    const bool has_option = start == StartStyle::kLocalRank || start == StartStyle::kDevice;
    if (has_option && !entry_.start_option.empty()) Set("rank_option", entry_.start_option);
    return Done();
  }

  /// True if the option that tells processes apart is the rank of init_process_group.
  bool TakesRank() const {
    return entry_.start == StartStyle::kDevice &&
           std::any_of(entry_.arguments.begin(), entry_.arguments.end(),
                       [&](const EntryArgument& argument) {
                         return argument.role == ArgumentRole::kRank &&
                                argument.name == entry_.start_option;
                       });
  }

  Result<Done> AddArguments() {
    const LaunchArguments arguments = ArgumentsOf(entry_);
    if (!arguments.missing.empty()) {
      const std::string missing = fmt::format("{}", fmt::join(arguments.missing, ", "));
      const std::string example = fmt::format("{}", fmt::join(entry_.example_arguments, " "));
      return Error{
          Error::Code::kUsage, "--arguments",
          Say("must be given: {} wants {}, and the project shows no value; write all arguments, "
              "for example \"{}\"",
              "必须给出：{} 需要 {}，而项目中没有其取值；请写出全部参数，如 \"{}\"", entry_.path,
              missing, example)};
    }
    Set("arguments", arguments.words);
    if (!arguments.left_out.empty()) {
      const std::string left_out = fmt::format("{}", fmt::join(arguments.left_out, ", "));
      Note(Say(
          "of the command in {} these arguments are left out, because their values stand for "
          "yours: {}; give them with --arguments, or to the script after --",
          "未采用 {} 中命令的以下参数，其取值为占位符：{}；请用 --arguments 给出，或在脚本的 -- "
          "之后给出",
          entry_.example_place, left_out));
    }
    if (entry_.has_unlisted_options) {
      Note(Say("{} takes options that its code does not list: see whether it needs others",
               "{} 接受代码中未列出的参数：请确认是否还需要其他参数", entry_.path));
    }
    return Done();
  }

  void AddProgram(const GivenOptions& given) {
    if (!entry_.module.empty() && !given.contains("entry")) {
      Set("module", entry_.module);
    } else {
      const fs::path folder(entry_.working_folder.empty() ? "." : entry_.working_folder);
      Set("entry", fs::path(entry_.path).lexically_relative(folder).string());
    }
  }

  void AddFolders() {
    const fs::path root = fs::absolute(project_).lexically_normal();
    const fs::path working = (root / entry_.working_folder / "").lexically_normal();
    const fs::path from =
        script_folder_.empty() ? root : fs::absolute(script_folder_).lexically_normal();
    // The script of a copy of the project stays right wherever the copy goes.
    const fs::path relative = working.lexically_relative(from / "").lexically_normal();
    const bool is_inside = !root.lexically_relative(from).empty() &&
                           (from == root || *from.lexically_relative(root).begin() != "..");
    std::string folder = (is_inside ? relative : working).string();
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    Set("working_folder", folder.empty() ? "." : folder);
    if (script_folder_.empty()) {
      Note(Say("put the script into the folder {}", "请将脚本放入目录 {}", project_));
    }
    std::vector<std::string>& paths = facts_.values["python_path"];
    for (const std::string& path : entry_.python_path) {
      const fs::path place = (root / path / "").lexically_normal().lexically_relative(working);
      std::string text = place.string();
      while (text.size() > 1 && text.ends_with('/')) text.pop_back();
      paths.push_back(text.empty() ? "." : text);
    }
    if (paths.empty()) facts_.values.erase("python_path");
  }

  /// The cards and the port of the example. One card is what a small example takes, not what the
  /// user of a launcher is after.
  void AddCards(const GivenOptions& given) {
    constexpr int kLeastPort = 1024;
    constexpr int kMostPort = 65535;
    const int port = LauncherNumber(Words("launcher-port-options"));
    if (port >= kLeastPort && port <= kMostPort) Set("port", std::to_string(port));
    const bool is_single =
        facts_.values["start"] == std::vector{std::string(NameOf(StartStyle::kSingle))};
    if (is_single || given.contains("npus") || given.contains("devices")) return;
    const std::string devices = VisibleDevices();
    const int npus = LauncherNumber(Words("launcher-card-options"));
    if (devices.find(',') != std::string::npos) {
      Set("devices", devices);
    } else if (npus > 1) {
      Set("npus", std::to_string(npus));
    }
  }

  /// The words of the example in front of what the program gets.
  std::span<const std::string> LauncherWords() const {
    return std::span(entry_.example).first(entry_.example.size() - entry_.example_arguments.size());
  }

  /// The number that the example gives to one of the options, as `--option=4` or `--option 4`; or
  /// 0.
  int LauncherNumber(const WordList& options) const {
    const std::span<const std::string> words = LauncherWords();
    for (size_t i = 0; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      if (!options.Has(std::string_view(words[i]).substr(0, equals))) continue;
      const bool is_next = equals == std::string::npos && i + 1 < words.size();
      const std::string value = is_next ? words[i + 1] : words[i].substr(equals + 1);
      int number = 0;
      const char* const end = value.data() + value.size();
      const auto [stop, error] = std::from_chars(value.data(), end, number);
      if (error == std::errc() && stop == end) return number;
    }
    return 0;
  }

  /// "0,1,2,3" of `CUDA_VISIBLE_DEVICES=0,1,2,3 python ...`; or "".
  std::string VisibleDevices() const {
    for (const auto& [name, value] : entry_.example_environment) {
      // "0," is one card, and no list that a launcher takes.
      const bool is_list = !value.empty() && value.find_first_not_of("0123456789,") == value.npos &&
                           value.front() != ',' && value.back() != ',' && !HasPart(value, ",,");
      if (is_list && Words("visible-device-variables").Has(name)) return value;
    }
    return "";
  }

  const EntryPoint& entry_;
  Framework framework_;
  const std::string project_;
  const std::string& script_folder_;
  LaunchFacts facts_;
};

}  // namespace

Result<LaunchFacts> ReadLaunchFacts(const std::string& project, const GivenOptions& given,
                                    const std::string& script_folder) {
  AnalysisOptions options;
  options.input = project;
  const auto opened = AnalyzedProject::Open(options);
  if (!opened) return opened.error();
  const Result<EntryPoints> found = FindEntryPoints((*opened)->programs());
  if (!found) return found.error();
  const Result<const EntryPoint*> entry = ChooseEntry(*found, given);
  if (!entry) return entry.error();
  // A script alone is a project of its folder.
  std::error_code error;
  const std::string folder =
      fs::is_directory(project, error) ? project : fs::path(project).parent_path().string();
  return LaunchFactsReader(**entry, found->framework, folder.empty() ? "." : folder, script_folder)
      .Read(given);
}

Result<std::string> LauncherOf(const std::string& folder, const std::string& main) {
  GivenOptions given = {{"entry", {main}}, {"start", {"environment"}}};
  Result<LaunchFacts> facts = ReadLaunchFacts(folder, given, folder);
  if (!facts) {  // a person has to give what is missing: behind `--` of the script
    given["arguments"] = {""};
    facts = ReadLaunchFacts(folder, given, folder);
  }
  if (!facts) return facts.error();
  const GeneratorKind& kind = *FindGeneratorKind("launch");
  const Result<ConfigSchema> schema = ConfigSchema::Parse(kind.schema());
  if (!schema) return schema.error();
  for (const auto& [option, fact] : schema->OptionsFromProject()) {
    const auto found = facts->values.find(fact);
    if (found != facts->values.end()) given[option] = found->second;
  }
  // Sets of texts are to be in the same order in all processes.
  given["env"].push_back("PYTHONHASHSEED=0");
  const Result<Generated> generated = Generate(kind, given);
  if (!generated) return generated.error();
  if (!generated->mistakes.empty()) return generated->mistakes.front();
  return generated->files.front().text;
}

}  // namespace transplt
