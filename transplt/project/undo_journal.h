// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/folder_handle.h"
#include "transplt/project/folder_lock.h"
#include "transplt/project/kept_file.h"

namespace transplt {

/// A file that was left as the user has it, and why.
struct LeftFile {
  std::string path;
  Text reason;
};

/// Changes files of a project so that undo.h can put them back: Save each file, Seal, Replace.
/// Until Seal the project is untouched, and the journal vanishes with this object. The new files
/// keep owner, mode, access control lists and extended attributes. Names of one file (hard links)
/// that become the same stay names of one file; names that are not saved keep the original.
class UndoJournal {
 public:
  /// Also removes what runs that were killed have left. `lock` is that of `root`.
  static Result<UndoJournal> Begin(const std::string& root, const FolderLock& lock);
  UndoJournal(UndoJournal&&) noexcept = default;
  UndoJournal& operator=(UndoJournal&&) = delete;
  /// Removes a journal that was not sealed.
  ~UndoJournal();

  /// Prepares the file `relative`, which holds `before` and shall hold `after`. The reason if it
  /// is left out, because it holds something else by now; an Error if it cannot be kept.
  Result<std::optional<Text>> Save(const std::string& relative, std::string_view before,
                                   std::string_view after);

  /// From here on the files may be replaced.
  Result<Done> Seal();

  /// Replaces all files. Those that somebody changed meanwhile stay as that person has them, and
  /// are returned. After an Error some may have been replaced; undo puts them back.
  Result<std::vector<LeftFile>> Replace();

  /// True if no file was saved.
  bool empty() const { return entries_.empty(); }

  /// The folder of this journal, for messages.
  const std::string& path() const { return path_; }

  /// What a person should know about the files that were replaced.
  std::vector<Text> Notes() const;

 private:
  /// The names of one file that become the same.
  struct Names {
    std::string first;
    nlink_t links = 0;  ///< of the original
    nlink_t saved = 0;
    FileContent after;
  };
  UndoJournal(FileHandle root, FileHandle journals, std::string number, std::string where);
  std::optional<Error> WriteCounterpart(int original, const std::string& relative,
                                        std::string_view after) const;
  bool LinkCounterpart(const std::string& first, const std::string& relative) const;
  void RefreshAttributes(size_t number) const;
  Error CannotKeep(const std::string& relative, int number) const;

  FileHandle root_;
  FileHandle journals_;  // ROOT/.transplt-undo
  FileHandle folder_;    // ROOT/.transplt-undo/NNNN.partial, then NNNN
  std::string number_;
  std::string path_;
  std::deque<UndoEntry> entries_;
  std::vector<timespec> changed_;  // when the attributes of the entries had last been changed
  bool has_replaced_ = false;
  std::map<std::pair<dev_t, ino_t>, Names> names_;
  bool sealed_ = false;
};

}  // namespace transplt
