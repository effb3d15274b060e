// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/output_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transplt/base/cancelled.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/folder_lock.h"
#include "transplt/project/kept_aside.h"
#include "transplt/project/output_place.h"
#include "transplt/project/result_manifest.h"

namespace transplt {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::string_view kPartial = ".partial-XXXXXX";
constexpr off_t kLargeFile = off_t{1} << 20;  // bytes; from here on the kernel copies

/// The modes that the umask (or the default ACL) of `folder` gives to new folders. Found by making
/// one: asking for the umask means setting it, which other threads would see.
bool DefaultMode(int folder, mode_t& mode) {
  constexpr const char* kProbe = "mode";
  struct stat status {};
  if (mkdirat(folder, kProbe, 0777) != 0) return false;
  const bool known = fstatat(folder, kProbe, &status, AT_SYMLINK_NOFOLLOW) == 0;
  mode = status.st_mode & 07777;
  return unlinkat(folder, kProbe, AT_REMOVEDIR) == 0 && known;
}

/// As for mkdtemp.
std::string PartialName(const std::string& name) {
  return "." + name.substr(0, kLongestName - 1 - kPartial.size()) + std::string(kPartial);
}

Error NotPlain(const std::string& relative) {
  return {Error::Code::kUsage, relative,
          Say("not a path inside the result", "不是结果文件夹内的路径")};
}

Text WhatFailed() { return Say("cannot write", "无法写入"); }

}  // namespace

/// All that the destructor needs to undo, and what the threads share.
class OutputTree::State {
 public:
  State(std::string out_dir, std::string name, bool force, const std::atomic<bool>* cancelled)
      : out_dir_(std::move(out_dir)),
        name_(std::move(name)),
        path_(out_dir_ + "/" + name_),
        force_(force),
        cancelled_(cancelled) {}
  ~State();

  Result<Done> Begin(const std::string& input);
  Result<Done> Write(const std::string& relative, std::string_view bytes,
                     std::optional<mode_t> mode);
  Result<Done> Copy(const ProjectEntry& entry);
  Result<Done> MakeFolders(const std::string& relative);
  Result<Done> Commit();
  const std::string& path() const { return path_; }
  std::string PathUntilCommit(const std::string& relative);
  std::vector<Text> Notes() const;

 private:
  Error Failed(const std::string& relative, int number) const {
    return FileError(path_ + "/" + relative, WhatFailed(), number);
  }
  Result<Done> Prepare(const std::string& relative);
  Result<Done> CopyLink(const ProjectEntry& entry);
  template <typename Fill>
  Result<Done> Create(const std::string& relative, mode_t mode, const Fill& fill);
  Result<Done> MakePartial();
  void RemoveLeftovers();
  Result<Done> WriteManifest();
  Result<Done> SetFolderModes();
  Result<Done> Replace();
  bool Retire(const std::string& earlier);

  std::string out_dir_;
  std::string name_;
  std::string path_;
  bool force_;
  const std::atomic<bool>* cancelled_;
  std::vector<std::string> created_;  // OUT and those above it, as far as they were missing
  FileHandle out_;
  FileHandle input_;     // the folder that is migrated, or that holds the file
  std::string partial_;  // name in out_; empty before Begin
  FileHandle tree_;
  bool committed_ = false;
  std::optional<mode_t> root_mode_;  // of the input's folder
  mode_t default_mode_ = 0;

  std::mutex mutex_;
  std::unordered_map<std::string, mode_t> folders_;  // created, with the modes to give at the end
  ResultManifest manifest_;
  std::vector<std::string> written_by_others_;  // asked for with PathUntilCommit
  std::vector<std::string> kept_aside_;         // names in out_
};

OutputTree::State::~State() {
  if (committed_) return;
  if (!partial_.empty()) RemoveTree(out_.get(), partial_);
  for (auto it = created_.rbegin(); it != created_.rend(); ++it) rmdir(it->c_str());
}

Result<Done> OutputTree::State::Begin(const std::string& input) {
  struct stat status {};
  if (stat(input.c_str(), &status) != 0) {
    return FileError(input, Say("cannot read the input", "无法读取输入"), errno);
  }
  const bool is_folder = S_ISDIR(status.st_mode);
  if (is_folder) root_mode_ = status.st_mode & 07777;
  const std::string parent(ParentOf(input));
  const std::string holder = input.starts_with('/') && parent.empty() ? "/" : parent;
  input_ = OpenFolder(is_folder ? input : holder.empty() ? "." : holder);
  if (!input_) return FileError(input, Say("cannot read the input", "无法读取输入"), errno);

  Result<std::vector<std::string>> created = CreateFolders(out_dir_);
  if (!created) return created.error();
  created_ = *std::move(created);
  out_ = OpenFolder(out_dir_);
  if (!out_) return FileError(out_dir_, WhatFailed(), errno);
  RemoveLeftovers();
  return MakePartial();
}

/// The folder is locked as long as this run lives, so that no other takes it for a leftover; what
/// marks it as ours is there from the start.
Result<Done> OutputTree::State::MakePartial() {
  struct stat status {};
  do {
    std::string full = out_dir_ + "/" + PartialName(name_);
    if (mkdtemp(full.data()) == nullptr) return FileError(out_dir_, WhatFailed(), errno);
    partial_ = LastName(full);
    tree_ = OpenBelow(out_.get(), partial_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (tree_) TryLock(tree_.get());
    const bool is_open = tree_ && fstat(tree_.get(), &status) == 0;
    if (!is_open && errno != ENOENT) return FileError(out_dir_, WhatFailed(), errno);
    // Another run may have removed it right before it was locked.
  } while (!tree_ || status.st_nlink == 0);
  const FileHandle mark = OpenBelow(tree_.get(), kManifestFile, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!mark || !DefaultMode(tree_.get(), default_mode_)) {
    return FileError(out_dir_, WhatFailed(), errno);
  }
  return Done{};
}

/// What runs that were killed have left: no process holds its lock.
void OutputTree::State::RemoveLeftovers() {
  const std::string pattern = PartialName(name_);
  const std::string_view start = std::string_view(pattern).substr(0, pattern.rfind('-') + 1);
  FileHandle handle = OpenBelow(out_.get(), "", O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(handle.get()), closedir);
  if (!list) return;
  handle.Release();
  while (const dirent* entry = readdir(list.get())) {
    const std::string name = entry->d_name;
    if (name.size() != pattern.size() || !name.starts_with(start)) continue;
    const FileHandle folder = OpenBelow(out_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    struct stat mark {};
    if (!folder || !TryLock(folder.get())) continue;
    if (fstatat(folder.get(), kManifestFile, &mark, AT_SYMLINK_NOFOLLOW) != 0) {
      unlinkat(out_.get(), name.c_str(), AT_REMOVEDIR);  // if it is empty
    } else if (mark.st_size == 0) {
      RemoveTree(out_.get(), name);  // never finished, so nobody has worked in it
    } else {
      Retire(name);  // an earlier result that was replaced
    }
  }
}

std::string OutputTree::State::PathUntilCommit(const std::string& relative) {
  written_by_others_.push_back(relative);
  return out_dir_ + "/" + partial_ + "/" + relative;
}

/// Creates the folders that `relative` names, all of it, writable for us until the end.
Result<Done> OutputTree::State::MakeFolders(const std::string& relative) {
  if (relative.empty()) return Done{};
  const std::lock_guard lock(mutex_);
  std::vector<std::string> missing;
  for (std::string_view folder = relative; !folder.empty(); folder = ParentOf(folder)) {
    if (folders_.contains(std::string(folder))) break;
    missing.emplace_back(folder);
  }
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    const Place place = OpenParentBelow(tree_.get(), *it);
    if (!place.folder || mkdirat(place.folder.get(), place.name.c_str(), 0700) != 0) {
      return Failed(*it, errno);
    }
    struct stat status {};
    const FileHandle original = OpenBelow(input_.get(), *it, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    const bool known = original && fstat(original.get(), &status) == 0;
    folders_[*it] = known ? status.st_mode & 07777 : default_mode_;
  }
  return Done{};
}

Result<Done> OutputTree::State::Prepare(const std::string& relative) {
  if (!IsPlainPath(relative)) return NotPlain(relative);
  return MakeFolders(std::string(ParentOf(relative)));
}

/// Makes the file `relative`, which `fill` writes; `fill` returns an Error or nothing.
template <typename Fill>
Result<Done> OutputTree::State::Create(const std::string& relative, mode_t mode, const Fill& fill) {
  if (Result<Done> ready = Prepare(relative); !ready) return ready;
  const Place place = OpenParentBelow(tree_.get(), relative);
  if (!place.folder) return Failed(relative, errno);
  FileHandle file =
      OpenBelow(place.folder.get(), place.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file) return Failed(relative, errno);
  std::optional<Error> error = fill(file.get());
  if (!error && fchmod(file.get(), mode) != 0) error = Failed(relative, errno);
  if (!file.Close() && !error) error = Failed(relative, errno);
  if (!error) return Done{};
  unlinkat(place.folder.get(), place.name.c_str(), 0);
  return *error;
}

Result<Done> OutputTree::State::Write(const std::string& relative, std::string_view bytes,
                                      std::optional<mode_t> mode) {
  FileContent content = ContentOf(bytes);
  return Create(relative, mode.value_or(default_mode_ & 0666),
                [&](int file) -> std::optional<Error> {
                  if (!WriteAll(file, bytes)) return Failed(relative, errno);
                  const std::lock_guard lock(mutex_);
                  manifest_.AddFile(relative, std::move(content));
                  return std::nullopt;
                });
}

Result<Done> OutputTree::State::Copy(const ProjectEntry& entry) {
  if (entry.kind == ProjectEntry::Kind::kLink) return CopyLink(entry);
  const auto bad_input = [&entry](int number) {
    return FileError(entry.path, Say("cannot read the file", "无法读取文件"), number,
                     Error::Code::kBadInput);
  };
  const FileHandle from = OpenBelow(input_.get(), entry.path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!from || fstat(from.get(), &status) != 0) return bad_input(errno);
  if (!S_ISREG(status.st_mode)) return bad_input(EINVAL);
  if (status.st_size < kLargeFile) {
    std::string bytes;
    if (!ReadAll(from.get(), bytes)) return bad_input(errno);
    return Write(entry.path, bytes, status.st_mode & 07777);
  }
  return Create(entry.path, status.st_mode & 07777, [&](int file) -> std::optional<Error> {
    const CopyOutcome outcome = CopyAll(from.get(), file, cancelled_);
    if (outcome == CopyOutcome::kCancelled) return CancelledError();
    if (outcome == CopyOutcome::kCannotRead) return bad_input(errno);
    if (outcome == CopyOutcome::kCannotWrite || fstat(file, &status) != 0) {
      return Failed(entry.path, errno);
    }
    const std::lock_guard lock(mutex_);
    manifest_.AddLargeFile(entry.path, static_cast<uint64_t>(status.st_size), ModifiedAt(status));
    return std::nullopt;
  });
}

Result<Done> OutputTree::State::CopyLink(const ProjectEntry& entry) {
  if (Result<Done> ready = Prepare(entry.path); !ready) return ready;
  const Place place = OpenParentBelow(tree_.get(), entry.path);
  if (!place.folder ||
      symlinkat(entry.link_target.c_str(), place.folder.get(), place.name.c_str()) != 0) {
    return Failed(entry.path, errno);
  }
  const std::lock_guard lock(mutex_);
  manifest_.AddLink(entry.path, entry.link_target);
  return Done{};
}

Result<Done> OutputTree::State::WriteManifest() {
  for (const std::string& relative : written_by_others_) {
    const FileHandle file = OpenBelow(tree_.get(), relative, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    std::string bytes;
    if (!file || !ReadAll(file.get(), bytes)) return Failed(relative, errno);
    manifest_.AddFile(relative, ContentOf(bytes));
  }
  FileHandle file = OpenBelow(tree_.get(), kManifestFile, O_WRONLY | O_NOFOLLOW);
  if (file && WriteAll(file.get(), manifest_.ToJson()) &&
      fchmod(file.get(), default_mode_ & 0666) == 0 && file.Close()) {
    return Done{};
  }
  return Failed(kManifestFile, errno);
}

/// Only now, because a folder may be read-only; the deepest first, for the same reason.
Result<Done> OutputTree::State::SetFolderModes() {
  std::vector<std::pair<std::string, mode_t>> folders(folders_.begin(), folders_.end());
  std::sort(folders.rbegin(), folders.rend());
  for (const auto& [folder, mode] : folders) {
    const FileHandle handle = OpenBelow(tree_.get(), folder, O_RDONLY | O_DIRECTORY);
    if (!handle || fchmod(handle.get(), mode) != 0) return Failed(folder, errno);
  }
  if (fchmod(tree_.get(), root_mode_.value_or(default_mode_)) != 0)
    return FileError(path_, WhatFailed(), errno);
  return Done{};
}

/// Renames partial_ to name_. After it partial_ names the earlier result, or is empty if there
/// was none.
Result<Done> OutputTree::State::Replace() {
  const int out = out_.get();
  const char* from = partial_.c_str();
  const char* to = name_.c_str();
  if (renameat2(out, from, out, to, RENAME_NOREPLACE) == 0) {
    partial_.clear();
    return Done{};
  }
  const bool unsupported = errno == EINVAL || errno == ENOSYS;
  if (!unsupported && errno != EEXIST) return FileError(path_, WhatFailed(), errno);
  const bool is_taken = faccessat(out, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  // Another run may have been faster.
  if (!force_ && is_taken) return FileError(path_, WhatFailed(), EEXIST);
  if (!unsupported && renameat2(out, from, out, to, RENAME_EXCHANGE) == 0) return Done{};
  // A file system that cannot exchange (NFS, some FUSE): move the earlier result aside.
  const std::string aside = is_taken ? KeepAside(out, name_, name_) : "";
  if (is_taken && aside.empty()) return FileError(path_, WhatFailed(), errno);
  if (renameat(out, from, out, to) != 0) {
    const int number = errno;
    if (is_taken) renameat(out, aside.c_str(), out, to);
    return FileError(path_, WhatFailed(), number);
  }
  partial_ = aside;
  return Done{};
}

/// Removes the earlier result `earlier` of out_, or keeps it aside if it holds anything but what
/// transplt has written. False: it is still there under its name, errno says why.
bool OutputTree::State::Retire(const std::string& earlier) {
  if (unlinkat(out_.get(), earlier.c_str(), AT_REMOVEDIR) == 0) return true;  // it was empty
  const FileHandle folder = OpenBelow(out_.get(), earlier, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  std::optional<ResultManifest> manifest;
  if (folder) manifest = ResultManifest::Read(folder.get());
  if (manifest && !manifest->HasForeignContent(folder.get())) {
    return RemoveTree(out_.get(), earlier);
  }
  const bool is_aside = earlier.starts_with(name_ + ".before-");
  kept_aside_.push_back(is_aside ? earlier : KeepAside(out_.get(), earlier, name_));
  return !kept_aside_.back().empty();
}

Result<Done> OutputTree::State::Commit() {
  if (committed_) {
    return Error{Error::Code::kUsage, path_, Say("committed already", "已经提交")};
  }
  if (Result<Done> ready = WriteManifest(); !ready) return ready;
  if (Result<Done> ready = SetFolderModes(); !ready) return ready;
  if (Result<Done> ready = Replace(); !ready) return ready;
  committed_ = true;
  if (partial_.empty() || Retire(partial_)) return Done{};
  return FileError(out_dir_ + "/" + partial_,
                   Say("the new result is complete, but this, the earlier one, cannot be removed; "
                       "remove it by hand",
                       "新结果已完整写入，但无法删除旧结果；请手动删除"),
                   errno);
}

std::vector<Text> OutputTree::State::Notes() const {
  std::vector<Text> notes;
  for (const std::string& name : kept_aside_) {
    notes.push_back(Say("the earlier result was changed by hand, so it is kept as \"{}\"",
                        "先前的结果含有手工修改，已保留为 \"{}\"", out_dir_ + "/" + name));
  }
  return notes;
}

OutputTree::OutputTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputTree::OutputTree(OutputTree&&) noexcept = default;
OutputTree& OutputTree::operator=(OutputTree&&) noexcept = default;
OutputTree::~OutputTree() = default;

Result<OutputTree> OutputTree::Create(const std::string& out_dir, const std::string& name,
                                      const std::string& input, bool force,
                                      const std::atomic<bool>* cancelled) {
  if (!IsPlainPath(name) || name.find('/') != name.npos) {
    return Error{Error::Code::kUsage, name, Say("not the name of a folder", "不是文件夹名称")};
  }
  if (Result<Done> place = CheckOutputPlace(out_dir, name, input, force); !place) {
    return place.error();
  }
  auto state = std::make_unique<State>(out_dir, name, force, cancelled);
  if (Result<Done> begun = state->Begin(input); !begun) return begun.error();
  return OutputTree(std::move(state));
}

std::string OutputTree::PathUntilCommit(const std::string& relative) {
  return state_->PathUntilCommit(relative);
}

const std::string& OutputTree::path() const { return state_->path(); }

Result<Done> OutputTree::Write(const std::string& relative, std::string_view bytes,
                               std::optional<mode_t> mode) {
  return state_->Write(relative, bytes, mode);
}

Result<Done> OutputTree::Copy(const ProjectEntry& entry) { return state_->Copy(entry); }

Result<Done> OutputTree::MakeFolder(const std::string& relative) {
  if (!IsPlainPath(relative)) return NotPlain(relative);
  return state_->MakeFolders(relative);
}

Result<Done> OutputTree::Commit() { return state_->Commit(); }

std::vector<Text> OutputTree::Notes() const { return state_->Notes(); }

}  // namespace transplt
