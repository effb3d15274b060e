// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/project/kept_file.h"

namespace transplt {

/// The folder of the undo journals, in the root of a project that was changed in place:
///   ROOT/.transplt-undo/NNNN/journal.json   an UndoRecord
///   ROOT/.transplt-undo/NNNN/files/...      the counterparts of KeptFile
///   ROOT/.transplt-undo/NNNN.partial        of a run that has changed nothing yet, or is undone
inline constexpr const char* kUndoFolder = ".transplt-undo";
inline constexpr const char* kUndoRecord = "journal.json";
inline constexpr const char* kUnfinished = ".partial";

/// journal.json: the files of one run.
struct UndoRecord {
  std::vector<UndoEntry> files;
  bool is_undone = false;  ///< an undo has left these files: only --force takes them up again
};

/// False if it cannot be written; errno says why. An existing one is replaced in one step.
bool WriteUndoRecord(int journal, const UndoRecord& record);
/// Nothing if it is missing or damaged.
std::optional<UndoRecord> ReadUndoRecord(int journal);

/// The numbers of the journals in an open .transplt-undo folder, the lowest first; `ending` is
/// what follows the number in the folder's name.
std::vector<std::string> UndoNumbers(int folder, std::string_view ending);

/// Removes the journals in an open .transplt-undo folder that runs which were killed have not
/// finished, or an undo had finished. Only under the FolderLock: no other run is alive then.
void RemoveUnfinished(int folder);

/// Removes the .transplt-undo of the open folder `root` if it holds no journal any more.
void RemoveUndoFolderIfEmpty(int root);

}  // namespace transplt
