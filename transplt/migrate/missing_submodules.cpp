// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/missing_submodules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "transplt/base/source_file.h"
#include "transplt/base/text_parts.h"
#include "transplt/migrate/missing_modules.h"

namespace transplt {
namespace {

constexpr std::string_view kMissingSource = "missing-source";

/// The value of `path = ...`, without a slash at its end; empty for another line.
std::string_view PathIn(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos || Trimmed(line.substr(0, equals)) != "path") return {};
  std::string_view path = Trimmed(line.substr(equals + 1));
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool HoldsFile(const ProjectFiles& project, std::string_view folder) {
  const std::string start = std::string(folder) + "/";
  return std::any_of(project.entries.begin(), project.entries.end(),
                     [&](const ProjectEntry& entry) { return entry.path.starts_with(start); });
}

/// .gitmodules, if the run reads it.
std::optional<SourceFile> ListOf(const ProjectFiles& project) {
  const auto list = std::ranges::find_if(project.entries, [](const ProjectEntry& entry) {
    return entry.path == ".gitmodules" && entry.kind == ProjectEntry::Kind::kOther;
  });
  if (list == project.entries.end() || !list->selected) return std::nullopt;
  Result<std::string> bytes = ReadProjectFile(project, *list);  // its own row says if it cannot
  if (!bytes) return std::nullopt;
  Result<SourceFile> source = SourceFile::FromBytes(list->path, *std::move(bytes));
  if (!source) return std::nullopt;
  return *std::move(source);
}

/// The record that says what takes the place of the submodule to whose part of the list, from one
/// `[submodule "x"]` to the next, `line` belongs; or null.
const ChangeRecord* RecordAbout(const SourceFile& list, uint32_t line,
                                const std::vector<ChangeRecord>& records) {
  const auto begins = [&](uint32_t at) {
    return Trimmed(list.LineRange(at).In(list.bytes())).starts_with('[');
  };
  uint32_t first = line;
  while (first > 1 && !begins(first)) --first;
  uint32_t last = line;
  while (last < list.line_count() && !begins(last + 1)) ++last;
  const auto found = std::ranges::find_if(records, [&](const ChangeRecord& record) {
    return record.file == list.path() && record.operation == Operation::kSuggestion &&
           record.start_line >= first && record.start_line <= last;
  });
  return found == records.end() ? nullptr : &*found;
}

/// The path of the module that `missing` names, without an ending: "pkg/ops/fast" of `.ops.fast`
/// in pkg/net.py.
std::string PathOf(const ChangeRecord& missing) {
  std::string name = missing.before;
  const size_t dots = std::min(name.find_first_not_of('.'), name.size());
  std::string_view folder = FolderOf(missing.file);
  for (size_t i = 1; i < dots; ++i) folder = FolderOf(folder);
  name.erase(0, dots);
  std::ranges::replace(name, '.', '/');
  return dots == 0 || folder.empty() ? name : fmt::format("{}/{}", folder, name);
}

/// True if `path` is `folder` or lies in it; one that is found by sys.path begins within.
bool LiesIn(std::string_view path, std::string_view folder) {
  for (const std::string_view part : {folder, NameOfFile(folder)}) {
    const bool starts = path.starts_with(part);
    if (starts && (path.size() == part.size() || path[part.size()] == '/')) return true;
  }
  return false;
}

/// The path that a line of it names, of a submodule that is not there; or "".
std::string_view MissingIn(const SourceFile& list, uint32_t line, const ProjectFiles& project) {
  const std::string_view path = PathIn(list.LineRange(line).In(list.bytes()));
  return path.empty() || HoldsFile(project, path) ? std::string_view() : path;
}

}  // namespace

std::vector<std::string> MissingSubmodulePaths(const ProjectFiles& project) {
  std::vector<std::string> paths;
  const std::optional<SourceFile> list = ListOf(project);
  for (uint32_t line = 1; list && line <= list->line_count(); ++line) {
    const std::string_view path = MissingIn(*list, line, project);
    if (!path.empty()) paths.emplace_back(path);
  }
  return paths;
}

void TellBySubmodule(const ProjectFiles& project, const std::vector<ChangeRecord>& records,
                     std::vector<ChangeRecord>& missing) {
  const std::optional<SourceFile> list = ListOf(project);
  for (uint32_t line = 1; list && line <= list->line_count(); ++line) {
    const std::string_view path = MissingIn(*list, line, project);
    const ChangeRecord* about = path.empty() ? nullptr : RecordAbout(*list, line, records);
    if (about == nullptr) continue;
    for (ChangeRecord& row : missing) {
      if (row.rule_id != kMissingModule || !LiesIn(PathOf(row), path)) continue;
      row.cause = about->cause;
      const Text of = Say("{}, of the submodule {}: ", "{} (来自子模块 {}): ", row.before, path);
      row.message = {of.en + about->message.en, of.zh + about->message.zh};
    }
  }
}

void NoteSourcesOfSubmodules(const ProjectFiles& project, std::vector<ChangeRecord>& records) {
  std::vector<std::string> submodules;
  for (ChangeRecord& row : records) {
    if (row.rule_id != kMissingSource) continue;
    if (submodules.empty()) submodules = MissingSubmodulePaths(project);
    std::string_view path = row.before;  // as it is written, in quotes
    path.remove_prefix(std::min(path.find_first_not_of("\"'"), path.size()));
    const std::string_view folder = FolderOf(row.file);
    const std::string whole =
        folder.empty() ? std::string(path) : fmt::format("{}/{}", folder, path);
    const bool is_of_one = std::ranges::any_of(submodules, [&](const std::string& submodule) {
      return whole.starts_with(submodule + "/");
    });
    if (is_of_one) row.severity = Severity::kNote;
  }
}

std::vector<ChangeRecord> MissingSubmodules(const ProjectFiles& project,
                                            const std::vector<ChangeRecord>& records) {
  const std::optional<SourceFile> source = ListOf(project);
  if (!source) return {};
  std::string missing;
  ChangeRecord row;
  for (uint32_t line = 1; line <= source->line_count(); ++line) {
    const std::string_view text = source->LineRange(line).In(source->bytes());
    const std::string_view path = MissingIn(*source, line, project);
    if (path.empty() || RecordAbout(*source, line, records) != nullptr) continue;
    if (missing.empty()) {
      row.start_line = row.end_line = line;
      row.column = static_cast<uint32_t>(path.data() - text.data() + 1);
      row.before = path;
      row.source_line = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    }
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", path);
  }
  if (missing.empty()) return {};
  row.before = missing;
  row.file = source->path();
  row.operation = Operation::kSuggestion;
  row.applicability = Applicability::kDisplayOnly;
  row.rule_id = row.cause = "missing-submodule";
  row.severity = Severity::kMayGoWrong;
  row.message =
      Say("these submodules are not checked out, so that nothing in them was migrated: {}; run git "
          "submodule update --init --recursive, and migrate again",
          "以下子模块未检出，其中的代码未迁移：{}；请执行 git submodule update --init --recursive "
          "后重新迁移",
          missing);
  return {std::move(row)};
}

}  // namespace transplt
