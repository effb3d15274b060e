// SPDX-License-Identifier: Apache-2.0
#include "transplt/project/undo.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "transplt/project/file_error.h"
#include "transplt/project/undo_record.h"

namespace transplt {
namespace {

/// Undoes runs of one folder.
class Undoing {
 public:
  Undoing(FileHandle root, FileHandle journals, std::string where, bool force)
      : root_(std::move(root)),
        journals_(std::move(journals)),
        where_(std::move(where)),
        force_(force) {}

  Result<UndoResult> Run() {
    std::vector<std::string> numbers = UndoNumbers(journals_.get(), "");
    for (; !numbers.empty(); numbers.pop_back()) {
      const std::string& number = numbers.back();
      const std::string path = where_ + "/" + number;
      const FileHandle journal =
          OpenBelow(journals_.get(), number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      std::optional<UndoRecord> record;
      if (journal) record = ReadUndoRecord(journal.get());
      if (!record) {
        result_.refusals.push_back(
            {path, Say("the undo journal is damaged; the originals are in its folder \"files\"",
                       "撤销日志已损坏；原文件位于其 files 文件夹中")});
      } else if (!result_.found_run && (!record->is_undone || TakesUpAgain(*record))) {
        result_.found_run = true;
        if (std::optional<Error> error = UndoRun(number, journal.get(), *record)) return *error;
      } else if (record->is_undone) {
        ListLeft(path, journal.get(), *record);
      }
    }
    RemoveUndoFolderIfEmpty(root_.get());
    return std::move(result_);
  }

 private:
  bool TakesUpAgain(const UndoRecord& record) const { return force_ && !record.files.empty(); }

  std::optional<Error> UndoRun(const std::string& number, int journal, const UndoRecord& record) {
    const std::string path = where_ + "/" + number;
    UndoRecord rest{{}, true};
    bool stays = false;
    for (size_t i = 0; i < record.files.size(); ++i) {
      const UndoEntry& entry = record.files[i];
      KeptFile file(root_.get(), journal, path, i, entry);
      const KeptFile::UndoOutcome outcome = file.PutBack(force_);
      if (outcome.what == KeptFile::Undone::kRefused) {
        rest.files.push_back(entry);
        result_.refusals.push_back({entry.path, outcome.reason});
        continue;
      }
      if (outcome.what != KeptFile::Undone::kNothing) result_.files.push_back(entry.path);
      if (outcome.what == KeptFile::Undone::kSetAside) {
        result_.set_aside.push_back(
            {entry.path, Say("what stood there is kept in \"{}\"", "原先的内容保存在 \"{}\"",
                             file.CounterpartPath())});
      }
      if (outcome.what == KeptFile::Undone::kSetAside || !file.DropCounterpart()) stays = true;
    }
    if (rest.files.empty() && !stays) {
      // In one step: what is left of it if this is killed goes with the next run.
      const std::string leftover = number + kUnfinished;
      if (renameat(journals_.get(), number.c_str(), journals_.get(), leftover.c_str()) == 0 &&
          RemoveTree(journals_.get(), leftover)) {
        return std::nullopt;
      }
    } else if (WriteUndoRecord(journal, rest)) {
      return std::nullopt;
    }
    return FileError(path, Say("cannot update the undo journal", "无法更新撤销日志"), errno);
  }

  void ListLeft(const std::string& path, int journal, const UndoRecord& record) {
    for (size_t i = 0; i < record.files.size(); ++i) {
      const KeptFile file(root_.get(), journal, path, i, record.files[i]);
      result_.left_before.push_back(
          {record.files[i].path,
           Say("left by an earlier undo; its original is \"{}\"; --undo --force puts that back",
               "先前的撤销操作未还原；其原文件为 \"{}\"；可用 --undo --force 还原",
               file.CounterpartPath())});
    }
  }

  const FileHandle root_;
  const FileHandle journals_;
  const std::string where_;
  const bool force_;
  UndoResult result_;
};

}  // namespace

Result<UndoResult> Undo(const std::string& root, bool force, const FolderLock& lock) {
  const std::string where = root + "/" + kUndoFolder;
  const Text cannot = Say("cannot undo", "无法撤销");
  FileHandle handle = OpenFolder(root);
  if (!handle) return FileError(root, cannot, errno);
  FileHandle journals = OpenBelow(handle.get(), kUndoFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!journals && errno == ENOENT) return UndoResult();
  if (!journals) return FileError(where, cannot, errno);
  if (lock.is_held()) RemoveUnfinished(journals.get());
  return Undoing(std::move(handle), std::move(journals), where, force).Run();
}

}  // namespace transplt
