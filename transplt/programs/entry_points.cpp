// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/entry_points.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <tuple>

#include "transplt/base/cancelled.h"
#include "transplt/base/one_of.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/test_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/frontends/file_type.h"
#include "transplt/programs/entry_program.h"
#include "transplt/programs/program_facts.h"
#include "transplt/python/opened_files.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Source = EntryCommand::Source;

/// A program that may become a candidate.
struct Draft {
  EntryPoint entry;
  std::vector<size_t> roots;
  std::vector<const EntryCommand*> commands;  ///< that start it
  bool is_guarded = false;                    ///< has a main block, or is one as a whole
};

class EntryFinder {
 public:
  EntryFinder(const ProgramSources& sources, const ProgramCode& code, const ProgramGraph& graph,
              const TrainingApis& apis)
      : sources_(sources),
        paths_(code.paths),
        files_(code.files),
        graph_(graph),
        imported_(ImportedFiles(code)),
        scripts_(code.scripts),
        commands_(code.commands),
        program_(sources.index, sources.files, graph_, apis) {}

  EntryPoints Run() {
    std::vector<std::optional<Draft>> of_files(paths_.size());
    InParallel(paths_.size(), [&](size_t i) { of_files[i] = DraftOf(i); });
    for (std::optional<Draft>& draft : of_files) {
      if (draft) drafts_.push_back(*std::move(draft));
    }
    for (const ConsoleScript& script : scripts_) AddScript(script);
    InParallel(drafts_.size(), [&](size_t i) { Describe(drafts_[i]); });
    DemoteInputs();
    std::erase_if(drafts_, [](const Draft& draft) {
      return !draft.is_guarded && draft.commands.empty() && !draft.entry.trains;
    });
    std::ranges::stable_sort(drafts_, IsBetter);
    EntryPoints found;
    Choose(found);
    for (Draft& draft : drafts_) {
      for (const size_t root : draft.roots) {
        draft.entry.roots.push_back({graph_.FileOf(root), graph_.UnitAt(root).name});
      }
      found.candidates.push_back(std::move(draft.entry));
    }
    for (const EntryPoint& entry : found.candidates) {
      if (!entry.trains || !entry.framework) continue;
      found.framework = *entry.framework;
      break;
    }
    for (const ProjectEntry& entry : sources_.files.entries) {
      if (FileTypeOf(entry.path) == FileType::kNotebook) found.notebooks.push_back(entry.path);
    }
    return found;
  }

 private:
  void InParallel(size_t count, const std::function<void(size_t)>& act) const {
    tbb::task_arena arena(sources_.jobs > 0 ? sources_.jobs : tbb::task_arena::automatic);
    arena.execute([&] {
      tbb::parallel_for(size_t{0}, count, [&](size_t i) {
        if (!IsCancelled(sources_.index.cancelled())) act(i);
      });
    });
  }

  bool IsNoProgram(const FileUnits& file) const {
    const auto is_other = [](const CodeFact& fact) {
      return fact.api != nullptr && (fact.api->kind == TrainingApi::Kind::kSetup ||
                                     fact.api->kind == TrainingApi::Kind::kTest);
    };
    return file.has_tests || std::ranges::any_of(file.units, [&](const CodeUnit& unit) {
             return std::ranges::any_of(unit.facts, is_other);
           });
  }

  /// The program that the file is, if it is one.
  std::optional<Draft> DraftOf(size_t i) const {
    const FileUnits& file = files_[i];
    if (file.units.empty() || IsNoProgram(file)) return std::nullopt;
    // "{{name}}/train.py": a template, of which a program is made.
    if (HasPart(paths_[i], "{{")) return std::nullopt;
    // Python runs the __init__.py of a package where somebody imports it.
    if (file.main_line == 0 && ProjectIndex::IsPackage(paths_[i])) return std::nullopt;
    Draft draft;
    draft.entry.path = paths_[i];
    draft.roots.push_back(graph_.Find(paths_[i], ""));
    const bool is_package = NameOfFile(paths_[i]) == "__main__.py";
    draft.is_guarded = file.main_line > 0 || is_package;
    if (file.main_line > 0) {
      draft.roots.push_back(graph_.Find(paths_[i], kMainBlock));
      draft.entry.evidence.push_back({fmt::format("{}:{}", OneLine(paths_[i]), file.main_line),
                                      Say("has a main block", "有 __main__ 入口块")});
    }
    for (const EntryCommand& command : commands_) {
      if (command.file == paths_[i] && command.script.empty()) draft.commands.push_back(&command);
    }
    draft.entry.is_launched = std::ranges::any_of(draft.commands, &EntryCommand::has_launcher);
    // The code of a module that has no main block is a program only where it does something.
    const bool is_script = !draft.is_guarded && !draft.commands.empty() && !file.only_defines;
    if (!draft.is_guarded && !is_script) {
      const ProgramGraph::Program at_top = graph_.ReachFrom(draft.roots, false);
      if (!Trains(at_top, paths_[i]) && !Infers(at_top, draft)) return std::nullopt;
    }
    if (is_package || NeedsModule(file)) SetModule(paths_[i], draft.entry);
    return draft;
  }

  bool Trains(const ProgramGraph::Program& program, const std::string& path) const {
    EntryPoint entry;
    entry.path = path;
    program_.Describe(program, entry);
    return entry.trains;
  }

  /// True if the module uses a model as soon as it runs, which `program` is, and no file imports
  /// it.
  bool Infers(const ProgramGraph::Program& program, Draft& draft) const {
    if (imported_.contains(draft.entry.path)) return false;
    for (const ProgramFacts::Fact& fact : ProgramFacts(graph_, program).all) {
      const bool infers = fact.fact->kind == CodeFact::Kind::kApi && !fact.is_guessed &&
                          fact.fact->api->kind == TrainingApi::Kind::kInference;
      if (!infers) continue;
      draft.is_guarded = true;
      draft.entry.evidence.push_back(
          {fact.place, Say("uses a model, and no file imports it: {}",
                           "使用模型, 且未被其他文件导入: {}", fact.fact->text)});
      return true;
    }
    return false;
  }

  static std::set<std::string> ImportedFiles(const ProgramCode& code) {
    std::set<std::string> imported;
    for (const FileUnits& file : code.files) {
      for (const CodeUnit& unit : file.units) {
        for (const FileImport& import : unit.imports) {
          if (!import.runs_main) imported.insert(import.file);
        }
      }
    }
    return imported;
  }

  /// `from .x import y` works in a module of a package only.
  static bool NeedsModule(const FileUnits& file) {
    return std::ranges::any_of(file.units, [](const CodeUnit& unit) {
      return unit.has_relative_import && (unit.name.empty() || unit.name == kMainBlock);
    });
  }

  /// The module below the folder that holds the outermost package.
  void SetModule(const std::string& path, EntryPoint& entry) const {
    std::string top(FolderOf(path));
    const auto is_package = [&](const std::string& folder) {
      return std::binary_search(paths_.begin(), paths_.end(), folder + "/__init__.py");
    };
    while (!top.empty() && is_package(top)) top = std::string(FolderOf(top));
    if (top == FolderOf(path))
      top = std::string(FolderOf(top));  // a folder without __init__.py is one, too
    const std::string below = top.empty() ? path : path.substr(top.size() + 1);
    entry.module = ProjectIndex::ModuleName(below);
    constexpr std::string_view kMain = ".__main__";
    if (entry.module.ends_with(kMain)) entry.module.resize(entry.module.size() - kMain.size());
    entry.working_folder = top;
    entry.evidence.push_back({OneLine(path), Say("is part of a package: python -m {}",
                                                 "是包的一部分: python -m {}", entry.module)});
  }

  /// A script of setup.py whose file is a program already is another way to start that one.
  void AddScript(const ConsoleScript& script) {
    const size_t root = graph_.Find(script.file, script.function);
    if (root == ProgramGraph::kNone) return;
    std::vector<const EntryCommand*> commands;
    for (const EntryCommand& command : commands_) {
      if (command.script == script.name) commands.push_back(&command);
    }
    for (Draft& known : drafts_) {
      if (known.entry.path != script.file || !RunsFunction(known, root)) continue;
      if (known.entry.command.empty()) known.entry.command = script.name;
      known.commands.insert(known.commands.end(), commands.begin(), commands.end());
      std::ranges::stable_sort(known.commands,
                               [](const auto* a, const auto* b) { return a->source < b->source; });
      return;
    }
    Draft draft;
    draft.entry.path = script.file;
    draft.entry.command = script.name;
    draft.roots = {graph_.Find(script.file, ""), root};
    draft.commands = std::move(commands);
    draft.is_guarded = true;
    draft.entry.evidence.push_back({script.place, Say("installing the project makes the command {}",
                                                      "安装该项目后生成命令 {}", script.name)});
    drafts_.push_back(std::move(draft));
  }

  bool RunsFunction(const Draft& draft, size_t root) const {
    const ProgramGraph::Program program = graph_.ReachFrom(draft.roots, false);
    return std::ranges::any_of(
        program.units, [&](const ProgramGraph::Reached& reached) { return reached.unit == root; });
  }

  void Describe(Draft& draft) const {
    EntryPoint& entry = draft.entry;
    const ProgramGraph::Program program = graph_.ReachFrom(draft.roots, true);
    program_.Describe(program, entry);
    std::set<size_t> stopping;  // units that are run outside of such a `try`, too
    if (graph_.HasCaught()) {
      for (const auto& reached : graph_.ReachFrom(draft.roots, true, false).units) {
        stopping.insert(reached.unit);
      }
    }
    for (size_t i = 0; i < program.units.size(); ++i) {
      const ProgramGraph::Reached& reached = program.units[i];
      const bool stops = !graph_.HasCaught() || stopping.contains(reached.unit);
      entry.runs.push_back({static_cast<uint32_t>(reached.unit), reached.guessed, reached.forgiven,
                            reached.settings, stops ? "" : graph_.CaughtOn(program, i)});
    }
    entry.closed = program.closed;
    if (draft.commands.empty()) return;
    const EntryCommand& example = TakeExample(draft.commands, entry);
    if (!example.is_exact) StartWhereFilesLie(entry);
  }

  /// A program that names "./data/x.txt", which lies below the root and not in its own folder, is
  /// started from the root. For commands that name the file alone: `cp tools/train.py .` comes
  /// before them, or nobody says where they are given.
  void StartWhereFilesLie(EntryPoint& entry) const {
    const std::string& folder = entry.working_folder;
    if (!entry.module.empty() || folder.empty() || folder != FolderOf(entry.path)) return;
    const std::shared_ptr<const OpenedFile> file = sources_.index.Open(entry.path);
    if (file == nullptr) return;
    std::string at_root;  // one of the paths
    for (const Node node : NodesIn(file->tree())) {
      const std::string path = RelativePath(node);
      if (path.empty()) continue;
      if (Exists(folder + "/" + path)) return;
      if (at_root.empty() && Exists(path)) at_root = path;
    }
    if (at_root.empty()) return;
    entry.working_folder.clear();
    entry.evidence.push_back(
        {OneLine(entry.path), Say("is started from the root of the project, where {} lies",
                                  "从项目根目录启动, {} 位于该目录", OneLine(at_root))});
  }

  /// "data/x.txt" of the string "./data/x.txt"; "" where `node` is no such string.
  static std::string RelativePath(Node node) {
    const Node content = node.Is(NodeKind::kString) ? PlainStringContent(node) : Node();
    if (!content || !HasPart(content.text(), '/') || content.text().starts_with('/')) return "";
    std::string path = std::filesystem::path(content.text()).lexically_normal().string();
    if (path.ends_with('/')) path.pop_back();
    return path == "." || path.starts_with("..") ? "" : path;
  }

  bool Exists(const std::string& path) const {
    return IsOneOf(path, sources_.files.folders) ||
           std::ranges::any_of(sources_.files.entries,
                               [&](const ProjectEntry& entry) { return entry.path == path; });
  }

  /// True for a command of a document in a folder below `folder`, where the module is found, that
  /// says neither where it is given nor where modules lie: beside the document it would not start.
  static bool IsMeantAbove(std::string_view folder, const EntryCommand& command) {
    const std::string_view document =
        std::string_view(command.place).substr(0, command.place.rfind(':'));
    const bool is_below = !command.folder.empty() &&
                          (folder.empty() || command.folder.starts_with(std::string(folder) + "/"));
    return is_below && command.source != EntryCommand::Source::kScript &&
           command.folder == FolderOf(document) && !command.environment.contains("PYTHONPATH");
  }

  static const EntryCommand& TakeExample(const std::vector<const EntryCommand*>& commands,
                                         EntryPoint& entry) {
    // The first one of the best source that gives all that is required.
    const auto is_better = [&](const EntryCommand* a, const EntryCommand* b) {
      const auto order = [&](const EntryCommand& command) {
        return std::tuple(command.source, !command.is_exact, CountMissing(entry, command),
                          Evaluates(entry, command), NamesRank(entry, command));
      };
      return order(*a) < order(*b);
    };
    const EntryCommand& example = **std::ranges::min_element(commands, is_better);
    entry.example = example.words;
    entry.example_arguments = example.arguments;
    entry.example_environment = example.environment;
    entry.example_place = example.place;
    if (entry.module.empty() && !example.module.empty()) entry.module = example.module;
    if (entry.module.empty() || example.module == entry.module) {
      entry.working_folder = example.folder;
    }
    const std::optional<std::string> folder = FolderOfModule(entry.path, entry.module);
    if (!entry.module.empty() && folder && *folder != entry.working_folder) {
      if (example.module == entry.module && IsMeantAbove(*folder, example)) {
        entry.working_folder = *folder;
      } else if (!IsOneOf(*folder, entry.python_path)) {
        // A module that is started from elsewhere has to be found there.
        entry.python_path.push_back(*folder);
      }
    }
    entry.evidence.push_back(
        {example.place, Say("starts it: {}", "启动方式: {}",
                            OneLine(fmt::format("{}", fmt::join(example.words, " "))))});
    return example;
  }

  static size_t CountMissing(const EntryPoint& entry, const EntryCommand& command) {
    size_t missing = 0;
    for (const EntryArgument& argument : entry.arguments) {
      if (!argument.required || argument.positional) continue;
      if (!Gives(command, argument)) ++missing;
    }
    return missing;
  }

  static bool Gives(const EntryCommand& command, const EntryArgument& argument) {
    const auto gives = [&](const std::string& name) {
      return std::ranges::any_of(command.arguments, [&](const std::string& word) {
        return word == name || word.starts_with(name + "=");
      });
    };
    return gives(argument.name) || std::ranges::any_of(argument.aliases, gives);
  }

  /// True if the command is for one of several servers or processes.
  static bool NamesRank(const EntryPoint& entry, const EntryCommand& command) {
    return std::ranges::any_of(entry.arguments, [&](const EntryArgument& argument) {
      const auto& words = command.arguments;
      return argument.role == ArgumentRole::kRank && IsOneOf(argument.name, words);
    });
  }

  /// True if a flag of the command is called "--eval" or "--test-only": of two examples the other
  /// one shows how to train. The spelling decides last.
  static bool Evaluates(const EntryPoint& entry, const EntryCommand& command) {
    return std::ranges::any_of(
               entry.arguments,
               [&](const EntryArgument& a) {
                 const auto& words = command.arguments;
                 return !a.takes_value &&
                        (a.dest.starts_with("eval") || a.dest.starts_with("test")) &&
                        IsOneOf(a.name, words);
               }) ||
           IsOneOf("--help", command.arguments);
  }

  /// Beside programs that train a model, one that changes an image or a code to fit is none.
  void DemoteInputs() {
    const bool has_model = std::ranges::any_of(drafts_, [](const Draft& draft) {
      return draft.entry.trains && draft.entry.updates_model;
    });
    if (!has_model) return;
    for (Draft& draft : drafts_) {
      if (!draft.entry.trains || draft.entry.updates_model) continue;
      draft.entry.trains = false;
      draft.entry.evidence.push_back(
          {OneLine(draft.entry.path), Say("but its optimizers change single tensors, and no model",
                                          "但其优化器只更新单个张量, 而非模型")});
    }
  }

  static Source SourceOf(const Draft& draft) {
    return draft.commands.empty() ? Source::kScript : draft.commands.front()->source;
  }

  /// The spelling of the file name decides last.
  static bool IsBetter(const Draft& a, const Draft& b) {
    const auto rank = [](const Draft& draft) {
      const bool is_named_train = HasPart(NameOfFile(draft.entry.path), "train");
      const auto depth = std::ranges::count(draft.entry.path, '/');
      const bool is_in_readme = !draft.commands.empty() && SourceOf(draft) <= Source::kSentence;
      return std::tuple(!draft.entry.trains, IsTest(draft.entry), !is_in_readme,
                        draft.commands.empty(), depth, SourceOf(draft), !draft.entry.is_certain,
                        !is_named_train);
    };
    return rank(a) < rank(b);
  }

  /// Index of the only one among the drafts for which `holds` does.
  template <typename Holds>
  std::optional<size_t> Only(Holds holds) const {
    std::optional<size_t> only;
    for (size_t i = 0; i < drafts_.size(); ++i) {
      if (!drafts_[i].entry.trains || !holds(drafts_[i])) continue;
      if (only) return std::nullopt;
      only = i;
    }
    return only;
  }

  void Choose(EntryPoints& found) {
    if ((found.chosen = Only([](const Draft&) { return true; }))) {
      found.why = Say("it is the only program that trains", "只有该程序进行训练");
    } else if ((found.chosen = FirstOfReadme(UsesDevices))) {
      found.why = Say("it is the first training that the README starts on devices",
                      "README 首先在设备上启动的训练程序");
    } else if ((found.chosen = FirstOfReadme([](auto&, auto&) { return true; }))) {
      found.why =
          Say("it is the first training that the README starts", "README 首先启动的训练程序");
    } else if ((found.chosen = Only([](const Draft& draft) { return !draft.commands.empty(); }))) {
      found.why = Say("it is the only training that documents and scripts start",
                      "文档与脚本只启动该训练程序");
    } else if ((found.chosen = Only([](const Draft& draft) { return draft.entry.is_certain; }))) {
      found.why = Say("it is the only program that trains for certain", "只有该程序确定进行训练");
    } else {
      const bool trains =
          std::ranges::any_of(drafts_, [](const Draft& draft) { return draft.entry.trains; });
      found.why = trains ? Say("several programs train, and no document says which one is meant",
                               "有多个训练程序, 且文档未说明应使用哪一个")
                         : Say("no program of the project trains", "项目中没有训练程序");
    }
    // The chosen one comes first.
    if (!found.chosen) return;
    const auto at = drafts_.begin() + static_cast<std::ptrdiff_t>(*found.chosen);
    std::rotate(drafts_.begin(), at, at + 1);
    found.chosen = 0;
  }

  /// True if the command starts several processes, or says on which devices or how many.
  static bool UsesDevices(const EntryPoint& entry, const EntryCommand& command) {
    return command.has_launcher ||
           std::ranges::any_of(entry.arguments, [&](const EntryArgument& argument) {
             const bool is_device = argument.role == ArgumentRole::kDevice ||
                                    argument.role == ArgumentRole::kCardCount ||
                                    argument.role == ArgumentRole::kMultiprocessing;
             return is_device && Gives(command, argument);
           });
  }

  /// The first training that a command of the README for which `holds` starts.
  template <typename Holds>
  std::optional<size_t> FirstOfReadme(Holds holds) const {
    for (const EntryCommand& command : commands_) {
      if (command.source > Source::kSentence) continue;
      for (size_t i = 0; i < drafts_.size(); ++i) {
        const auto& commands = drafts_[i].commands;
        const EntryPoint& entry = drafts_[i].entry;
        if (entry.trains && IsOneOf(&command, commands) && holds(entry, command)) return i;
      }
    }
    return std::nullopt;
  }

  const ProgramSources& sources_;
  const std::vector<std::string>& paths_;
  const std::vector<FileUnits>& files_;
  const ProgramGraph& graph_;
  const std::set<std::string> imported_;  // the files that others import
  const std::vector<ConsoleScript>& scripts_;
  const std::vector<EntryCommand>& commands_;
  const EntryProgram program_;
  std::vector<Draft> drafts_;
};

}  // namespace

EntryPoints FindEntryPoints(const ProgramSources& sources, const ProgramCode& code,
                            const ProgramGraph& graph, const TrainingApis& apis) {
  return EntryFinder(sources, code, graph, apis).Run();
}

bool IsTest(const EntryPoint& entry) {
  return IsTestFile(entry.path) && entry.arguments.empty() && !entry.has_unlisted_options &&
         !entry.takes_overrides && entry.example.empty();
}

Result<EntryPoints> FindEntryPoints(const ProgramSources& sources) {
  const Result<TrainingApis> apis = TrainingApis::Load();
  if (!apis) return apis.error();
  const ProgramCode code = ReadProgramCode(sources, *apis);
  const ProgramGraph graph(code, *apis, sources.index.cancelled());
  return FindEntryPoints(sources, code, graph, *apis);
}

}  // namespace transplt
