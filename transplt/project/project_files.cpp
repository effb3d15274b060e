// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/project_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/project_walk.h"
#include "transplt/project/python_script.h"

namespace transplt {
namespace {

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The absolute path without links; empty if there is none, errno says why.
std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), free);
  return real ? real.get() : "";
}

Error Unreadable(const std::string& input, int number) {
  return FileError(input, Say("cannot read the input", "无法读取输入"), number);
}

/// As the user wrote it, also if it is a link; "." and ".." are asked for their real name.
std::string FolderName(const std::string& input, const std::string& root) {
  const std::string_view name = LastName(input);
  if (name.empty() || name == "." || name == "..") return std::string(LastName(root));
  return std::string(name);
}

std::string Stem(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return std::string(name.substr(0, dot == 0 ? name.npos : dot));
}

Result<ProjectFiles> OneFile(const std::string& input, const struct stat& status) {
  if (access(input.c_str(), R_OK) != 0) return Unreadable(input, errno);
  ProjectFiles project;
  project.is_file = true;
  const std::string_view parent = ParentOf(input);
  const bool at_top = parent.empty() && input.starts_with('/');
  project.root = RealPath(at_top ? "/" : parent.empty() ? "." : std::string(parent));
  if (project.root.empty()) return Unreadable(input, errno);
  ProjectEntry entry;
  entry.path = LastName(input);
  entry.mode = status.st_mode & 07777;
  entry.size = static_cast<uint64_t>(status.st_size);
  const bool python = IsPythonScript(AT_FDCWD, input, status.st_mode);
  entry.kind = python ? ProjectEntry::Kind::kMigratable : ProjectEntry::Kind::kOther;
  project.name = Stem(entry.path);
  project.entries.push_back(std::move(entry));
  return project;
}

Result<ProjectFiles> WholeFolder(const std::string& input, const FileSelection& selection) {
  ProjectFiles project;
  project.root = RealPath(input);
  if (project.root.empty()) return Unreadable(input, errno);
  project.name = FolderName(input, project.root);
  if (project.name.empty()) {
    return Error{Error::Code::kUsage, input,
                 Say("this is the whole file system; give the folder of one project",
                     "这是整个文件系统；请指定某个项目的文件夹")};
  }
  const Result<PathSelection> paths = PathSelection::From(selection.include, selection.exclude);
  if (!paths) return paths.error();
  if (!ProjectWalk(selection, *paths, project).Run()) return Unreadable(input, errno);
  if (IsCancelled(selection.cancelled)) return CancelledError();
  return project;
}

/// The entry of a file that is open in an editor and not on disk yet.
ProjectEntry NewEntry(const std::string& path, const std::string& text) {
  constexpr mode_t kUsualMode = 0644;
  ProjectEntry entry;
  entry.path = path;
  entry.kind = path.ends_with(".py") ? ProjectEntry::Kind::kMigratable : ProjectEntry::Kind::kOther;
  entry.mode = kUsualMode;
  entry.size = text.size();
  return entry;
}

/// A file that is on disk and no entry is ignored, also if an editor has opened it.
void UseOpenTexts(const OpenTexts& texts, ProjectFiles& project) {
  const std::string folder = project.root == "/" ? project.root : project.root + "/";
  for (auto open = texts.lower_bound(folder);
       open != texts.end() && open->first.starts_with(folder); ++open) {
    const std::string path = open->first.substr(folder.size());
    if (FindEntry(project, path) == nullptr) {
      if (project.is_file || access(open->first.c_str(), F_OK) == 0) continue;
      const auto place = std::ranges::lower_bound(project.entries, path, {}, &ProjectEntry::path);
      project.entries.insert(place, NewEntry(path, open->second));
    }
    project.texts[path] = open->second;
  }
}

Result<ProjectFiles> FindOnDisk(const std::string& input, const FileSelection& selection) {
  const std::string path = WithoutSlashes(input);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return FileError(input, Say("cannot read the input", "无法读取输入"), errno,
                     missing ? Error::Code::kUsage : Error::Code::kIo);
  }
  if (S_ISDIR(status.st_mode)) return WholeFolder(path, selection);
  if (S_ISREG(status.st_mode)) return OneFile(path, status);
  return Error{Error::Code::kUsage, input,
               Say("neither a file nor a folder; give a Python file or the folder of a project",
                   "既不是文件也不是文件夹；请指定 Python 文件或项目文件夹")};
}

Result<std::string> ReadFromDisk(const ProjectFiles& project, const ProjectEntry& entry) {
  const auto failed = [&entry](int number) {
    return FileError(entry.path, Say("cannot read the file", "无法读取文件"), number,
                     Error::Code::kBadInput);
  };
  const FileHandle root = OpenFolder(project.root);
  if (!root) return failed(errno);
  // A file that became a pipe since it was listed must not make us wait.
  const int follow = project.is_file ? 0 : O_NOFOLLOW;
  const FileHandle file = OpenBelow(root.get(), entry.path, O_RDONLY | O_NONBLOCK | follow);
  std::string bytes;
  if (!file || !ReadAll(file.get(), bytes)) return failed(errno);
  return bytes;
}

}  // namespace

Result<ProjectFiles> FindProjectFiles(const std::string& input, const FileSelection& selection) {
  Result<ProjectFiles> project = FindOnDisk(input, selection);
  if (project && selection.open_texts) UseOpenTexts(*selection.open_texts, *project);
  if (project && selection.reads) {
    project->reads = selection.reads;
    project->reads->SetList(*project);
  }
  return project;
}

Result<std::string> ReadProjectFile(const ProjectFiles& project, const ProjectEntry& entry) {
  if (const auto open = project.texts.find(entry.path); open != project.texts.end()) {
    return open->second;
  }
  Result<std::string> bytes = ReadFromDisk(project, entry);
  if (project.reads) project.reads->AddFile(entry.path, bytes);
  return bytes;
}

Result<std::string> ReadProjectFile(const ProjectFiles& project, std::string_view path) {
  const ProjectEntry* entry = FindEntry(project, path);
  if (entry != nullptr) return ReadProjectFile(project, *entry);
  return Error{Error::Code::kBadInput, std::string(path),
               Say("is no file of the project", "不是项目中的文件")};
}

const ProjectEntry* FindEntry(const ProjectFiles& project, std::string_view path) {
  const auto found = std::ranges::lower_bound(project.entries, path, {}, &ProjectEntry::path);
  return found != project.entries.end() && found->path == path ? &*found : nullptr;
}

}  // namespace transplt
