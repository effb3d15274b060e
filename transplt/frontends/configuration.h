// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// The keys of a configuration file and what a scalar holds that is more than a value: an
/// environment variable ("NAME=value" in a list, `name: NAME` as Kubernetes has it), an option
/// ("--device=cuda", or an item behind "--device").
std::vector<Setting> YamlSettings(const SourceFile& source);
std::vector<Setting> JsonSettings(const SourceFile& source);
std::vector<Setting> TomlSettings(const SourceFile& source);
std::vector<Setting> IniSettings(const SourceFile& source);

/// What a lock file of Poetry, uv or PDM names, which is TOML: each [[package]] with its version.
std::vector<Setting> LockedSettings(const SourceFile& source);

}  // namespace transplt
