// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/dump/dumped_tensor.h"

namespace transplt {

/// A file of a dump that cannot be read, or not to its end.
struct UnreadFile {
  std::string folder;
  /// The tensor or the operation that is in it; "" for any of the folder, as of a list.
  std::string name;
};

/// All tensors of a dump, whatever tool has left it.
struct Dump {
  std::string path;
  std::vector<DumpedTensor> tensors;      ///< by folder, and in a folder in the order of the run
  std::vector<DumpedArgument> arguments;  ///< that are no tensors, in the order of the run
  std::vector<Error> troubles;            ///< files that look like a dump and cannot be read
  std::vector<UnreadFile> unread;
  uint64_t ignored = 0;  ///< files that are none
};

/// Reads names and headers below `path`: a folder or a single file. What is there is recognised by
/// name and content: .npy, .pt, .bin of MindSpore, DumpData of GE, .h5, dump.json, .pkl of ptdbg.
/// Links are not followed. Fails if nothing of this is there.
Result<Dump> ReadDump(const std::string& path);

}  // namespace transplt
