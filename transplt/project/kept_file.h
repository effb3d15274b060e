// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transplt/base/result.h"
#include "transplt/project/file_content.h"

namespace transplt {

/// One file of an undo journal: its path below the root, and what it held before the run and
/// after it.
struct UndoEntry {
  std::string path;
  FileContent before;
  FileContent after;
};

/// Why a file was left as it is: somebody changed it while the run was at work.
Text ChangedMeanwhile();

/// A file of the project and its counterpart in the journal, which change places: before the run
/// the journal holds the new content, after it the original, the very file (inode) with all that
/// belongs to it. Nothing that is not known byte for byte is ever overwritten or deleted: bytes
/// that somebody saves at any moment are in the project or in the journal.
class KeptFile {
 public:
  /// `root` and `journal` are open folders and must outlive this; `number` tells the files of a
  /// journal apart.
  KeptFile(int root, int journal, std::string journal_path, size_t number, const UndoEntry& entry);

  /// Puts the new content into the project. Returns nothing if it did, the reason if it left the
  /// file as the user has it; an Error if the system refuses.
  Result<std::optional<Text>> Replace();

  /// To be called when all files are replaced. A program that had the original open may have
  /// written to it since: then that file goes back. The reason, as of Replace.
  std::optional<Text> Settle();

  enum class Undone {
    kNothing,   ///< the run had not replaced it
    kPutBack,   ///< as it was before the run, or it was already
    kSetAside,  ///< put back; what stood there, changed by the user, is in the journal now
    kRefused,
  };
  struct UndoOutcome {
    Undone what = Undone::kNothing;
    Text reason;  ///< of kRefused
  };
  /// Puts the original back. Without `force` only over what the run has written.
  UndoOutcome PutBack(bool force);

  /// Deletes the counterpart if both its contents are known and nobody has it open for writing.
  /// False if it stays.
  bool DropCounterpart() { return Drop(counterpart_); }

  const std::string& path() const { return entry_->path; }

  /// Where the counterpart lies, for messages.
  std::string CounterpartPath() const;

 private:
  struct Spot {
    int folder;
    std::string path;
  };
  enum class Swapped { kYes, kTaken, kNo };

  static std::optional<FileContent> ContentAt(const Spot& spot);
  static bool Move(const Spot& from, const Spot& to, unsigned flags);
  static bool MoveToFree(const Spot& from, const Spot& to);
  Swapped Swap();
  Swapped SwapInSteps();
  Text GiveBack();
  Text Changed() const;
  Error CannotReplace(int number) const;
  Text WithOriginal(const Text& text) const;
  bool TakeSwapBack();
  static bool Remove(const Spot& spot);
  bool Drop(const Spot& spot) const;
  UndoOutcome PutBackRemoved(bool force);
  UndoOutcome PutBackOver(const FileContent& now, bool force);

  const UndoEntry* entry_;
  std::string journal_path_;
  Spot place_;
  Spot counterpart_;
  Spot spare_;  // where a file is for a moment, on file systems that cannot exchange two
};

}  // namespace transplt
