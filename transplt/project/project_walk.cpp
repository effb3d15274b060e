// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/project_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/project/file_error.h"
#include "transplt/project/project_link.h"
#include "transplt/project/python_script.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

/// True for a file in a folder where Jupyter keeps earlier states of the files beside it.
bool IsBackup(std::string_view path) { return NameOfFile(FolderOf(path)) == ".ipynb_checkpoints"; }

// What a run writes into the root of its result; of an earlier run they stand there together.
// Before NEXT.md, runs wrote the first three.
constexpr std::array<std::string_view, 4> kReports = {"change_list.csv", "unsupported_op.xlsx",
                                                      "msFmkTranspltlog.txt", "NEXT.md"};
constexpr std::span<const std::string_view> kOldReports = std::span(kReports).first<3>();

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The rules of a .gitignore, which git does not read through a link. None if there is no such
/// file or it cannot be read, as for git.
IgnoreRules ReadRules(int folder) {
  const FileHandle file(
      openat(folder, ".gitignore", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  std::string text;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !ReadAll(file.get(), text)) {
    return {};
  }
  return IgnoreRules::FromText(text);
}

/// What a program needs of the files that rules name: sources, and settings that are no data.
bool IsOfProgram(std::string_view name, uint64_t size) {
  constexpr uint64_t kMaxSettings = 1024 * 1024;
  return Words("source-files").Has(name) ||
         (size <= kMaxSettings && Words("setting-files").Has(name));
}

/// "a/b.py" and "a/b/c.py" for a line such as `from ..a.b import c`.
void AddImported(std::string_view line, std::vector<std::string>& files) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const bool is_from = line.starts_with("from ");
  if (!is_from && !line.starts_with("import ")) return;
  line.remove_prefix(is_from ? 5 : 7);
  line.remove_prefix(std::min(line.find_first_not_of(" \t."), line.size()));
  const auto is_of_name = [](char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '.'; };
  const auto take_name = [&] {
    const auto from = std::ranges::find_if(line, is_of_name);
    const auto end = std::find_if_not(from, line.end(), is_of_name);
    std::string name(from, end);
    line = std::string_view(end, line.end());
    std::ranges::replace(name, '.', '/');
    return name;
  };
  const std::string module = take_name();
  if (module.empty()) return;
  files.push_back(module + ".py");
  if (!is_from || take_name() != "import") return;
  for (std::string name = take_name(); !name.empty(); name = take_name()) {
    files.push_back(Joined(module, name + ".py"));
  }
}

/// True if the file at `path` is among `spelled`, seen from the root or from a folder above it.
bool IsSpelledFrom(const std::vector<std::string>& spelled, std::string_view path) {
  for (;;) {
    if (std::ranges::binary_search(spelled, path)) return true;
    const std::size_t slash = path.find('/');
    if (slash == path.npos) return false;
    path.remove_prefix(slash + 1);
  }
}

/// "a, b, c, d, e, ..."
std::string FirstOf(const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, paths.size()); ++i) {
    names += (i == 0 ? "" : ", ") + paths[i];
  }
  return paths.size() > kShown ? names + ", ..." : names;
}

Text WhyNotAFile(mode_t mode) {
  if (S_ISFIFO(mode))
    return Say("a named pipe, not a file; not copied", "命名管道，不是文件；未复制");
  if (S_ISSOCK(mode)) return Say("a socket, not a file; not copied", "套接字，不是文件；未复制");
  return Say("a device, not a file; not copied", "设备，不是文件；未复制");
}

}  // namespace

ProjectWalk::ProjectWalk(const FileSelection& selection, const PathSelection& paths,
                         ProjectFiles& project)
    : selection_(selection), paths_(paths), project_(project), root_(OpenFolder(project.root)) {
  struct stat status {};
  if (!selection.output.empty() && stat(selection.output.c_str(), &status) == 0) {
    output_ = {status.st_dev, status.st_ino};
  }
}

bool ProjectWalk::Run() {
  if (!root_) return false;
  Folder root;
  FindOuterCheckout(root);
  if (!Visit(std::move(root))) return false;
  VisitWaiting();
  looks_for_spelled_ = false;
  TakeWhatSourcesSpell();
  VisitWaiting();
  project_.entries.shrink_to_fit();
  std::sort(project_.entries.begin(), project_.entries.end(),
            [](const ProjectEntry& a, const ProjectEntry& b) { return a.path < b.path; });
  std::sort(project_.folders.begin(), project_.folders.end());
  std::sort(project_.ignored_folders.begin(), project_.ignored_folders.end());
  std::sort(taken_along_.begin(), taken_along_.end());
  std::sort(left_out_.begin(), left_out_.end());
  TellWhatRulesName();
  return true;
}

void ProjectWalk::VisitWaiting() {
  while (!waiting_.empty() && !IsCancelled(selection_.cancelled)) {
    Folder next = std::move(waiting_.back());
    waiting_.pop_back();
    const std::string path = next.path;
    if (!Visit(std::move(next))) Skip(path, SystemText(errno));
  }
}

/// Looks for the work tree that holds the root where git would: here, then in the folders above
/// on the same file system.
void ProjectWalk::FindOuterCheckout(Folder& root) {
  auto checkout = std::make_shared<Checkout>();
  struct stat here {};
  struct stat status {};
  if (stat(project_.root.c_str(), &here) == 0) {
    for (std::string top = project_.root; !top.empty(); top = std::string(ParentOf(top))) {
      if (stat(top.c_str(), &status) != 0 || status.st_dev != here.st_dev) break;
      if (lstat((top + "/.git").c_str(), &status) != 0) continue;
      checkout->git = GitCheckout::At(top);
      if (!checkout->git) continue;
      if (top != project_.root) checkout->prefix = project_.root.substr(top.size() + 1) + "/";
      root.checkout = checkout;
      ReadOuterRules(top, root);
      return;
    }
  }
  root.checkout = checkout;
}

/// Rules of the repository from its top down to the root's parent. If they ignore the root, they
/// cannot be meant: the user has named it. Then only the rules inside count.
void ProjectWalk::ReadOuterRules(const std::string& top, Folder& root) {
  const GitCheckout& git = *root.checkout->git;
  if (!git.trouble().empty()) project_.notes.push_back(git.trouble());
  auto exclude = std::make_shared<Scope>();
  exclude->rules = IgnoreRules::FromText(git.exclude_text());
  Folder above{.checkout = std::make_shared<Checkout>(), .scope = std::move(exclude)};
  const std::string& prefix = root.checkout->prefix;
  for (std::size_t base = 0; base < prefix.size();) {
    const FileHandle handle = OpenFolder(Joined(top, std::string_view(prefix).substr(0, base)));
    auto scope = std::make_shared<Scope>();
    scope->above = above.scope;
    if (handle) scope->rules = ReadRules(handle.get());
    scope->base = base;
    above.scope = std::move(scope);
    const std::size_t slash = prefix.find('/', base);
    if (Ignores(above, prefix.substr(0, slash), true)) return;
    base = slash + 1;
  }
  root.scope = above.scope;
}

/// False if the folder cannot be listed; errno says why.
bool ProjectWalk::Visit(Folder folder) {
  const FileHandle handle =
      OpenBelow(root_.get(), folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  std::vector<Listed> listed;
  if (!handle || !List(handle.get(), listed)) return false;
  if (!Enter(folder, handle.get(), listed)) {
    project_.ignored_folders.push_back(folder.path + "/");
    return true;
  }
  if (!folder.path.empty() && Keeps(folder.ignored)) project_.folders.push_back(folder.path);
  const auto here = std::make_shared<const Folder>(std::move(folder));
  for (const Listed& item : listed) {
    if (IsCancelled(selection_.cancelled)) return true;
    std::string path = Joined(here->path, item.name);
    const bool is_folder = item.trouble == 0 && S_ISDIR(item.status.st_mode);
    const bool is_undo = item.name == ".transplt-undo";
    if (Words("version-control").Has(item.name) && (is_undo || !Keeps(true))) {
      if (is_folder) project_.ignored_folders.push_back(path + "/");
      if (!is_folder) ++project_.ignored_files;
    } else if (is_folder) {
      VisitFolder(here, std::move(path), item);
    } else {
      VisitFile(here, handle.get(), std::move(path), item);
    }
  }
  return true;
}

bool ProjectWalk::List(int handle, std::vector<Listed>& listed) const {
  const int copy = fcntl(handle, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(copy), closedir);
  if (!list) return false;
  errno = 0;
  while (const dirent* entry = readdir(list.get())) {
    if (IsCancelled(selection_.cancelled)) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      Listed item{std::string(name), {}, 0};
      if (fstatat(handle, entry->d_name, &item.status, AT_SYMLINK_NOFOLLOW) != 0) {
        item.trouble = errno;
      }
      listed.push_back(std::move(item));
    }
    errno = 0;
  }
  return errno == 0;
}

/// Settles what the content of a folder says about it: a work tree of its own, an environment,
/// rules. False if nothing in it belongs to the project.
bool ProjectWalk::Enter(Folder& folder, int handle, const std::vector<Listed>& listed) {
  const bool is_root = folder.path.empty();
  bool marked = false;
  bool has_git = false;
  bool has_rules = false;
  std::size_t reports = 0;
  for (const Listed& item : listed) {
    const bool is_file = item.trouble == 0 && S_ISREG(item.status.st_mode);
    marked = marked || Words("environment-markers").Has(item.name);
    has_git = has_git || item.name == ".git";
    has_rules = has_rules || item.name == ".gitignore";
    if (is_file && Contains(kOldReports, item.name)) ++reports;
  }
  if (is_root) has_earlier_reports_ = reports == kOldReports.size();
  if (!is_root && IsOutput(handle)) return false;
  if (has_git && !is_root && !folder.ignored) {
    auto git = GitCheckout::At(project_.root + "/" + folder.path);
    if (git) EnterCheckout(*std::move(git), folder);
  }
  const std::string here = InCheckout(*folder.checkout, folder.path);
  if (marked && !is_root && !folder.ignored) {
    folder.ignored = true;
    const auto& git = folder.checkout->git;
    if (!Keeps(true) && !(git && git->TracksBelow(here))) return false;
  }
  const auto is_of_program = [&](const Listed& item) {
    const bool is_folder = item.trouble == 0 && S_ISDIR(item.status.st_mode);
    return ((folder.is_run || folder.is_spelled) && is_folder) ||
           IsOfProgram(item.name, static_cast<uint64_t>(item.status.st_size));
  };
  if (folder.is_named && !folder.ignored && std::ranges::none_of(listed, is_of_program)) {
    folder.ignored = true;
    if (!Keeps(true)) {
      left_out_.push_back(folder.path + "/");
      return false;
    }
  }
  if (has_rules && !folder.ignored) {
    auto scope = std::make_shared<Scope>();
    scope->rules = ReadRules(handle);
    scope->above = folder.scope;
    scope->base = here.empty() ? 0 : here.size() + 1;
    if (!scope->rules.empty()) folder.scope = std::move(scope);
  }
  return true;
}

/// A submodule or another repository in the project: the rules of the outer one end here.
void ProjectWalk::EnterCheckout(GitCheckout git, Folder& folder) {
  if (!git.trouble().empty()) project_.notes.push_back(git.trouble());
  auto exclude = std::make_shared<Scope>();
  exclude->rules = IgnoreRules::FromText(git.exclude_text());
  folder.scope = std::move(exclude);
  folder.checkout =
      std::make_shared<Checkout>(Checkout{std::move(git), std::string(), folder.path.size() + 1});
}

bool ProjectWalk::IsOutput(int handle) const {
  struct stat status {};
  return output_ && fstat(handle, &status) == 0 &&
         output_ == std::pair(status.st_dev, status.st_ino);
}

/// True for the folder of a package, or in one, or for one that setup.py installs or that holds
/// programs; the root is the whole project and no package.
bool ProjectWalk::MayHoldModules(const Folder& parent, const std::string& path,
                                 const Listed& listed) const {
  if (listed.name == "__pycache__" || Words("version-control").Has(listed.name)) return false;
  return HasFile(path, "__init__.py") || HasFile(path, "setup.py") ||
         (!parent.path.empty() && HasFile(parent.path, "__init__.py")) || parent.is_run ||
         HasScript(path);
}

/// True if a source in the folder itself may be started.
bool ProjectWalk::HasScript(const std::string& folder) const {
  return HasLine(folder, [](std::string_view line) {
    return line.starts_with("if __name__") && line.find("__main__") != std::string_view::npos;
  });
}

bool ProjectWalk::HasFile(const std::string& folder, const char* name) const {
  const FileHandle file = OpenBelow(root_.get(), folder + "/" + name, O_PATH | O_NOFOLLOW);
  struct stat status {};
  return file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

/// True for a file that is not large and that a source beside it, or beside its folder, names in
/// full. Sources are read for few files: where rules name many, those are data.
bool ProjectWalk::IsSpelled(const Folder& parent, const Listed& listed) {
  constexpr off_t kMaxData = 16 * 1024 * 1024;
  constexpr std::size_t kMaxLooks = 64;
  const bool is_small =
      listed.trouble == 0 && S_ISREG(listed.status.st_mode) && listed.status.st_size <= kMaxData;
  if (!is_small || looks_for_data_ == kMaxLooks) return false;
  ++looks_for_data_;
  const auto is_named = [&](const std::string& folder) {
    return HasLine(folder, [&](std::string_view line) {
      return HasPart(line, "\"" + listed.name + "\"") || HasPart(line, "'" + listed.name + "'");
    });
  };
  return is_named(parent.path) ||
         (!parent.path.empty() && is_named(std::string(ParentOf(parent.path))));
}

/// True if a line of a source right in the folder is one that `is_it` holds for.
bool ProjectWalk::HasLine(const std::string& folder,
                          const std::function<bool(std::string_view)>& is_it) const {
  constexpr off_t kMaxSource = 1024 * 1024;
  const FileHandle handle = OpenBelow(root_.get(), folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  std::vector<Listed> listed;
  if (!handle || !List(handle.get(), listed)) return false;
  return std::ranges::any_of(listed, [&](const Listed& item) {
    const bool is_source = item.trouble == 0 && S_ISREG(item.status.st_mode) &&
                           item.status.st_size <= kMaxSource && item.name.ends_with(".py");
    if (!is_source) return false;
    const FileHandle file(
        openat(handle.get(), item.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    std::string text;
    if (!file || !ReadAll(file.get(), text)) return false;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (is_it(line)) return true;
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return false;
  });
}

/// Without the index of git nobody knows which of it belongs to the program.
void ProjectWalk::TellWhatRulesName() {
  if (!taken_along_.empty()) {
    project_.notes.push_back(
        Say("there is no git repository here to ask, so {} files of source code, settings and data "
            "that .gitignore names and the program may need are taken along: {}",
            "此处没有可查询的 git 仓库, 因此 .gitignore 所列的 {} 个程序可能需要的源文件、配置文件"
            "和数据文件也已包含: {}",
            taken_along_.size(), FirstOf(taken_along_)));
  }
  // Settings of tools and editors are none of the program's: .style.yapf.
  std::erase_if(left_out_, [](const std::string& path) {
    return !path.ends_with('/') && NameOfFile(path).starts_with('.');
  });
  if (left_out_.empty()) return;
  // A folder may hold a program.
  std::ranges::stable_partition(left_out_,
                                [](const std::string& path) { return path.ends_with('/'); });
  project_.notes.push_back(Say(
      "there is no git repository here to ask, so the folders and data that .gitignore names "
      "are left out: {}; --copy all copies them as they are; what the program needs of them is "
      "migrated once .gitignore does not name it",
      "此处没有可查询的 git 仓库, 因此 .gitignore 所列的文件夹和数据未包含在内: {}; 使用 --copy "
      "all 可原样复制; 程序所需的部分从 .gitignore 中移除后即可迁移",
      FirstOf(left_out_)));
}

ProjectWalk::Spelled ProjectWalk::SpelledPaths() const {
  constexpr uint64_t kMaxSource = 1024 * 1024;
  uint64_t left = 64 * kMaxSource;
  Spelled spelled;
  for (const ProjectEntry& entry : project_.entries) {
    const bool is_source = entry.kind == ProjectEntry::Kind::kMigratable ||
                           (entry.kind == ProjectEntry::Kind::kOther &&
                            (entry.path.ends_with(".sh") || entry.path.ends_with(".yaml")));
    if (!is_source || entry.size > std::min(kMaxSource, left)) continue;
    left -= entry.size;
    const FileHandle file = OpenBelow(root_.get(), entry.path, O_RDONLY | O_NOFOLLOW);
    std::string text;
    if (!file || !ReadAll(file.get(), text)) continue;
    if (entry.path.ends_with(".py")) {
      for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        AddImported(line, spelled.modules);
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      }
    }
    const auto is_of_path = [](char c) {
      return IsLetter(c) || IsDigit(c) || c == '_' || c == '-' || c == '.' || c == '/';
    };
    for (auto at = text.begin(); at != text.end();) {
      const auto from = std::find_if(at, text.end(), is_of_path);
      at = std::find_if_not(from, text.end(), is_of_path);
      std::string_view path(from, at);
      while (path.starts_with("./") || path.starts_with("../"))
        path.remove_prefix(path.find('/') + 1);
      if (HasPart(path, '/') && HasPart(NameOfFile(path), '.')) {
        spelled.paths.emplace_back(path);
      }
    }
  }
  for (std::vector<std::string>* const paths : {&spelled.paths, &spelled.modules}) {
    std::ranges::sort(*paths);
    paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
  }
  return spelled;
}

void ProjectWalk::TakeWhatSourcesSpell() {
  if (may_be_spelled_.empty()) return;
  const Spelled spelled = SpelledPaths();
  for (const LeftOut& item : std::exchange(may_be_spelled_, {})) {
    if (IsCancelled(selection_.cancelled)) return;
    std::string path = Joined(item.parent->path, item.listed.name);
    if (S_ISDIR(item.listed.status.st_mode)) {
      FindSpelledBelow(spelled.paths, item);
      if (FindSpelledBelow(spelled.modules, item)) imported_.insert(path);
      VisitFolder(item.parent, std::move(path), item.listed);
      continue;
    }
    constexpr off_t kMaxData = 16 * 1024 * 1024;
    if (item.listed.status.st_size <= kMaxData && IsSpelledFrom(spelled.paths, path)) {
      spelled_.insert(path);
    }
    const FileHandle handle =
        OpenBelow(root_.get(), item.parent->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (handle) VisitFile(item.parent, handle.get(), std::move(path), item.listed);
  }
}

/// Keeps the files in a folder that sources spell, seen from the root or from a folder around it.
/// True if there is one.
bool ProjectWalk::FindSpelledBelow(const std::vector<std::string>& spelled, const LeftOut& folder) {
  const std::string whole = Joined(folder.parent->path, folder.listed.name) + "/";
  bool is_any = false;
  const auto look = [&](const std::string& above) {
    const std::string seen = whole.substr(above.empty() ? 0 : above.size() + 1);
    for (auto at = std::ranges::lower_bound(spelled, seen);
         at != spelled.end() && at->starts_with(seen); ++at) {
      std::string path = Joined(above, *at);
      const FileHandle file = OpenBelow(root_.get(), path, O_PATH | O_NOFOLLOW);
      struct stat status {};
      if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
          !IsOfProgram(NameOfFile(path), static_cast<uint64_t>(status.st_size))) {
        continue;
      }
      is_any = true;
      for (; !path.empty(); path = std::string(FolderOf(path))) spelled_.insert(path);
    }
  };
  look("");
  for (std::string_view above = folder.parent->path; !above.empty(); above = FolderOf(above)) {
    look(std::string(above));
  }
  return is_any;
}

/// True for a folder of few files that are settings and sources but for one in four.
bool ProjectWalk::HoldsSettings(const std::string& folder) const {
  constexpr std::size_t kMaxEntries = 1000;
  std::size_t entries = 0;
  std::size_t files = 0;
  std::size_t of_program = 0;
  std::vector<std::string> folders = {folder};
  while (!folders.empty()) {
    const std::string next = std::move(folders.back());
    folders.pop_back();
    const FileHandle handle = OpenBelow(root_.get(), next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    std::vector<Listed> listed;
    if (!handle || !List(handle.get(), listed)) return false;
    entries += listed.size();
    if (entries > kMaxEntries) return false;
    for (const Listed& item : listed) {
      if (item.trouble != 0) return false;
      if (S_ISDIR(item.status.st_mode)) {
        folders.push_back(Joined(next, item.name));
      } else {
        ++files;
        if (IsOfProgram(item.name, static_cast<uint64_t>(item.status.st_size))) ++of_program;
      }
    }
  }
  return of_program * 4 >= files * 3;
}

void ProjectWalk::VisitFolder(const FolderPtr& at, std::string path, const Listed& listed) {
  const Folder& parent = *at;
  const bool is_named = parent.is_named || Ignores(parent, path, true);
  Folder folder{.ignored = parent.ignored || listed.name == "__pycache__" ||
                           Words("version-control").Has(listed.name) || is_named,
                .checkout = parent.checkout,
                .scope = parent.scope,
                .matches = paths_.Match(parent.matches, path, true)};
  if (folder.ignored) {
    const auto& git = parent.checkout->git;
    const std::string inside = InCheckout(*parent.checkout, path);
    if (git && git->Tracks(inside)) {
      folder.ignored = false;  // a submodule
    } else if (!git && !parent.ignored && is_named && !parent.is_spelled &&
               MayHoldModules(parent, path, listed)) {
      folder.ignored = false;
      folder.is_named = true;
      folder.is_run = parent.is_run || HasScript(path);
    } else if (!git && !parent.ignored && is_named && spelled_.contains(path)) {
      folder.ignored = false;
      folder.is_named = true;
      folder.is_run = !parent.is_spelled && (imported_.contains(path) || HoldsSettings(path));
      folder.is_spelled = !folder.is_run;
    } else if (!git && is_named && looks_for_spelled_ && !Keeps(true)) {
      may_be_spelled_.push_back({at, listed});
      return;
    } else if (!Keeps(true) && !(git && git->TracksBelow(inside))) {
      project_.ignored_folders.push_back(path + "/");
      if (!git && is_named) left_out_.push_back(path + "/");
      return;
    }
  }
  folder.path = std::move(path);
  waiting_.push_back(std::move(folder));
}

void ProjectWalk::VisitFile(const FolderPtr& at, int handle, std::string path,
                            const Listed& listed) {
  const Folder& parent = *at;
  const bool is_ours = listed.name == kManifestFile || listed.name == kReviewFile;
  if (parent.path.empty() && is_ours) return;
  const bool named_as_report = parent.path.empty() && Contains(kReports, listed.name);
  if (named_as_report && has_earlier_reports_) return;
  const bool is_named = parent.is_named || Ignores(parent, path, false);
  bool ignored = parent.ignored || listed.name.ends_with(".pyc") || is_named;
  const auto& git = parent.checkout->git;
  if (ignored && git && git->Tracks(InCheckout(*parent.checkout, path))) ignored = false;
  const bool is_of_program = IsOfProgram(listed.name, static_cast<uint64_t>(listed.status.st_size));
  const auto is_needed = [&] {
    return spelled_.contains(path) ||
           (!parent.is_spelled && (is_of_program || IsSpelled(parent, listed)));
  };
  if (!git && !parent.ignored && is_named && is_needed()) {
    ignored = false;
    taken_along_.push_back(path);
  } else if (!git && !parent.ignored && is_named && looks_for_spelled_ && !Keeps(true)) {
    may_be_spelled_.push_back({at, listed});
    return;
  }
  if (!Keeps(ignored)) {
    ++project_.ignored_files;
    if (!git && is_named) left_out_.push_back(path);
    return;
  }
  if (named_as_report && !selection_.output.empty()) {
    return Skip(std::move(path), Say("a report of this name is written there; rename the file",
                                     "该位置将写入同名报告；请重命名此文件"));
  }
  ProjectEntry entry;
  entry.path = std::move(path);
  Classify(parent, handle, listed, entry);
  if (ignored) {
    entry.selected = false;
    if (entry.kind == ProjectEntry::Kind::kMigratable) entry.kind = ProjectEntry::Kind::kOther;
  }
  project_.entries.push_back(std::move(entry));
}

void ProjectWalk::Classify(const Folder& parent, int handle, const Listed& listed,
                           ProjectEntry& entry) const {
  const mode_t mode = listed.status.st_mode;
  entry.mode = mode & 07777;
  entry.size = static_cast<uint64_t>(listed.status.st_size);
  int trouble = listed.trouble;
  std::string target;
  if (trouble == 0 && S_ISLNK(mode)) {
    if (ReadLink(handle, listed.name, target)) return ClassifyLink(project_.root, target, entry);
    trouble = errno;
  }
  // A system call is spared for files that everybody may read.
  if (trouble == 0 && S_ISREG(mode) && (mode & 0444) != 0444 &&
      faccessat(handle, listed.name.c_str(), R_OK, AT_EACCESS) != 0) {
    trouble = errno;
  }
  entry.kind = ProjectEntry::Kind::kSkipped;
  if (trouble != 0) {
    entry.reason = SystemText(trouble);
  } else if (!S_ISREG(mode)) {
    entry.reason = WhyNotAFile(mode);
  } else {
    entry.selected =
        paths_.Selects(paths_.Match(parent.matches, entry.path, false)) && !IsBackup(entry.path);
    const bool is_python = entry.selected && IsPythonScript(handle, listed.name, mode);
    entry.kind = is_python ? ProjectEntry::Kind::kMigratable : ProjectEntry::Kind::kOther;
  }
}

std::string ProjectWalk::InCheckout(const Checkout& checkout, const std::string& path) {
  if (path.size() <= checkout.skip) {
    return checkout.prefix.substr(0, checkout.prefix.empty() ? 0 : checkout.prefix.size() - 1);
  }
  return checkout.prefix + path.substr(checkout.skip);
}

/// The rules of the deepest folder speak first, and the last rule in each.
bool ProjectWalk::Ignores(const Folder& parent, const std::string& path, bool is_folder) {
  if (!parent.scope) return false;
  const std::string inside = InCheckout(*parent.checkout, path);
  for (const Scope* scope = parent.scope.get(); scope != nullptr; scope = scope->above.get()) {
    const std::string_view relative = std::string_view(inside).substr(scope->base);
    if (const auto match = scope->rules.LastMatch(relative, is_folder)) {
      return !scope->rules.rules()[*match].negated;
    }
  }
  return false;
}

void ProjectWalk::Skip(std::string path, Text reason) {
  ProjectEntry entry{.path = std::move(path), .kind = ProjectEntry::Kind::kSkipped};
  entry.reason = std::move(reason);
  project_.entries.push_back(std::move(entry));
}

}  // namespace transplt
