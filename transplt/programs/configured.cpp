// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/configured.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/base/source_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/frontends/file_type.h"
#include "transplt/frontends/settings.h"

namespace transplt {
namespace {

constexpr uint64_t kLargestConfiguration = 1 << 20;

/// True for "pkg.net.Net".
bool IsDotted(std::string_view text) {
  const size_t dot = text.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < text.size() &&
         std::ranges::all_of(
             text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

class ConfiguredFinder {
 public:
  ConfiguredFinder(const ProjectIndex& index, const std::vector<std::string>& paths)
      : index_(index), paths_(paths) {}

  /// What is added from here on is named by this configuration.
  void Begin(const std::string& configuration) { configuration_ = configuration; }

  /// True if the name is one of the project, seen from the file `from`.
  bool Add(const std::string& from, std::string_view text) {
    // A package is often named as the project itself, in settings of tools.
    std::string file = index_.FileOfModule(from, text);
    if (!file.empty() && !ProjectIndex::IsPackage(file)) {
      Note({std::move(file), std::string(kAnyMember)});
      return true;
    }
    const size_t dot = text.rfind('.');
    if (AddMember(from, text.substr(0, dot), text.substr(dot + 1), "")) return true;
    // `pkg.net.Net.from_file`
    const std::string_view holder = text.substr(0, dot);
    const size_t outer = holder.rfind('.');
    return outer != std::string_view::npos && outer > 0 &&
           AddMember(from, holder.substr(0, outer), holder.substr(outer + 1), text.substr(dot));
  }

  /// The module that `argument` of a command in `folder` names, and the packages around it.
  void AddModule(const std::string& folder, const std::string& argument) {
    const auto is_there = [&](const std::string& file) {
      return std::ranges::binary_search(paths_, file);
    };
    const std::string path =
        (std::filesystem::path(folder) / argument).lexically_normal().generic_string();
    if (!is_there(path)) return;
    Note({path, ""});
    for (std::string_view around = FolderOf(path); !around.empty(); around = FolderOf(around)) {
      std::string package = std::string(around) + "/__init__.py";
      if (!is_there(package)) return;
      Note({std::move(package), ""});
    }
  }

  /// The modules in `folder` and below.
  void AddFolder(const std::string& folder) {
    const std::string start = folder + "/";
    for (auto path = std::ranges::lower_bound(paths_, start);
         path != paths_.end() && path->starts_with(start); ++path) {
      Note({*path, ""});
    }
  }

  /// What has been found, and the configurations that name it: "" among them where none does.
  const std::map<Origin, std::set<std::string>>& found() const { return found_; }

 private:
  void Note(Origin target) { found_[std::move(target)].insert(configuration_); }

  /// `member`: "" or ".from_file"
  bool AddMember(const std::string& from, std::string_view module, std::string_view name,
                 std::string_view member) {
    const std::string file = index_.FileOfModule(from, module);
    if (file.empty()) return false;
    const auto origins = index_.Find(from, module, name);
    if (!origins || origins->empty()) {
      Note({file, std::string(name) + std::string(member)});
      return true;
    }
    for (const QualifiedName& origin : *origins) {
      const size_t dot = origin.name.rfind('.');
      if (dot == std::string::npos || dot == 0) continue;
      std::string defining = index_.FileOfModule(file, origin.name.substr(0, dot));
      if (defining.empty()) continue;
      Note({std::move(defining), origin.name.substr(dot + 1) + std::string(member)});
    }
    return true;
  }

  const ProjectIndex& index_;
  const std::vector<std::string>& paths_;  // of the code, sorted
  std::string configuration_;
  std::map<Origin, std::set<std::string>> found_;
};

/// The files that make what configurations name.
std::vector<std::string> MakersIn(const ProgramCode& code) {
  std::vector<std::string> makers;
  for (size_t i = 0; i < code.files.size(); ++i) {
    const bool makes = std::ranges::any_of(
        code.files[i].units, [](const CodeUnit& unit) { return unit.configured_line > 0; });
    if (makes) makers.push_back(code.paths[i]);
  }
  return makers;
}

bool IsConfiguration(std::string_view path) {
  const FileType type = FileTypeOf(path);
  return type == FileType::kYaml || type == FileType::kJson;
}

/// Answers with which configurations the programs of a project are started: their options have them
/// by default, or commands hand them over.
class StartedWith {
 public:
  StartedWith(const ProgramSources& sources, const ProgramCode& code) {
    for (const ProjectEntry& entry : sources.files.entries) {
      if (IsConfiguration(entry.path)) configurations_.insert(entry.path);
    }
    for (size_t i = 0; i < code.files.size(); ++i) {
      const std::string_view own_folder = FolderOf(code.paths[i]);
      for (const CodeUnit& unit : code.files[i].units) {
        for (const EntryArgument& option : unit.arguments) {
          Add(code.paths[i], "", option.default_value);
          Add(code.paths[i], own_folder, option.default_value);
        }
      }
    }
    for (const EntryCommand& command : code.commands) {
      for (const std::string& argument : command.arguments) {
        const std::string_view path =
            std::string_view(argument).substr(argument.find('=') + 1);  // "--config=a.yaml"
        if (!IsConfiguration(path)) continue;
        // "configs/<name>.yaml" may be any of them.
        if (!Add(command.file, command.folder, path) && !Add(command.file, "", path)) {
          open_.insert(command.file);
        }
      }
    }
  }

  /// By program: those of `targets`, by their place, that only the configurations name with which
  /// others are started. A program that may be started with any is left out, and so is one of which
  /// nothing is known.
  std::map<std::string, std::set<size_t>, std::less<>> Elsewhere(
      const std::map<Origin, std::set<std::string>>& targets) const {
    std::set<std::string> of_programs;
    for (const auto& [program, own] : started_) of_programs.insert(own.begin(), own.end());
    std::map<std::string, std::set<size_t>, std::less<>> elsewhere;
    for (const auto& [program, own] : started_) {
      if (open_.contains(program)) continue;
      std::set<size_t>& of_program = elsewhere[program];
      size_t at = 0;
      for (const auto& [target, named_by] : targets) {
        const bool is_elsewhere = std::ranges::all_of(named_by, [&](const std::string& path) {
          return of_programs.contains(path) && !own.contains(path);
        });
        if (is_elsewhere) of_program.insert(at);
        ++at;
      }
    }
    return elsewhere;
  }

 private:
  /// True if that is a configuration of the project.
  bool Add(const std::string& program, std::string_view folder, std::string_view path) {
    if (!IsConfiguration(path)) return false;
    std::string file = (std::filesystem::path(folder) / path).lexically_normal().generic_string();
    if (!configurations_.contains(file)) return false;
    started_[program].insert(std::move(file));
    return true;
  }

  std::set<std::string, std::less<>> configurations_;
  std::map<std::string, std::set<std::string>> started_;  // by program
  std::set<std::string> open_;                            // programs that may take any
};

}  // namespace

Configured FindConfigured(const ProgramSources& sources, const ProgramCode& code) {
  ConfiguredFinder finder(sources.index, code.paths);
  const std::vector<std::string> makers = MakersIn(code);
  std::map<std::string, std::string, std::less<>> asked;  // names: the one of `makers` that has it
  std::set<std::string, std::less<>> keys;
  for (const ProjectEntry& entry : sources.files.entries) {
    const FileType type = FileTypeOf(entry.path);
    const bool is_read = entry.kind == ProjectEntry::Kind::kOther && IsConfiguration(entry.path) &&
                         entry.size <= kLargestConfiguration;
    if (!is_read || IsCancelled(sources.index.cancelled())) continue;
    Result<std::string> bytes = ReadProjectFile(sources.files, entry);
    if (!bytes) continue;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (!source) continue;
    finder.Begin(entry.path);
    std::set<std::string, std::less<>> names;
    for (const Setting& setting : SettingsOf(type, *source)) {
      if (IsDotted(setting.value)) names.insert(setting.value);
      if (setting.kind == Setting::Kind::kKey) keys.insert(setting.name);
    }
    for (const std::string& name : names) {
      if (finder.Add(entry.path, name)) continue;
      const auto [known, is_new] = asked.try_emplace(name);
      if (!is_new && !known->second.empty()) finder.Add(known->second, name);
      for (const std::string& maker : makers) {
        if (!is_new || !finder.Add(maker, name)) continue;
        known->second = maker;
        break;
      }
    }
  }
  finder.Begin("");
  for (const EntryCommand& command : code.commands) {
    if (makers.empty()) break;
    for (const std::string& argument : command.arguments) {
      finder.AddModule(command.folder, argument);
    }
  }
  if (!makers.empty() && std::ranges::any_of(code.files, &FileUnits::imports_listed)) {
    for (const FileUnits& file : code.files) {
      for (const std::string& folder : file.named_folders) finder.AddFolder(folder);
    }
  }
  Configured found = {{}, {}, std::move(keys)};
  for (const auto& [target, named_by] : finder.found()) found.targets.push_back(target);
  if (!makers.empty()) found.elsewhere = StartedWith(sources, code).Elsewhere(finder.found());
  return found;
}

}  // namespace transplt
