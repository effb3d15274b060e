// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/folder_handle.h"

namespace transplt {

/// What --in-place needs to be undone: ROOT/.transplt-undo/NNNN/ with the original bytes of every
/// file that is going to change (below files/) and journal.json, which is written last. So: Save
/// each file, Seal, and only then replace. A journal without journal.json is of a run that ended
/// before it had changed anything, and is passed over.
class UndoJournal {
 public:
  static Result<UndoJournal> Begin(const std::string& root);
  UndoJournal(UndoJournal&&) noexcept = default;
  UndoJournal& operator=(UndoJournal&&) = delete;
  /// Removes a journal that was not sealed.
  ~UndoJournal();

  /// Keeps the file `relative`, which holds `before` and will hold `after`. An Error if it holds
  /// something else by now: it was changed while we were at work.
  Result<Done> Save(const std::string& relative, std::string_view before, std::string_view after);

  /// From here on the files may be replaced.
  Result<Done> Seal();

  /// The folder of this journal, for messages.
  const std::string& path() const { return path_; }

  struct Refusal {
    std::string path;
    Text reason;
  };
  struct Restored {
    std::vector<std::string> files;  ///< put back, or already as they were
    std::vector<Refusal> refusals;   ///< left as they are
  };
  /// Puts back what the newest journal of `root` holds. A file that is neither as the migration
  /// left it nor as it was before is not touched. The journal is removed when nothing is refused.
  static Result<Restored> Restore(const std::string& root);

 private:
  struct Kept {
    std::string path;
    mode_t mode = 0;
    uint64_t size = 0;
    uint64_t after_size = 0;
    std::string after_hash;
  };
  static Result<std::vector<Kept>> Read(const std::string& where, const std::string& text);
  std::optional<Text> PutBack(const std::string& root, const Kept& kept) const;
  UndoJournal(FileHandle root, FileHandle journals, std::string number, std::string path);

  FileHandle root_;
  FileHandle journals_;  // ROOT/.transplt-undo
  FileHandle folder_;    // ROOT/.transplt-undo/NNNN
  std::string number_;
  std::string path_;
  std::vector<Kept> kept_;
  bool sealed_ = false;
};

}  // namespace transplt
