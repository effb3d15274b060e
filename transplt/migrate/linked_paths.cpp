// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/linked_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "transplt/base/plain_text.h"
#include "transplt/base/source_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/frontends/code_blocks.h"
#include "transplt/frontends/file_type.h"
#include "transplt/frontends/shell_runs.h"

namespace transplt {
namespace {

/// The path of the link that `ln -s TARGET [LINK]` makes, from the folder of the start; "" if the
/// command makes none.
std::string LinkOf(const ShellRun& run, const ProjectFiles& project) {
  if (run.words.empty() || NameOfFile(run.words[run.program]) != "ln") return "";
  bool is_symbolic = false;
  std::vector<std::string_view> names;
  for (size_t i = run.program + 1; i < run.words.size(); ++i) {
    const std::string_view word = run.words[i];
    const bool is_option = word.size() > 1 && word.front() == '-';
    if (is_option) is_symbolic |= word == "--symbolic" || (word[1] != '-' && HasPart(word, 's'));
    if (!is_option) names.push_back(word);
  }
  if (!is_symbolic || names.empty() || names.size() > 2) return "";
  const auto below = [&](std::string_view path) {
    return (std::filesystem::path(run.folder) / path).lexically_normal().generic_string();
  };
  std::string_view target = names.front();
  while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
  std::string link = below(names.size() == 2 ? names.back() : ".");
  const bool is_folder =
      link.ends_with('/') || link == "." || std::ranges::binary_search(project.folders, link);
  if (is_folder)
    link = below(std::string(names.size() == 2 ? names.back() : ".") + "/" +
                 std::string(NameOfFile(target)));
  return link;
}

}  // namespace

LinkedPaths::LinkedPaths(const ProjectFiles& project) {
  const auto add = [&](const ShellRun& run, const ProjectEntry& entry, uint32_t line) {
    const std::string link = LinkOf(run, project);
    if (link.empty() || link.starts_with("..") || link.starts_with('/')) return;
    const std::string place = fmt::format("{}:{}", OneLine(entry.path), line);
    places_.emplace(link, place);
    // A document below the root may speak of its own folder.
    const std::string_view folder = FolderOf(entry.path);
    if (!folder.empty()) places_.emplace(fmt::format("{}/{}", folder, link), place);
  };
  for (const ProjectEntry& entry : project.entries) {
    const FileType type = FileTypeOf(entry.path);
    if (entry.kind != ProjectEntry::Kind::kOther ||
        (type != FileType::kMarkdown && type != FileType::kShell)) {
      continue;
    }
    Result<std::string> bytes = ReadProjectFile(project, entry);
    if (!bytes || !HasPart(*bytes, "ln -")) continue;
    if (type == FileType::kShell) {
      const Result<SourceFile> script = SourceFile::FromBytes(entry.path, *std::move(bytes));
      if (!script) continue;
      for (const ShellRun& run : RunsIn(*script)) add(run, entry, run.line);
      continue;
    }
    ShellVariables variables;
    for (const CodeBlock& block : CodeBlocksOf(*bytes)) {
      for (const ShellRun& run : RunsInExample(CommandsIn(block), variables)) {
        add(run, entry, run.line + block.line - 1);
      }
    }
  }
}

std::string_view LinkedPaths::PlaceOf(std::string_view path) const {
  for (std::string_view above = path; !above.empty(); above = FolderOf(above)) {
    const auto found = places_.find(above);
    if (found != places_.end()) return found->second;
  }
  return {};
}

void TellLink(std::string_view place, ChangeRecord& row) {
  if (place.empty()) return;
  row.rule_id = row.cause = "linked-module";
  row.severity = Severity::kNote;
  row.message =
      Say("{}: this comes with the link that {} tells to make: what it leads to was not looked at, "
          "migrate that, too",
          "{}: 来自 {} 中所述的链接: 链接指向的内容未检查, 请一并迁移", row.before, place);
}

}  // namespace transplt
