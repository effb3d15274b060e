// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/read_log.h"

#include <fmt/format.h>

#include "transplt/project/file_content.h"
#include "transplt/project/project_files.h"

namespace transplt {
namespace {

/// Appends `text` so that no two rows of texts look alike.
void AppendTo(std::string& all, std::string_view text) {
  all += fmt::format("{}:", text.size());
  all += text;
}

void AppendTo(std::string& all, const Text& text) {
  AppendTo(all, text.en);
  AppendTo(all, text.zh);
}

}  // namespace

void ReadLog::SetList(const ProjectFiles& project) {
  const std::lock_guard lock(mutex_);
  list_ = HashOfList(project);
}

void ReadLog::AddFile(const std::string& path, const Result<std::string>& bytes) {
  const std::string hash = HashOfRead(bytes);
  const std::lock_guard lock(mutex_);
  if (files_.emplace(path, hash).first->second != hash) is_complete_ = false;
}

void ReadLog::AddLook(const std::string& path, const std::string& state) {
  const std::lock_guard lock(mutex_);
  if (looks_.emplace(path, state).first->second != state) is_complete_ = false;
}

void ReadLog::AddUnknownFiles() {
  const std::lock_guard lock(mutex_);
  is_complete_ = false;
}

std::string HashOfList(const ProjectFiles& project) {
  std::string all;
  AppendTo(all, project.root);
  AppendTo(all, project.name);
  all += fmt::format("{} {} {}", project.is_file, project.ignored_files, project.entries.size());
  for (const ProjectEntry& entry : project.entries) {
    AppendTo(all, entry.path);
    AppendTo(all, entry.reason);
    AppendTo(all, entry.link_target);
    all += fmt::format("{} {} {} {},", static_cast<int>(entry.kind), entry.selected, entry.mode,
                       entry.size);
  }
  for (const auto* folders : {&project.folders, &project.ignored_folders}) {
    all += fmt::format("{};", folders->size());
    for (const std::string& folder : *folders) AppendTo(all, folder);
  }
  for (const Text& note : project.notes) AppendTo(all, note);
  return ContentOf(all).hash;
}

std::string HashOfRead(const Result<std::string>& bytes) {
  return bytes ? ContentOf(*bytes).hash : "unreadable: " + bytes.error().what.en;
}

}  // namespace transplt
