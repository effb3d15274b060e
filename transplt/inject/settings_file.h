// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "transplt/inject/option_table.h"

namespace transplt {

/// The text of the JSON file `path`; nothing if it is not on this machine or cannot be read.
std::optional<std::string> SettingsText(const std::string& path);

/// The first mistake in the file of settings that the option names. A file that is not here lies on
/// the training machine; a relative path belongs to the folder in which the training starts.
std::optional<Error> MistakeInFile(const OptionSpec& spec, const std::string& path);

}  // namespace transplt
