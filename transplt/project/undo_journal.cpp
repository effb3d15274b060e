// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/undo_journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "transplt/project/atomic_write.h"
#include "transplt/project/file_attributes.h"
#include "transplt/project/file_error.h"
#include "transplt/project/undo_record.h"

namespace transplt {
namespace {

constexpr const char* kFiles = "files/";

Text NothingChanged() {
  return Say("cannot keep the original for undo; nothing was changed",
             "无法为撤销操作保存原文件；未作任何修改");
}

bool WriteNew(int folder, const std::string& relative, std::string_view bytes) {
  FileHandle file = OpenBelow(folder, relative, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  return file && WriteAll(file.get(), bytes) && file.Close();
}

}  // namespace

UndoJournal::UndoJournal(FileHandle root, FileHandle journals, std::string number,
                         std::string where)
    : root_(std::move(root)),
      journals_(std::move(journals)),
      folder_(
          OpenBelow(journals_.get(), number + kUnfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)),
      number_(std::move(number)),
      path_(where + "/" + number_) {}

UndoJournal::~UndoJournal() {
  if (!journals_ || sealed_) return;
  RemoveTree(journals_.get(), number_ + kUnfinished);
  RemoveUndoFolderIfEmpty(root_.get());
}

Result<UndoJournal> UndoJournal::Begin(const std::string& root, const FolderLock& lock) {
  const std::string where = root + "/" + kUndoFolder;
  FileHandle handle = OpenFolder(root);
  if (!handle) return FileError(root, NothingChanged(), errno);
  if (mkdirat(handle.get(), kUndoFolder, 0777) != 0 && errno != EEXIST) {
    return FileError(where, NothingChanged(), errno);
  }
  FileHandle journals = OpenBelow(handle.get(), kUndoFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!journals) return FileError(where, NothingChanged(), errno);
  // So that git does not offer it for a commit.
  if (!WriteNew(journals.get(), ".gitignore", "*\n") && errno != EEXIST) {
    return FileError(where, NothingChanged(), errno);
  }
  if (lock.is_held()) RemoveUnfinished(journals.get());
  int next = 1;
  for (const char* ending : {"", kUnfinished}) {
    for (const std::string& number : UndoNumbers(journals.get(), ending)) {
      next = std::max(next, std::atoi(number.c_str()) + 1);
    }
  }
  std::string number = fmt::format("{:04}", next);
  while (mkdirat(journals.get(), (number + kUnfinished).c_str(), 0700) != 0) {
    if (errno != EEXIST) return FileError(where, NothingChanged(), errno);
    number = fmt::format("{:04}", ++next);  // a run on a file system without locks was faster
  }
  UndoJournal journal(std::move(handle), std::move(journals), std::move(number), where);
  if (!journal.folder_) return FileError(journal.path_, NothingChanged(), errno);
  return journal;
}

Error UndoJournal::CannotKeep(const std::string& relative, int number) const {
  return FileError(path_ + "/" + kFiles + relative, NothingChanged(), number);
}

Result<std::optional<Text>> UndoJournal::Save(const std::string& relative, std::string_view before,
                                              std::string_view after) {
  const FileHandle file = OpenBelow(root_.get(), relative, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file && errno == ELOOP) {
    return Error{Error::Code::kUsage, relative,
                 Say("a link; name the file that it leads to", "这是链接；请指定其指向的文件")};
  }
  if (!file && errno == ENOENT) return std::optional(ChangedMeanwhile());
  struct stat status {};
  struct stat of_root {};
  std::string now;
  if (!file || fstat(file.get(), &status) != 0 || fstat(root_.get(), &of_root) != 0 ||
      !ReadAll(file.get(), now)) {
    return FileError(relative, NothingChanged(), errno);
  }
  if (now != before) return std::optional(ChangedMeanwhile());
  if (status.st_dev != of_root.st_dev) {
    return std::optional(
        Say("lies on another file system than the project; run transplt on its "
            "folder",
            "与项目位于不同的文件系统；请对其所在文件夹运行 transplt"));
  }
  if (!MakeFoldersBelow(folder_.get(), ParentOf(kFiles + relative), 0700)) {
    return CannotKeep(relative, errno);
  }
  UndoEntry entry{relative, ContentOf(before), ContentOf(after)};
  Names& names = names_[{status.st_dev, status.st_ino}];
  if (names.saved > 0 && names.after == entry.after) {
    if (!LinkCounterpart(names.first, relative)) return CannotKeep(relative, errno);
    ++names.saved;
  } else {
    if (std::optional<Error> error = WriteCounterpart(file.get(), relative, after)) return *error;
    if (names.saved == 0) names = {relative, status.st_nlink, 1, entry.after};
  }
  entries_.push_back(std::move(entry));
  changed_.push_back(status.st_ctim);
  return std::optional<Text>();
}

bool UndoJournal::LinkCounterpart(const std::string& first, const std::string& relative) const {
  const Place from = OpenParentBelow(folder_.get(), kFiles + first);
  const Place to = OpenParentBelow(folder_.get(), kFiles + relative);
  return from.folder && to.folder &&
         linkat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str(), 0) == 0;
}

std::optional<Error> UndoJournal::WriteCounterpart(int original, const std::string& relative,
                                                   std::string_view after) const {
  FileHandle file =
      OpenBelow(folder_.get(), kFiles + relative, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file || !WriteAll(file.get(), after)) return CannotKeep(relative, errno);
  if (const std::optional<std::string> attribute = CopyAttributes(original, file.get())) {
    const Text what = Say("cannot keep its attribute {}; nothing was changed",
                          "无法保留其属性 {}；未作任何修改", *attribute);
    return FileError(relative, what, errno);
  }
  if (!file.Close()) return CannotKeep(relative, errno);
  return std::nullopt;
}

Result<Done> UndoJournal::Seal() {
  UndoRecord record;
  record.files.assign(entries_.begin(), entries_.end());
  if (!WriteUndoRecord(folder_.get(), record) ||
      renameat2(journals_.get(), (number_ + kUnfinished).c_str(), journals_.get(), number_.c_str(),
                0) != 0) {
    return FileError(path_ + "/" + kUndoRecord, NothingChanged(), errno);
  }
  sealed_ = true;
  return Done{};
}

/// For a chmod or the like while the run was at work. If it fails, what Save has copied stays.
void UndoJournal::RefreshAttributes(size_t number) const {
  const std::string& path = entries_[number].path;
  const FileHandle original = OpenBelow(root_.get(), path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (!original || fstat(original.get(), &status) != 0) return;
  const timespec& known = changed_[number];
  if (status.st_ctim.tv_sec == known.tv_sec && status.st_ctim.tv_nsec == known.tv_nsec) return;
  const FileHandle counterpart = OpenBelow(folder_.get(), kFiles + path, O_RDONLY | O_NOFOLLOW);
  if (counterpart) CopyAttributes(original.get(), counterpart.get());
}

Result<std::vector<LeftFile>> UndoJournal::Replace() {
  std::set<std::string_view> folders;
  for (const UndoEntry& entry : entries_) {
    if (!folders.insert(ParentOf(entry.path)).second) continue;
    const FileHandle folder = OpenBelow(root_.get(), ParentOf(entry.path), O_RDONLY | O_DIRECTORY);
    if (folder) RemoveLeftovers(folder.get());
  }
  std::vector<LeftFile> left;
  std::vector<KeptFile> replaced;
  for (size_t i = 0; i < entries_.size(); ++i) {
    RefreshAttributes(i);
    KeptFile file(root_.get(), folder_.get(), path_, i, entries_[i]);
    Result<std::optional<Text>> reason = file.Replace();
    if (!reason) return reason.error();
    if (*reason) {
      left.push_back({entries_[i].path, **std::move(reason)});
    } else {
      replaced.push_back(std::move(file));
    }
  }
  // Programs that had an original open may have gone on writing to it.
  for (KeptFile& file : replaced) {
    if (std::optional<Text> reason = file.Settle()) {
      left.push_back({file.path(), *std::move(reason)});
    }
  }
  has_replaced_ = left.size() < entries_.size();
  return left;
}

std::vector<Text> UndoJournal::Notes() const {
  std::vector<Text> notes;
  if (!has_replaced_) return notes;
  for (const auto& [identity, names] : names_) {
    if (names.links <= names.saved) continue;
    notes.push_back(Say("{}: another name of this file (hard link) keeps the original",
                        "{}：该文件的其他名称（硬链接）仍为原内容", names.first));
  }
  notes.push_back(
      Say("the originals are in \"{}\"; `transplt migrate FOLDER --undo` puts them back",
          "原文件保存在 \"{}\"；可用 `transplt migrate 文件夹 --undo` 还原", path_));
  return notes;
}

}  // namespace transplt
