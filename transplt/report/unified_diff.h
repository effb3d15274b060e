// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "transplt/base/edit.h"
#include "transplt/base/source_file.h"
#include "transplt/report/patch_mail.h"

namespace transplt {

/// The edits of one file as a patch for `git apply`, with three lines of context. Lines are those
/// of git: they end at LF only, and every other byte, CR included, is copied as it is. Empty if
/// the edits change nothing.
std::string UnifiedDiff(const SourceFile& source, const EditList& edits);

/// The same for two texts of a file whose edits are not known.
std::string UnifiedDiff(const PatchedFile& file);

}  // namespace transplt
