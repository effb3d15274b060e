// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/entry_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "transplt/base/cancelled.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/frontends/code_blocks.h"
#include "transplt/frontends/file_type.h"
#include "transplt/frontends/shell_command.h"
#include "transplt/frontends/shell_runs.h"
#include "transplt/programs/program_code.h"

namespace transplt {
namespace {

constexpr uint64_t kMaxBytes = 2U << 20U;  // what is longer was not written by hand

/// "a/../b/./c" below "x" is "x/b/c"; "" where it leads out of the project.
std::string InFolder(const std::string& folder, std::string_view path) {
  std::vector<std::string_view> parts;
  const std::string all = folder + "/" + std::string(path);
  for (size_t start = 0; start < all.size();) {
    const size_t end = std::min(all.find('/', start), all.size());
    const std::string_view part = std::string_view(all).substr(start, end - start);
    start = end + 1;
    if (part == "..") {
      if (parts.empty()) return "";
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return fmt::format("{}", fmt::join(parts, "/"));
}

/// True for what runs the script that is its next word.
bool RunsScript(std::string_view program) {
  return IsShell(program) || program == "source" || program == ".";
}

bool IsScriptName(std::string_view word) { return FileTypeOf(word) == FileType::kShell; }

bool IsReadme(std::string_view name) {
  return name.starts_with("README") || name.starts_with("readme") || name.starts_with("Readme");
}

bool IsDocument(std::string_view path) {
  const std::string_view name = NameOfFile(path);
  return FileTypeOf(path) == FileType::kMarkdown || path.ends_with(".rst") || IsReadme(name);
}

/// `$1`, `${2}`, `$@` and `${@:3}` of a script, as a command that runs it fills them in.
void FillPositional(std::vector<std::string>& words, const std::vector<std::string>& given) {
  std::vector<std::string> filled;
  for (const std::string& word : words) {
    std::string name = word;
    std::erase_if(name, [](char c) { return c == '$' || c == '{' || c == '}' || c == '"'; });
    if (!word.starts_with('$') || name.empty()) {
      filled.push_back(word);
    } else if (name.size() == 1 && name[0] >= '1' && name[0] <= '9') {
      const auto at = static_cast<size_t>(name[0] - '1');
      filled.push_back(at < given.size() ? given[at] : word);
    } else if (name == "@" || name == "*" || name.starts_with("@:")) {
      const auto from = name.size() > 2 && name[2] >= '1' && name[2] <= '9'
                            ? static_cast<size_t>(name[2] - '1')
                            : size_t{0};
      for (size_t at = from; at < given.size(); ++at) filled.push_back(given[at]);
    } else {
      filled.push_back(word);
    }
  }
  words = std::move(filled);
}

class CommandFinder {
 public:
  CommandFinder(const ProgramSources& sources, const ProgramCode& code, const TrainingApis& apis,
                const std::vector<ConsoleScript>& scripts)
      : sources_(sources), apis_(apis), paths_(code.paths.begin(), code.paths.end()) {
    for (const ConsoleScript& script : scripts) scripts_.emplace(script.name, &script);
  }

  std::vector<EntryCommand> Run() {
    std::vector<const ProjectEntry*> documents;
    for (const ProjectEntry& entry : sources_.files.entries) {
      if (entry.kind != ProjectEntry::Kind::kOther || entry.size > kMaxBytes) continue;
      if (IsCancelled(sources_.index.cancelled())) return {};
      const bool is_shell = FileTypeOf(entry.path) == FileType::kShell;
      if (is_shell) shell_paths_.insert(entry.path);
      if (is_shell || IsMakefile(entry.path)) ReadScript(entry, is_shell);
      if (IsDocument(entry.path)) documents.push_back(&entry);
    }
    for (const ProjectEntry* document : documents) {
      if (IsCancelled(sources_.index.cancelled())) return {};
      ReadDocument(*document);
    }
    for (const auto& [path, commands] : of_scripts_) {
      commands_.insert(commands_.end(), commands.begin(), commands.end());
    }
    std::ranges::stable_sort(commands_, [](const EntryCommand& a, const EntryCommand& b) {
      return std::tuple(a.source, !a.is_exact) < std::tuple(b.source, !b.is_exact);
    });
    return std::move(commands_);
  }

 private:
  struct Target {
    std::string file;
    std::string folder;
    bool is_exact = true;
  };

  Result<std::string> Read(const ProjectEntry& entry) const {
    return ReadProjectFile(sources_.files, entry);
  }

  void ReadScript(const ProjectEntry& entry, bool is_shell) {
    Result<std::string> bytes = Read(entry);
    if (!bytes) return;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (!source) return;
    for (const ShellRun& run : is_shell ? RunsIn(*source) : RunsInMakefile(*source)) {
      if (IsCancelled(sources_.index.cancelled())) return;
      if (auto command = CommandOf(run, entry.path)) {
        command->place = fmt::format("{}:{}", OneLine(entry.path), run.line);
        of_scripts_[entry.path].push_back(*std::move(command));
      }
    }
  }

  static EntryCommand::Source SourceOf(const std::string& path, bool in_sentence) {
    if (!IsReadme(NameOfFile(path))) return EntryCommand::Source::kDocument;
    if (!FolderOf(path).empty()) return EntryCommand::Source::kReadme;
    return in_sentence ? EntryCommand::Source::kSentence : EntryCommand::Source::kMainReadme;
  }

  void ReadDocument(const ProjectEntry& entry) {
    const Result<std::string> document = Read(entry);
    if (!document) return;
    ShellVariables variables;
    for (const CodeBlock& block : CodeBlocksOf(*document)) {
      std::vector<ShellRun> runs = RunsInExample(CommandsIn(block), variables);
      const bool is_alone = runs.size() == 1 && !block.in_sentence;
      for (ShellRun& run : runs) {
        run.line += block.line - 1;
        if (is_alone && AddScriptAlone(run, entry.path)) continue;
        // `tools/train.py` in a sentence is the name of a file.
        if (block.in_sentence && run.words.size() < 2) continue;
        AddOfDocument(run, entry.path, block.in_sentence);
      }
    }
  }

  /// `test.py data` as all of an example: who wrote it left out the `python` in front. True if it
  /// is one of the project.
  bool AddScriptAlone(const ShellRun& run, const std::string& path) {
    const std::string& word = run.words[run.program];
    if (!word.ends_with(".py") || HasPart(word, '/')) return false;
    EntryCommand command;
    command.words = run.words;
    command.words.insert(command.words.begin() + static_cast<std::ptrdiff_t>(run.program),
                         "python");
    command.environment = run.environment;
    const std::optional<Target> target = FindFile(run, word, path, paths_);
    if (!target) return false;
    command.file = target->file;
    command.folder = target->folder;
    command.is_exact = target->is_exact;
    command.source = SourceOf(path, false);
    command.place = fmt::format("{}:{}", OneLine(path), run.line);
    commands_.push_back(WithArguments(std::move(command), run.program + 2));
    return true;
  }

  void AddOfDocument(const ShellRun& run, const std::string& path, bool in_sentence) {
    const std::string place = fmt::format("{}:{}", OneLine(path), run.line);
    if (auto command = CommandOf(run, path)) {
      command->source = SourceOf(path, in_sentence);
      command->place = place;
      commands_.push_back(*std::move(command));
      return;
    }
    size_t at = run.program;
    // "train.sh" alone is a name in a text, and no command.
    if (!RunsScript(run.words[at]) && !HasPart(run.words[at], '/')) return;
    if (RunsScript(run.words[at])) ++at;
    while (at < run.words.size() && run.words[at].starts_with('-')) ++at;
    if (at >= run.words.size() || !IsScriptName(run.words[at])) return;
    const std::optional<Target> script = FindFile(run, run.words[at], path, shell_paths_);
    if (!script || !of_scripts_.contains(script->file)) return;
    const std::vector<std::string> given(run.words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                         run.words.end());
    for (EntryCommand command : of_scripts_[script->file]) {
      command.source = SourceOf(path, in_sentence);
      command.place = fmt::format("{} ({})", place, command.place);
      FillPositional(command.words, given);
      FillPositional(command.arguments, given);
      commands_.push_back(std::move(command));
    }
  }

  std::optional<EntryCommand> CommandOf(const ShellRun& run, const std::string& from) const {
    const std::string program(NameOfFile(run.words[run.program]));
    EntryCommand command;
    command.words = run.words;
    command.environment = run.environment;
    if (const auto found = scripts_.find(program); found != scripts_.end()) {
      command.file = found->second->file;
      command.script = program;
      return WithArguments(std::move(command), run.program + 1);
    }
    const bool is_python = IsPython(program) || HasPart(program, "PYTHON");
    // "train.py" alone is found by no shell; "./train.py" is.
    if (program.ends_with(".py") && program != run.words[run.program]) {
      return CommandAt(run, run.program, from, std::move(command));
    }
    if (!is_python && !apis_.RunsPython(program)) return std::nullopt;
    command.has_launcher = apis_.StartsProcesses(program);
    for (size_t at = run.program + 1; at < run.words.size(); ++at) {
      const std::string& word = run.words[at];
      if (word == "-c") return std::nullopt;
      if ((word == "-m" || word == "--module") && at + 1 < run.words.size()) {
        if (SetModule(run, run.words[++at], from, command)) {
          return WithArguments(std::move(command), at + 1);
        }
        command.has_launcher = command.has_launcher || apis_.StartsProcesses(run.words[at]);
      } else if (word.ends_with(".py")) {
        return CommandAt(run, at, from, std::move(command));
      }
    }
    return std::nullopt;
  }

  static EntryCommand WithArguments(EntryCommand command, size_t first) {
    command.arguments.assign(command.words.begin() + static_cast<std::ptrdiff_t>(first),
                             command.words.end());
    return command;
  }

  std::optional<EntryCommand> CommandAt(const ShellRun& run, size_t at, const std::string& from,
                                        EntryCommand command) const {
    const std::optional<Target> target = FindFile(run, run.words[at], from, paths_);
    if (!target) return std::nullopt;
    command.file = target->file;
    command.folder = target->folder;
    command.is_exact = target->is_exact;
    return WithArguments(std::move(command), at + 1);
  }

  /// False for modules of others: `-m torch.distributed.launch`.
  bool SetModule(const ShellRun& run, const std::string& module, const std::string& from,
                 EntryCommand& command) const {
    for (const std::string& folder : FoldersOf(run, from)) {
      const std::string start = folder.empty() ? "x.py" : folder + "/x.py";
      std::string file = sources_.index.FileOfModule(start, module);
      if (file.empty()) continue;
      if (NameOfFile(file) == "__init__.py")
        file = InFolder(std::string(FolderOf(file)), "__main__.py");
      if (!paths_.contains(file)) continue;
      command.file = file;
      command.module = module;
      command.folder = folder;
      return true;
    }
    return false;
  }

  /// Where a command may be given: where its `cd` leads to, from the root or from the folder that
  /// holds what it stands in.
  std::vector<std::string> FoldersOf(const ShellRun& run, const std::string& from) const {
    std::vector<std::string> folders = {InFolder(std::string(FolderOf(from)), run.folder),
                                        run.folder, std::string(FolderOf(from)), ""};
    // `cd project` behind `git clone` is the root.
    if (const size_t slash = run.folder.find('/'); slash != std::string::npos) {
      folders.insert(folders.begin() + 2, run.folder.substr(slash + 1));
    }
    std::erase_if(folders, [&](const std::string& folder) {
      const auto inside = paths_.lower_bound(folder + "/");
      return !folder.empty() && (inside == paths_.end() || !inside->starts_with(folder + "/"));
    });
    return folders;
  }

  std::optional<Target> FindFile(const ShellRun& run, std::string word, const std::string& from,
                                 const std::set<std::string>& paths) const {
    // What the shell puts in front ("$(dirname "$0")/train.py") is not known.
    const size_t expanded = word.find_last_of("$})`");
    if (expanded != std::string::npos) {
      const size_t slash = word.find('/', expanded);
      if (slash == std::string::npos) return std::nullopt;
      word.erase(0, slash + 1);
    }
    if (!word.starts_with('/') && !word.starts_with('~')) {
      for (const std::string& folder : FoldersOf(run, from)) {
        const std::string path = InFolder(folder, word);
        if (paths.contains(path)) return Target{path, expanded == word.npos ? folder : "", true};
      }
    }
    return FindBySuffix(word, paths);
  }

  /// The one file whose path ends like the word, of which the front may be a folder of the author.
  static std::optional<Target> FindBySuffix(const std::string& word,
                                            const std::set<std::string>& paths) {
    for (size_t start = 0; start < word.size();) {
      const std::string suffix = word.substr(start);
      std::vector<std::string> found;
      for (const std::string& path : paths) {
        if (path == suffix || path.ends_with("/" + suffix)) found.push_back(path);
      }
      if (found.size() == 1) {
        const std::string folder = found[0].substr(0, found[0].size() - suffix.size());
        return Target{found[0], folder.empty() ? "" : folder.substr(0, folder.size() - 1), false};
      }
      if (found.size() > 1) return std::nullopt;
      const size_t slash = word.find('/', start);
      if (slash == std::string::npos) break;
      start = slash + 1;
    }
    return std::nullopt;
  }

  const ProgramSources& sources_;
  const TrainingApis& apis_;
  std::map<std::string, const ConsoleScript*> scripts_;
  std::set<std::string> paths_;
  std::set<std::string> shell_paths_;
  std::map<std::string, std::vector<EntryCommand>> of_scripts_;
  std::vector<EntryCommand> commands_;
};

}  // namespace

std::vector<EntryCommand> FindEntryCommands(const ProgramSources& sources, const ProgramCode& code,
                                            const TrainingApis& apis,
                                            const std::vector<ConsoleScript>& scripts) {
  return CommandFinder(sources, code, apis, scripts).Run();
}

}  // namespace transplt
