// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/project_copy.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "transplt/base/word_list.h"
#include "transplt/project/output_tree.h"
#include "transplt/project/project_files.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

/// The folders of Python environments, with '/' at the end.
std::set<std::string> Environments(const ProjectFiles& files) {
  std::set<std::string> folders;
  for (const ProjectEntry& entry : files.entries) {
    if (!entry.path.ends_with("/pyvenv.cfg")) continue;
    folders.insert(entry.path.substr(0, entry.path.rfind('/') + 1));
  }
  return folders;
}

/// True for what no run needs: the history of the project, and compiled Python.
bool HasPartLeftOut(std::string_view path) {
  while (!path.empty()) {
    const std::string_view first = path.substr(0, path.find('/'));
    if (first == "__pycache__" || Words("version-control").Has(first)) return true;
    path.remove_prefix(std::min(first.size() + 1, path.size()));
  }
  return false;
}

bool IsLeftOut(const std::string& path, const std::set<std::string>& environments) {
  const auto is_below = [&](const std::string& folder) { return (path + "/").starts_with(folder); };
  return HasPartLeftOut(path) || std::any_of(environments.begin(), environments.end(), is_below);
}

}  // namespace

Result<std::vector<NotCopied>> CopyProject(const std::string& project, const std::string& folder,
                                           const std::string& name) {
  FileSelection selection;
  selection.copy = CopyMode::kAll;  // data that git ignores is data
  Result<ProjectFiles> files = FindProjectFiles(project, selection);
  if (!files) return files.error();
  Result<OutputTree> tree = OutputTree::Create(folder, name, project, false);
  if (!tree) return tree.error();
  const std::set<std::string> environments = Environments(*files);
  std::vector<NotCopied> left;
  for (const std::string& inner : files->folders) {
    if (IsLeftOut(inner, environments)) continue;
    if (const Result<Done> done = tree->MakeFolder(inner); !done) return done.error();
  }
  for (const ProjectEntry& entry : files->entries) {
    if (IsLeftOut(entry.path, environments)) continue;
    if (entry.kind == ProjectEntry::Kind::kSkipped) {
      left.push_back({entry.path, entry.reason});
      continue;
    }
    const Result<Done> done = tree->Copy(entry);
    if (done) continue;
    if (done.error().code != Error::Code::kBadInput) return done.error();
    left.push_back({entry.path, done.error().what});
  }
  if (const Result<Done> done = tree->Commit(); !done) return done.error();
  return left;
}

Result<std::vector<std::string>> LendIgnoredFiles(const std::string& project,
                                                  const std::string& copy) {
  FileSelection everything;
  everything.copy = CopyMode::kAll;
  const Result<ProjectFiles> all = FindProjectFiles(project, everything);
  if (!all) return all.error();
  const Result<ProjectFiles> migrated = FindProjectFiles(project, {});
  if (!migrated) return migrated.error();
  std::set<std::string> known;
  for (const ProjectEntry& entry : migrated->entries) known.insert(entry.path);
  const std::set<std::string> environments = Environments(*all);
  std::vector<std::string> lent;
  for (const ProjectEntry& entry : all->entries) {
    const bool is_file =
        entry.kind == ProjectEntry::Kind::kMigratable || entry.kind == ProjectEntry::Kind::kOther;
    const fs::path target = fs::path(copy) / entry.path;
    std::error_code error;
    if (!is_file || known.contains(entry.path) || IsLeftOut(entry.path, environments) ||
        fs::exists(fs::symlink_status(target, error))) {
      continue;
    }
    fs::create_directories(target.parent_path(), error);
    fs::copy_file(fs::path(all->root) / entry.path, target, error);
    if (!error) lent.push_back(entry.path);
  }
  return lent;
}

std::string InCopy(std::string text, const std::vector<std::string>& projects,
                   const std::string& copy) {
  std::vector<std::string> folders;
  for (const std::string& project : projects) {
    std::error_code error;
    for (const fs::path& path :
         {fs::absolute(project, error).lexically_normal(), fs::canonical(project, error)}) {
      std::string folder = path.string();
      while (folder.ends_with('/')) folder.pop_back();
      if (!folder.empty()) folders.push_back(std::move(folder));
    }
  }
  // The inner one of two first.
  std::sort(folders.begin(), folders.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  for (size_t at = 0; at < text.size();) {
    const auto found = std::find_if(folders.begin(), folders.end(), [&](const std::string& folder) {
      const char behind = at + folder.size() < text.size() ? text[at + folder.size()] : '/';
      return text.compare(at, folder.size(), folder) == 0 &&
             std::string_view("/:,;=\"' ").find(behind) != std::string_view::npos;
    });
    if (found == folders.end()) {
      ++at;
      continue;
    }
    text.replace(at, found->size(), copy);
    at += copy.size();
  }
  return text;
}

FileStates ListFiles(const std::string& folder) {
  FileStates states;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, error), end; it != end;
       it.increment(error)) {
    if (error) break;
    struct stat status {};
    if (lstat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      if (it->path().filename() == "__pycache__") it.disable_recursion_pending();
      continue;
    }
    const int64_t modified =
        int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    states[it->path().lexically_relative(folder).string()] = {static_cast<uint64_t>(status.st_size),
                                                              modified, status.st_ino};
  }
  return states;
}

std::vector<std::string> WrittenFiles(const FileStates& before, const FileStates& after) {
  std::vector<std::string> written;
  for (const auto& [path, state] : after) {
    const auto found = before.find(path);
    if (found == before.end() || found->second != state) written.push_back(path);
  }
  return written;
}

}  // namespace transplt
