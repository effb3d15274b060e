// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/console_scripts.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <optional>

#include "transplt/base/plain_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/programs/program_code.h"

namespace transplt {
namespace {

class ScriptFinder {
 public:
  explicit ScriptFinder(const ProjectIndex& index) : index_(index) {}

  /// "name = package.module:function [extra]"
  void Add(const std::string& from, uint32_t line, std::string_view text) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return;
    Add(from, line, std::string(Trimmed(text.substr(0, equals))),
        std::string(Trimmed(text.substr(equals + 1))));
  }

  void Add(const std::string& from, uint32_t line, const std::string& name, std::string target) {
    target = std::string(Trimmed(std::string_view(target).substr(0, target.find('['))));
    const size_t colon = target.find(':');
    if (name.empty() || colon == std::string::npos) return;
    ConsoleScript script;
    script.name = name;
    script.module = target.substr(0, colon);
    script.function = target.substr(colon + 1);
    script.file = index_.FileOfModule(from, script.module);
    script.place = fmt::format("{}:{}", OneLine(from), line);
    if (!script.file.empty()) scripts_.push_back(std::move(script));
  }

  /// [project.scripts], and [tool.poetry.scripts] as Poetry has it.
  void AddToml(const std::string& path, const std::string& text) {
    try {
      const toml::table root = toml::parse(text);
      AddTable(path, root["project"]["scripts"].as_table());
      AddTable(path, root["tool"]["poetry"]["scripts"].as_table());
    } catch (const toml::parse_error&) {
      return;  // as the contract says
    }
  }

  /// The lines behind `console_scripts =` of [options.entry_points].
  void AddIni(const std::string& path, std::string_view text) {
    bool in_section = false;
    bool in_list = false;
    uint32_t number = 0;
    for (size_t start = 0; start < text.size();) {
      const size_t end = std::min(text.find('\n', start), text.size());
      const std::string_view line = text.substr(start, end - start);
      start = end + 1;
      ++number;
      const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
      const std::string words(Trimmed(line));
      if (words.starts_with('[')) in_section = words == "[options.entry_points]";
      if (!is_indented) in_list = in_section && words.starts_with("console_scripts");
      if (in_list && is_indented) Add(path, number, words);
    }
  }

  std::vector<ConsoleScript> Take() { return std::move(scripts_); }

 private:
  void AddTable(const std::string& path, const toml::table* table) {
    if (table == nullptr) return;
    for (const auto& [key, value] : *table) {
      const std::optional<std::string> target = value.value<std::string>();
      if (target) Add(path, value.source().begin.line, std::string(key.str()), *target);
    }
  }

  const ProjectIndex& index_;
  std::vector<ConsoleScript> scripts_;
};

}  // namespace

std::vector<ConsoleScript> FindConsoleScripts(const ProgramSources& sources,
                                              const ProgramCode& code) {
  ScriptFinder finder(sources.index);
  for (size_t i = 0; i < code.files.size(); ++i) {
    const FileUnits& file = code.files[i];
    for (size_t k = 0; k < file.console_scripts.size(); ++k) {
      finder.Add(code.paths[i], file.script_lines[k], file.console_scripts[k]);
    }
  }
  for (const ProjectEntry& entry : sources.files.entries) {
    if (entry.kind != ProjectEntry::Kind::kOther) continue;
    const std::string_view name = NameOfFile(entry.path);
    if (name != "pyproject.toml" && name != "setup.cfg") continue;
    const Result<std::string> text = ReadProjectFile(sources.files, entry);
    if (!text) continue;
    if (name == "setup.cfg") {
      finder.AddIni(entry.path, *text);
    } else {
      finder.AddToml(entry.path, *text);
    }
  }
  return finder.Take();
}

}  // namespace transplt
