// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// A line of what an edit changes, for a terminal.
struct HunkLine {
  char sign = ' ';      ///< ' ' around the edit, '-' before it, '+' after it
  uint32_t number = 0;  ///< of the line in the original; 0 of a line that is new
  std::string text;     ///< on one line, cut where it is long
};

/// The lines that the edit `record` takes and puts, with up to two lines around them. Where the
/// record does not show its place in `original` (null, a notebook, a text that was shortened), only
/// its texts.
std::vector<HunkLine> HunkOf(const ChangeRecord& record, const SourceFile* original);

}  // namespace transplt
