// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/project/undo_journal.h"

namespace transplt {

/// What an undo has done.
struct UndoResult {
  bool found_run = false;             ///< false: there was no run left to undo
  std::vector<std::string> files;     ///< put back, or already as they were
  std::vector<LeftFile> refusals;     ///< left as they are, and what could not be read
  std::vector<LeftFile> set_aside;    ///< put back by force; the reason names the user's version
  std::vector<LeftFile> left_before;  ///< what earlier undos have refused, with its place
};

/// Undoes the newest run of `root` that is not undone. A file that is not as the run left it is
/// refused and stays, its original stays in the journal; the next undo takes up the run before.
/// With `force` the newest run that has such files is taken up again, and they are put back
/// whatever stands in their place, which is set aside. `lock` is that of `root`.
Result<UndoResult> Undo(const std::string& root, bool force, const FolderLock& lock);

}  // namespace transplt
