// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/edit.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// The edits of one file as a patch for `git apply`, with three lines of context. Lines are those
/// of git: they end at LF only, and every other byte, CR included, is copied as it is. Empty if
/// the edits change nothing.
std::string UnifiedDiff(const SourceFile& source, const EditList& edits);

}  // namespace transplt
