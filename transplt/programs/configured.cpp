// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/configured.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
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

  /// True if the name is one of the project, seen from the file `from`.
  bool Add(const std::string& from, std::string_view text) {
    // A package is often named as the project itself, in settings of tools.
    std::string file = index_.FileOfModule(from, text);
    if (!file.empty() && !ProjectIndex::IsPackage(file)) {
      found_.insert({std::move(file), std::string(kAnyMember)});
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
    found_.insert({path, ""});
    for (std::string_view around = FolderOf(path); !around.empty(); around = FolderOf(around)) {
      std::string package = std::string(around) + "/__init__.py";
      if (!is_there(package)) return;
      found_.insert({std::move(package), ""});
    }
  }

  /// The modules in `folder` and below.
  void AddFolder(const std::string& folder) {
    const std::string start = folder + "/";
    for (auto path = std::ranges::lower_bound(paths_, start);
         path != paths_.end() && path->starts_with(start); ++path) {
      found_.insert({*path, ""});
    }
  }

  std::vector<Origin> Take() { return {found_.begin(), found_.end()}; }

 private:
  /// `member`: "" or ".from_file"
  bool AddMember(const std::string& from, std::string_view module, std::string_view name,
                 std::string_view member) {
    const std::string file = index_.FileOfModule(from, module);
    if (file.empty()) return false;
    const auto origins = index_.Find(from, module, name);
    if (!origins || origins->empty()) {
      found_.insert({file, std::string(name) + std::string(member)});
      return true;
    }
    for (const QualifiedName& origin : *origins) {
      const size_t dot = origin.name.rfind('.');
      if (dot == std::string::npos || dot == 0) continue;
      std::string defining = index_.FileOfModule(file, origin.name.substr(0, dot));
      if (defining.empty()) continue;
      found_.insert({std::move(defining), origin.name.substr(dot + 1) + std::string(member)});
    }
    return true;
  }

  const ProjectIndex& index_;
  const std::vector<std::string>& paths_;  // of the code, sorted
  std::set<Origin> found_;
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

}  // namespace

Configured FindConfigured(const ProgramSources& sources, const ProgramCode& code) {
  ConfiguredFinder finder(sources.index, code.paths);
  const std::vector<std::string> makers = MakersIn(code);
  std::set<std::string, std::less<>> asked;  // of `makers`
  std::set<std::string, std::less<>> keys;
  for (const ProjectEntry& entry : sources.files.entries) {
    const FileType type = FileTypeOf(entry.path);
    const bool is_read = entry.kind == ProjectEntry::Kind::kOther &&
                         (type == FileType::kYaml || type == FileType::kJson) &&
                         entry.size <= kLargestConfiguration;
    if (!is_read || IsCancelled(sources.index.cancelled())) continue;
    Result<std::string> bytes = ReadProjectFile(sources.files, entry);
    if (!bytes) continue;
    const Result<SourceFile> source = SourceFile::FromBytes(entry.path, *std::move(bytes));
    if (!source) continue;
    std::set<std::string, std::less<>> names;
    for (const Setting& setting : SettingsOf(type, *source)) {
      if (IsDotted(setting.value)) names.insert(setting.value);
      if (setting.kind == Setting::Kind::kKey) keys.insert(setting.name);
    }
    for (const std::string& name : names) {
      if (finder.Add(entry.path, name) || !asked.insert(name).second) continue;
      for (const std::string& maker : makers) {
        if (finder.Add(maker, name)) break;
      }
    }
  }
  if (makers.empty()) return {finder.Take(), std::move(keys)};
  for (const EntryCommand& command : code.commands) {
    for (const std::string& argument : command.arguments) {
      finder.AddModule(command.folder, argument);
    }
  }
  if (std::ranges::any_of(code.files, &FileUnits::imports_listed)) {
    for (const FileUnits& file : code.files) {
      for (const std::string& folder : file.named_folders) finder.AddFolder(folder);
    }
  }
  return {finder.Take(), std::move(keys)};
}

}  // namespace transplt
