// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"
#include "transplt/frontends/file_type.h"

namespace transplt {

/// What a file of this type sets and runs, in the order of the text. Never fails: what cannot be
/// read (a template, a syntax error) has no settings. Python and notebooks have none.
std::vector<Setting> SettingsOf(FileType type, const SourceFile& source);

}  // namespace transplt
