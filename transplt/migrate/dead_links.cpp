// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/dead_links.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "transplt/frontends/file_type.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr uint64_t kLargestConfiguration = 1 << 20;

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// True if `path` stands in the text as a whole path: one of a single name is a word like others
/// unless something below it is named, `steps/train.sh`.
bool HasPath(std::string_view text, std::string_view path) {
  const bool is_single = path.find('/') == std::string_view::npos;
  for (size_t at = text.find(path); at != std::string_view::npos; at = text.find(path, at + 1)) {
    const size_t end = at + path.size();
    const bool starts = at == 0 || (!IsOfName(text[at - 1]) && text[at - 1] != '/') ||
                        text.substr(0, at).ends_with("./");
    const bool goes_on = end < text.size() && text[end] == '/';
    const bool ends = end == text.size() || !IsOfName(text[end]);
    if (starts && (is_single ? goes_on : ends)) return true;
  }
  return false;
}

/// True if the text of the file `from` names `path` as seen from the root or from its own folder.
bool Names(std::string_view text, std::string_view from, std::string_view path) {
  if (HasPath(text, path)) return true;
  const std::string_view folder = from.substr(0, from.rfind('/') + 1);
  return !folder.empty() && path.starts_with(folder) && HasPath(text, path.substr(folder.size()));
}

bool LeadsNowhere(const ProjectFiles& project, const ProjectEntry& entry) {
  if (entry.kind != ProjectEntry::Kind::kSkipped) return false;
  const std::filesystem::path path(project.root + "/" + entry.path);
  std::error_code error;
  return std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)) &&
         std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found;
}

bool IsConfiguration(FileType type) {
  return type == FileType::kYaml || type == FileType::kJson || type == FileType::kToml ||
         type == FileType::kIni;
}

/// The last name of a path as far as it is one word: what a text that names the path spells.
std::string WordOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::string(name.substr(0, name.find_first_of(".-")));
}

bool IsNamedByProgram(const std::string& path, const ProjectIndex& index) {
  const std::string word = WordOf(path);
  if (word.empty()) return false;
  return std::ranges::any_of(index.FilesSpelling(word), [&](const std::string& file) {
    const auto opened = index.Open(file);
    if (opened == nullptr) return false;
    for (const Node node : NodesIn(opened->names().tree())) {
      if (node.Is(NodeKind::kStringContent) && Names(node.text(), file, path)) return true;
    }
    return false;
  });
}

bool IsNamedByConfiguration(const std::string& path, const ProjectFiles& project) {
  return std::ranges::any_of(project.entries, [&](const ProjectEntry& entry) {
    const bool is_it = entry.kind == ProjectEntry::Kind::kOther && entry.selected &&
                       entry.size <= kLargestConfiguration &&
                       IsConfiguration(FileTypeOf(entry.path));
    if (!is_it) return false;
    const Result<std::string> text = ReadProjectFile(project, entry);
    return text && Names(*text, entry.path, path);
  });
}

}  // namespace

void NoteDeadLinks(const ProjectFiles& project, const ProjectIndex& index,
                   std::vector<ChangeRecord>& records) {
  std::set<std::string_view> notes;
  for (const ProjectEntry& entry : project.entries) {
    if (!LeadsNowhere(project, entry) || IsNamedByProgram(entry.path, index) ||
        IsNamedByConfiguration(entry.path, project)) {
      continue;
    }
    notes.insert(entry.path);
  }
  for (ChangeRecord& record : records) {
    const bool is_note = record.operation == Operation::kSkipped && notes.contains(record.file);
    if (is_note) record.severity = Severity::kNote;
  }
}

}  // namespace transplt
