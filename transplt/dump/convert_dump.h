// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transplt/dump/read_dump.h"

namespace transplt {

enum class DumpFormat { kNpy, kText };

struct ConvertedDump {
  uint64_t files = 0;
  uint64_t skipped = 0;         ///< tensors without values
  std::vector<Error> troubles;  ///< tensors that could not be converted
  /// The text of mapping.csv in the folder, which says what names the files stand for that had to
  /// get a number; "" for none. Whoever calls writes it, also if it was stopped.
  std::string mapping;
  std::optional<Error> stopped;  ///< why not all tensors were written
};

/// Writes each tensor of `dump` to a file NAME.npy or NAME.txt in `folder`, which is created.
/// numpy has no bfloat16: such values become float32. A name that is too long for a file becomes
/// a number, and `mapping` says which. Files that exist, mapping.csv too, are refused unless
/// `force`.
Result<ConvertedDump> ConvertDump(const Dump& dump, const std::string& folder, DumpFormat format,
                                  bool force);

/// Takes the tensors of `dump` out of the blocks of the device, where these tell the shape: how
/// many stay in their blocks.
uint64_t TakeOutOfBlocks(Dump& dump);

}  // namespace transplt
