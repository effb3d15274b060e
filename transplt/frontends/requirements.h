// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// What a requirements.txt asks for.
std::vector<Setting> RequirementSettings(const SourceFile& source);

/// What a list of conda asks for: the addresses of `conda list --explicit`, and the lines
/// NAME=VERSION=BUILD of `conda list --export`. Other lines of the file say nothing.
std::vector<Setting> CondaListSettings(const SourceFile& source);

/// The package that `range` of `text` asks for, if it does.
std::optional<Setting> DependencyIn(std::string_view text, TextRange range);

}  // namespace transplt
