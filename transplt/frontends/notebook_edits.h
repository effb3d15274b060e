// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transplt/base/change_record.h"
#include "transplt/base/edit.h"
#include "transplt/base/source_file.h"
#include "transplt/frontends/notebook.h"

namespace transplt {

/// Gives the records of a notebook's program the lines of the file, and says which cell is meant.
void PlaceInNotebook(const Notebook& notebook, const SourceFile& program, const SourceFile& file,
                     std::vector<ChangeRecord>& records);

/// The edits of the file that make these edits of its program; nothing if one does not fit into the
/// cells.
std::optional<EditList> EditsOfNotebook(const Notebook& notebook, const std::vector<Edit>& edits);

}  // namespace transplt
